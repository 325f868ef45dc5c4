-- name: ids_in
-- CROSS JOIN: the ranges first, each a look into the key.
SELECT r.key AS number, m.id, m.role FROM json_each(:ranges) r CROSS JOIN messages m ON m.space = :space
    AND m.channel = json_extract(r.value, '$[0]')
    AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
ORDER BY r.key, m.seq

-- name: move_channel
-- And the feed is told, once for all that came together.
UPDATE channels SET last_seq = :last_seq WHERE space = :space AND channel = :channel;
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
    VALUES (:space, 'message', 'added', :id, :channel, :person, :first_seq, :last_seq)
