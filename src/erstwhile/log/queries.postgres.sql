-- name: by_keys
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel AND key IN (SELECT jsonb_array_elements_text(:keys::jsonb))

-- name: by_ids
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))

-- name: names_among
SELECT DISTINCT name FROM names WHERE space = :space AND lower(name) IN (SELECT jsonb_array_elements_text(:words::jsonb))
