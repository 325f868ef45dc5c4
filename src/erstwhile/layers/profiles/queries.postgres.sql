-- name: by_ids
SELECT * FROM profile_facts WHERE space = :space AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))

-- name: sources_of
SELECT fact, note FROM profile_sources WHERE space = :space AND fact IN (SELECT jsonb_array_elements_text(:ids::jsonb)) ORDER BY note

-- name: notes
-- Where each note lies, and what it is called.
SELECT id, channel, first_seq, last_seq, title, text, category AS day, from_at FROM memories WHERE space = :space AND deleted_at IS NULL AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))
