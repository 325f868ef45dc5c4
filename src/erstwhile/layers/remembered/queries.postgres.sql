-- name: by_ids
SELECT * FROM told WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))
