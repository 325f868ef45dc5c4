-- name: by_ids
SELECT * FROM facts WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
