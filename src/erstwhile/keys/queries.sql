-- name: insert_key
INSERT INTO keys (id, space, name, digest, read_only, created_at, expires_at)
VALUES (:id, :space, :name, :digest, :read_only, :now, :expires_at)

-- name: key_by_id
-- across spaces: it is the key that says which space its bearer may enter
SELECT * FROM keys WHERE id = :id

-- name: keys_of
SELECT * FROM keys WHERE space = :space ORDER BY created_at, id

-- name: all_keys
-- across spaces: for whoever runs the server
SELECT * FROM keys ORDER BY space, created_at, id

-- name: any_key
-- across spaces: one key, whosever it is and even a revoked one, closes the server to those without
SELECT 1 AS there FROM keys LIMIT 1

-- name: revoke_key
UPDATE keys SET revoked_at = coalesce(revoked_at, :now) WHERE space = :space AND id = :id

-- name: revoke_any_key
-- across spaces: for whoever runs the server
UPDATE keys SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id

-- name: key_was_used
-- across spaces: the key was found by its id; other processes see it used too, so it is written at most once a minute
UPDATE keys SET used_at = :now WHERE id = :id AND (used_at IS NULL OR used_at <= :before)

-- name: spend
-- What would go over is not added: no row comes back. One statement, so that servers side by side count right.
INSERT INTO allowances (space, day, tokens) SELECT :space, :day, CAST(:tokens AS BIGINT)
WHERE CAST(:tokens AS BIGINT) <= :most
ON CONFLICT (space, day) DO UPDATE SET tokens = allowances.tokens + excluded.tokens
WHERE allowances.tokens + excluded.tokens <= :most
RETURNING tokens

-- name: forget_spent
DELETE FROM allowances WHERE space = :space AND day < :day

-- name: begin_session
INSERT INTO sessions (digest, space, kind, key, person, created_at, expires_at)
VALUES (:digest, :space, :kind, :key, :person, :now, :expires_at)

-- name: session
-- across spaces: it is the session that says which space its bearer may enter
SELECT space, kind, key, person FROM sessions WHERE digest = :digest AND kind = :kind AND expires_at > :now

-- name: end_session
-- across spaces: found by its token
DELETE FROM sessions WHERE digest = :digest AND kind = :kind

-- name: end_sessions_over
-- across spaces: what is over is over in all of them
DELETE FROM sessions WHERE expires_at <= :now

-- Erasing

-- name: close_keys
-- They open nothing any longer and say nothing of whose they were; but a server that has had a key is not open to those without.
UPDATE keys SET name = '', digest = '', used_at = NULL, expires_at = NULL, revoked_at = coalesce(revoked_at, :now)
WHERE space = :space AND digest <> ''
