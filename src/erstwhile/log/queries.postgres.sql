-- name: add_message
INSERT INTO messages (space, channel, seq, id, role, person, name, text, at, key, model, meta, created_at)
SELECT :space, r.channel, r.seq, r.id, r.role, r.person, r.name, r.text, r.at, r.key, r.model, r.meta, r.now
FROM json_to_recordset(:rows::json) AS r (
    channel TEXT, seq BIGINT, id TEXT, role TEXT, person TEXT, name TEXT, text TEXT, at BIGINT, key TEXT, model TEXT, meta TEXT, now BIGINT
)

-- name: by_keys
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel AND key IN (SELECT jsonb_array_elements_text(:keys::jsonb))

-- name: by_ids
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))

-- name: names_among
SELECT DISTINCT name FROM names WHERE space = :space AND lower(name) IN (SELECT jsonb_array_elements_text(:words::jsonb))
