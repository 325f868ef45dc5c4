-- name: ids_in
-- CROSS JOIN: the ranges first, each a look into the key.
SELECT r.key AS number, m.id, m.role FROM json_each(:ranges) r CROSS JOIN messages m ON m.space = :space
    AND m.channel = json_extract(r.value, '$[0]')
    AND m.seq BETWEEN json_extract(r.value, '$[1]') AND json_extract(r.value, '$[2]')
ORDER BY r.key, m.seq

-- name: with_keys
-- CROSS JOIN: the keys first, each a look into the index.
SELECT m.channel, m.id, m.seq, m.role, m.person, m.name, m.text, m.at, m.key, m.model, m.meta
FROM json_each(:rows) r CROSS JOIN messages m ON m.space = :space
    AND m.channel = json_extract(r.value, '$.channel') AND m.key = json_extract(r.value, '$.key')
