-- name: latest_notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes
WHERE space = :space AND kind = 'note' AND expired = 0 ORDER BY day DESC, to_at DESC, id LIMIT :limit

-- name: notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes
WHERE space = :space AND expired = 0 AND id IN (:ids...)

-- name: note_people
SELECT note, person FROM note_people WHERE space = :space AND note IN (:ids...) ORDER BY note, person
