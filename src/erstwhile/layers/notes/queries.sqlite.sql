-- name: by_ids
SELECT * FROM notes WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: people_of_many
SELECT note, person FROM note_people WHERE space = :space AND note IN (SELECT value FROM json_each(:ids)) ORDER BY note, person

-- name: parts_of_many
SELECT topic, id FROM notes WHERE space = :space AND topic IN (SELECT value FROM json_each(:ids)) ORDER BY topic, from_at, id

-- name: hold_loose
-- Held until the commit: two runs never put a note into two topics. Not what was deleted meanwhile.
UPDATE notes SET topic = topic WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)) AND text <> ''
RETURNING id, topic, title, text

-- name: put_into
UPDATE notes SET topic = :topic WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: count_in
-- Not the topics they were put into, nor what a person deleted.
SELECT channel, count(*) AS notes FROM notes WHERE space = :space AND kind = 'note' AND channel IN (SELECT value FROM json_each(:channels)) AND text <> '' GROUP BY channel
