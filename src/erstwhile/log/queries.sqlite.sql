-- name: add_message
INSERT INTO messages (space, channel, seq, id, role, person, name, text, at, key, model, meta, created_at)
VALUES (:space, :channel, :seq, :id, :role, :person, :name, :text, :at, :key, :model, :meta, :now)

-- name: by_keys
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
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

-- name: ids_in
-- CROSS JOIN: the ranges first, each a look into the key.
SELECT r.key AS number, m.id FROM json_each(:ranges) r CROSS JOIN messages m ON m.space = :space AND m.channel = json_extract(r.value, '$[0]')
    AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
ORDER BY r.key, m.seq
