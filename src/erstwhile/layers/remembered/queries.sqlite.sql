-- name: by_ids
SELECT * FROM told WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))
