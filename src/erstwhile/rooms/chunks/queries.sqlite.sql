-- name: by_ids
SELECT * FROM chunks WHERE space = :space AND (text <> '' OR edited_at IS NULL) AND id IN (SELECT value FROM json_each(:ids))
