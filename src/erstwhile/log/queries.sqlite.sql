-- name: ids_in
-- A row per range, because a row per message costs far more. CROSS JOIN: the ranges first, each a
-- look into the key.
SELECT r.key AS number, group_concat(m.id, ' ' ORDER BY m.seq) AS ids
FROM json_each(:ranges) r CROSS JOIN messages m ON m.space = :space
    AND m.channel = json_extract(r.value, '$[0]')
    AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
    AND (:role IS NULL OR m.role = :role)
GROUP BY r.key

-- name: move_channel
-- And the feed is told, once for all that came together.
UPDATE channels SET last_seq = :last_seq WHERE space = :space AND channel = :channel;
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
    VALUES (:space, 'message', 'added', :id, :channel, :person, :first_seq, :last_seq)
