-- name: version
-- across spaces: the structure's version, which is all the database's.
SELECT coalesce(max(version), 0) AS version FROM migrations

-- name: secret
-- across spaces: it is of the whole database, and only its servers know it.
SELECT secret FROM migrations ORDER BY version LIMIT 1
