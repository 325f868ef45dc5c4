-- name: known
-- What holds of these people: facts of their profiles, each with the note it came from.
SELECT 'profile' AS kind, f.id, f.person, f.section, f.text, f.said_by, f.channel, f.seq, f.flag, f.at, f.note,
    n.title, n.category AS day, n.channel AS noted_in, n.first_seq, n.last_seq
FROM profile_facts f LEFT JOIN memories n ON n.space = f.space AND n.id = f.note
WHERE f.space = :space AND f.person IN (:people...) AND f.valid_to IS NULL
