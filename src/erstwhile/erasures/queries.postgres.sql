-- name: buried
SELECT hash FROM tombstones WHERE space = :space AND hash = ANY (ARRAY(SELECT jsonb_array_elements_text(:keys::jsonb)))
