-- name: schema
-- across spaces: the structure's version, which is all the database's.
SELECT coalesce(max(version), 0) AS version FROM migrations
