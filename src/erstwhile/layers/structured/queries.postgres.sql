-- name: by_ids
SELECT * FROM structured WHERE space = :space AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))

-- name: sources_of
-- The messages of each memory and of those that restate it, the first said first.
SELECT coalesce(s.restates, s.id) AS id, s.id AS own, m.id AS message FROM structured s
JOIN messages m ON m.space = s.space AND m.channel = s.channel AND m.seq = s.seq
WHERE s.space = :space AND (s.id IN (SELECT jsonb_array_elements_text(:ids::jsonb)) OR s.restates IN (SELECT jsonb_array_elements_text(:ids::jsonb)))
ORDER BY s.at, s.channel, s.seq

-- name: hold_thread
-- Until the commit: whoever changes a memory of a thread then sees, and sets right, all the others of it.
SELECT pg_advisory_xact_lock(hashtextextended(CAST(:space AS TEXT), hashtextextended(CAST(:thread AS TEXT), 0))) IS NULL AS held
