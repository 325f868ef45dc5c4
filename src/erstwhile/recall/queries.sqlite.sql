-- name: told
SELECT id, person, audience, text, writer, changed_at FROM told WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: told_messages
-- The messages in which it was asked to remember or to forget, of what is still there.
SELECT t.id, m.id AS source FROM told t
JOIN tellings l ON l.space = t.space AND l.person = t.person AND l.audience = t.audience
JOIN messages m ON m.space = l.space AND m.channel = l.channel AND m.seq = l.seq
WHERE t.space = :space AND t.id IN (SELECT value FROM json_each(:ids)) ORDER BY t.id, l.number

-- name: days
SELECT id, day, audience, person, text, writer, made_at FROM days WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: note_messages
-- What people said in a conversation.
SELECT n.id, m.id AS source FROM notes n
JOIN messages m ON m.space = n.space AND m.channel = n.channel AND m.seq BETWEEN n.first_seq AND n.last_seq AND m.role = 'user'
WHERE n.space = :space AND n.kind = 'note' AND n.id IN (SELECT value FROM json_each(:ids)) ORDER BY n.id, m.seq

-- name: topic_notes
SELECT topic AS id, id AS source FROM notes WHERE space = :space AND topic IN (SELECT value FROM json_each(:ids)) ORDER BY topic, from_at, id

-- name: profile_facts
SELECT id, person, text, said_by, channel, seq, writer, at, valid_to FROM profile_facts WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: profile_notes
-- The note it came from, then the others, of what is still there.
SELECT f.id, n.id AS source, 0 AS further, n.from_at FROM profile_facts f JOIN notes n ON n.space = f.space AND n.id = f.note
WHERE f.space = :space AND f.id IN (SELECT value FROM json_each(:ids))
UNION ALL
SELECT s.fact, n.id, 1, n.from_at FROM profile_sources s JOIN notes n ON n.space = s.space AND n.id = s.note
WHERE s.space = :space AND s.fact IN (SELECT value FROM json_each(:ids))
ORDER BY 1, 3, 4, 2

-- name: profile_messages
-- The message it leans on.
SELECT f.id, m.id AS source FROM profile_facts f JOIN messages m ON m.space = f.space AND m.channel = f.channel AND m.seq = f.seq
WHERE f.space = :space AND f.id IN (SELECT value FROM json_each(:ids))
