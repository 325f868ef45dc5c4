-- name: add_message
INSERT INTO messages (space, channel, seq, id, role, person, name, text, at, key, model, meta, created_at)
VALUES (:space, :channel, :seq, :id, :role, :person, :name, :text, :at, :key, :model, :meta, :now)

-- name: by_keys
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel AND key IN (SELECT value FROM json_each(:keys))

-- name: by_ids
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: names_among
SELECT DISTINCT name FROM names WHERE space = :space AND lower(name) IN (SELECT value FROM json_each(:words))
