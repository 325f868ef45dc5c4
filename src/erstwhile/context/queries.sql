-- name: latest_notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes
WHERE space = :space AND kind = 'note' AND expired = 0 ORDER BY day DESC, to_at DESC, id LIMIT :limit

-- name: known
-- What holds of these people: facts of their profiles, each with the note it came from.
SELECT 'profile' AS kind, f.id, f.person, f.section, f.text, f.said_by, f.channel, f.seq, f.flag, f.at, f.note,
    n.title, n.day, n.channel AS noted_in, n.first_seq, n.last_seq
FROM profile_facts f LEFT JOIN notes n ON n.space = f.space AND n.id = f.note
WHERE f.space = :space AND f.person IN (:people...) AND f.valid_to IS NULL

-- name: notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes
WHERE space = :space AND expired = 0 AND id IN (:ids...)

-- name: note_people
SELECT note, person FROM note_people WHERE space = :space AND note IN (:ids...) ORDER BY note, person
