-- name: ids_in
-- A row per range, because a row per message costs far more. CROSS JOIN: the ranges first, each a
-- look into the key.
SELECT r.key AS number, group_concat(m.id, ' ' ORDER BY m.seq) AS ids
FROM json_each(:ranges) r CROSS JOIN messages m ON m.space = :space
    AND m.channel = json_extract(r.value, '$[0]')
    AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
    AND (:role IS NULL OR m.role = :role)
GROUP BY r.key

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
