-- name: by_ids
SELECT * FROM chunks WHERE space = :space AND (text <> '' OR edited_at IS NULL) AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))
