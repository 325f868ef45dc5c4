-- name: add_message
INSERT INTO messages (space, channel, seq, id, role, person, name, text, at, key, model, meta, source, created_at)
VALUES (:space, :channel, :seq, :id, :role, :person, :name, :text, :at, :key, :model, :meta, :source, :now)

-- name: by_keys
SELECT channel, id, seq, role, person, name, text, at, key, model, meta, created_at FROM messages
WHERE space = :space AND channel = :channel AND key IN (SELECT value FROM json_each(:keys))

-- name: by_ids
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: named_in
-- People whose name is somewhere in the text; whether as a word of its own is looked at later.
SELECT p.person, coalesce(n.name, p.person) AS name
FROM people p LEFT JOIN names n ON n.space = p.space AND n.person = p.person
WHERE p.space = :space AND (instr(:lower, lower(p.person)) > 0 OR instr(:lower, lower(n.name)) > 0 OR instr(:text, n.name) > 0
    OR instr(:lower, lower(substr(n.name, 1, instr(n.name || ' ', ' ') - 1))) > 0)
ORDER BY p.person, n.name LIMIT 50

-- name: names_of
-- The names each went by; the one they were last seen with comes last.
SELECT n.person, n.name, n.first_at, n.last_at FROM names n WHERE n.space = :space AND n.person IN (SELECT value FROM json_each(:people))
ORDER BY n.person, n.last_at, n.name

-- name: heard
-- Of these channels: what was declared, how many named people each has, how many of those in `here` it lacks, how many of its own don't share.
SELECT c.channel, c.privacy,
    (SELECT count(*) FROM speakers s WHERE s.space = :space AND s.channel = c.channel AND s.person <> '') AS people,
    (SELECT count(*) FROM speakers h WHERE h.space = :space AND h.channel = :here AND (h.person = '' OR NOT EXISTS (
        SELECT 1 FROM speakers s WHERE s.space = :space AND s.channel = c.channel AND s.person = h.person)))
        + CASE WHEN :asker = '' OR EXISTS (
            SELECT 1 FROM speakers s WHERE s.space = :space AND s.channel = c.channel AND s.person = :asker) THEN 0 ELSE 1 END AS lacks,
    (SELECT count(*) FROM speakers s LEFT JOIN people p ON p.space = s.space AND p.person = s.person
        WHERE s.space = :space AND s.channel = c.channel AND coalesce(p.shares, 0) = 0) AS unwilling
FROM channels c WHERE c.space = :space AND c.channel IN (SELECT value FROM json_each(:channels))

-- name: ids_in
-- CROSS JOIN: the ranges first, each a look into the key.
SELECT r.key AS number, m.id FROM json_each(:ranges) r CROSS JOIN messages m ON m.space = :space AND m.channel = json_extract(r.value, '$[0]')
    AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
ORDER BY r.key, m.seq

-- name: hold_channels
-- A writing transaction holds the whole database already.
SELECT channel FROM channels WHERE space = :space LIMIT 1

-- name: move_channel
-- And the feed is told, once for all that came together.
UPDATE channels SET last_seq = :last_seq WHERE space = :space AND channel = :channel;
INSERT INTO events (space, kind, action, id, channel, person, seq, until) VALUES (:space, 'message', 'added', :id, :channel, :person, :first_seq, :last_seq)

-- name: directory
-- Who was heard of last comes first. Each time of a person's last message is one look into the index.
SELECT p.person, p.blocked, p.shares, (
    SELECT max(m.at) FROM messages m WHERE m.space = p.space AND m.person = p.person
) AS last_at FROM people p
WHERE p.space = :space AND (CAST(:people AS TEXT) IS NULL OR p.person IN (SELECT value FROM json_each(:people)))
    AND (CAST(:named AS TEXT) IS NULL OR instr(lower(p.person), :lower) > 0 OR EXISTS (
        SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person AND (instr(lower(n.name), :lower) > 0 OR instr(n.name, :named) > 0)))
ORDER BY last_at DESC NULLS LAST, p.person LIMIT :limit OFFSET :skip

-- name: directory_total
SELECT count(*) AS people FROM people p
WHERE p.space = :space AND (CAST(:people AS TEXT) IS NULL OR p.person IN (SELECT value FROM json_each(:people)))
    AND (CAST(:named AS TEXT) IS NULL OR instr(lower(p.person), :lower) > 0 OR EXISTS (
        SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person AND (instr(lower(n.name), :lower) > 0 OR instr(n.name, :named) > 0)))

-- name: said_by_each
-- How many messages each of these people has said.
SELECT m.person, count(*) AS messages FROM messages m WHERE m.space = :space AND m.person IN (SELECT value FROM json_each(:people)) GROUP BY m.person
