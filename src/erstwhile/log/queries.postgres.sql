-- name: ids_in
-- OFFSET 0: the ranges first, each a look into the key.
SELECT r.number - 1 AS number, m.id, m.role
    FROM jsonb_array_elements(:ranges::jsonb) WITH ORDINALITY AS r (value, number)
CROSS JOIN LATERAL (
    SELECT id, seq, role FROM messages
    WHERE space = :space AND channel = r.value->>0
        AND seq BETWEEN (r.value->>1)::bigint AND (r.value->>2)::bigint OFFSET 0
) AS m
ORDER BY r.number, m.seq

-- name: with_keys
-- OFFSET 0: the keys first, each a look into the index.
SELECT m.* FROM json_to_recordset(:rows::json) AS r (channel TEXT, key TEXT)
CROSS JOIN LATERAL (
    SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
    WHERE space = :space AND channel = r.channel AND key = r.key OFFSET 0
) AS m
