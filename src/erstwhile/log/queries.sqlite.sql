-- name: ids_in
-- A row per range, because a row per message costs far more. A range is read in the order of the
-- key: grouping and sorting it took twice as long.
SELECT r.key AS number, (
    SELECT group_concat(id, ' ') FROM (
        SELECT m.id FROM messages m WHERE m.space = :space
            AND m.channel = json_extract(r.value, '$[0]')
            AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
            AND (:role IS NULL OR m.role = :role)
        ORDER BY m.seq) AS d
) AS ids FROM json_each(:ranges) r

-- name: named_in
-- People whose name is somewhere in the text, whether as a word of its own is checked later; and those
-- who are blocked.
SELECT p.person, coalesce(n.name, p.person) AS name, p.blocked
FROM people p LEFT JOIN names n ON n.space = p.space AND n.person = p.person
WHERE p.space = :space AND (p.blocked = 1
    OR instr(:lower, lower(p.person)) > 0 OR instr(:lower, lower(n.name)) > 0
        OR instr(:text, n.name) > 0
    OR instr(:lower, lower(substr(n.name, 1, instr(n.name || ' ', ' ') - 1))) > 0)
ORDER BY p.person, n.name

-- name: with_keys
-- CROSS JOIN: the keys first, each a look into the index.
SELECT m.channel, m.id, m.seq, m.role, m.person, m.name, m.text, m.at, m.key, m.model, m.meta
FROM json_each(:rows) r CROSS JOIN messages m ON m.space = :space
    AND m.channel = json_extract(r.value, '$.channel') AND m.key = json_extract(r.value, '$.key')

-- name: checked
-- Texts as bytes: a damaged one may be no text at all.
SELECT CAST(channel AS BLOB) AS channel, seq, CAST(id AS BLOB) AS id, CAST(role AS BLOB) AS role,
    CAST(person AS BLOB) AS person, CAST(name AS BLOB) AS name, CAST(text AS BLOB) AS text, at,
    CAST(key AS BLOB) AS key, CAST(model AS BLOB) AS model, CAST(meta AS BLOB) AS meta, checksum
FROM messages WHERE space = :space AND (channel, seq) > (CAST(:channel AS TEXT), :seq)
ORDER BY channel, seq LIMIT :limit

-- name: renumber
-- It is another document now.
UPDATE messages SET doc = :doc, traits = :traits WHERE space = :space AND id = :id
