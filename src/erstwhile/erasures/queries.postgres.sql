-- name: buried
SELECT hash FROM tombstones WHERE space = :space AND hash = ANY (ARRAY(SELECT jsonb_array_elements_text(:keys::jsonb)))

-- name: bury
INSERT INTO tombstones (space, hash) SELECT :space, r.hash FROM json_to_recordset(:rows::json) AS r (hash TEXT)
ON CONFLICT (space, hash) DO NOTHING
