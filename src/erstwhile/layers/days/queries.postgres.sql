-- name: by_ids
SELECT * FROM days WHERE space = :space AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))
