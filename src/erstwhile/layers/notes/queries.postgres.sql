-- name: by_ids
SELECT * FROM notes WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))

-- name: people_of_many
SELECT note, person FROM note_people WHERE space = :space AND note = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))
ORDER BY note, person

-- name: parts_of_many
SELECT topic, id FROM notes WHERE space = :space AND topic = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))
ORDER BY topic, from_at, id

-- name: hold_loose
-- Held until the commit, in one order for everybody: two runs never put a note into two topics. Not what was deleted meanwhile.
SELECT id, topic, title, text FROM notes WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb))) AND text <> ''
ORDER BY id FOR UPDATE

-- name: put_into
UPDATE notes SET topic = :topic WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))

-- name: count_in
-- Not the topics they were put into, nor what a person deleted.
SELECT channel, count(*) AS notes FROM notes WHERE space = :space AND kind = 'note' AND channel = ANY (ARRAY(SELECT jsonb_array_elements_text(:channels::jsonb))) AND text <> '' GROUP BY channel
