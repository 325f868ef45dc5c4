-- name: by_ids
SELECT * FROM days WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
