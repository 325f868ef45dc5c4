-- name: ids_in
-- A row per range, because a row per message costs far more. OFFSET 0: the ranges first, each a look
-- into the key.
SELECT r.number - 1 AS number, string_agg(m.id, ' ' ORDER BY m.seq) AS ids
    FROM jsonb_array_elements(:ranges::jsonb) WITH ORDINALITY AS r (value, number)
CROSS JOIN LATERAL (
    SELECT id, seq FROM messages
    WHERE space = :space AND channel = r.value->>0
        AND seq BETWEEN (r.value->>1)::bigint AND (r.value->>2)::bigint
        AND (:role::text IS NULL OR role = :role) OFFSET 0
) AS m
GROUP BY r.number

-- name: named_in
-- People whose name is somewhere in the text, whether as a word of its own is checked later; and those
-- who are blocked. LIMIT: so that it goes by the key of the space.
(
    SELECT p.person, coalesce(n.name, p.person) AS name, 0 AS blocked
    FROM people p LEFT JOIN names n ON n.space = p.space AND n.person = p.person
    WHERE p.space = :space AND (
        instr(:lower, lower(p.person)) > 0 OR instr(:lower, lower(n.name)) > 0
            OR instr(:text, n.name) > 0
        OR instr(:lower, lower(substr(n.name, 1, instr(n.name || ' ', ' ') - 1))) > 0)
    ORDER BY p.person, n.name LIMIT 50
)
UNION ALL SELECT person, person, 1 FROM people WHERE space = :space AND blocked = 1

-- name: with_keys
-- OFFSET 0: the keys first, each a look into the index.
SELECT m.* FROM json_to_recordset(:rows::json) AS r (channel TEXT, key TEXT)
CROSS JOIN LATERAL (
    SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
    WHERE space = :space AND channel = r.channel AND key = r.key OFFSET 0
) AS m

-- name: checked
SELECT channel, seq, id, role, person, name, text, at, key, model, meta, checksum
FROM messages WHERE space = :space AND (channel, seq) > (:channel, :seq)
ORDER BY channel, seq LIMIT :limit

-- name: renumber
-- It is another document now.
UPDATE messages SET doc = r.doc, traits = r.traits, stamp = pg_current_xact_id()::text::bigint
FROM (:rows...) AS r (id TEXT, doc BIGINT, traits INTEGER)
WHERE messages.space = :space AND messages.id = r.id
