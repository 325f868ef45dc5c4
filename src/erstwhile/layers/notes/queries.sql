-- name: extend
-- One message in one round trip: it opens a buffer or goes into the open one, if it still fits (`buffer.fits` says the same); else no row.
INSERT INTO buffers (space, channel, first_seq, last_seq, messages, started_at, updated_at, closed)
VALUES (:space, :channel, :seq, :seq, 1, :at, :at, 0)
ON CONFLICT (space, channel) WHERE closed = 0 DO UPDATE SET
    last_seq = excluded.last_seq, messages = buffers.messages + 1,
    updated_at = CASE WHEN excluded.updated_at > buffers.updated_at THEN excluded.updated_at ELSE buffers.updated_at END
WHERE excluded.updated_at - buffers.updated_at < :quiet AND excluded.updated_at - buffers.started_at < :limit
    AND buffers.started_at - excluded.updated_at < :quiet AND buffers.messages < :most
RETURNING channel, first_seq, last_seq, messages, started_at, updated_at, closed

-- name: hold_open
-- Held until the commit: a flush that would close it waits.
UPDATE buffers SET closed = closed WHERE space = :space AND channel = :channel AND closed = 0
RETURNING channel, first_seq, last_seq, messages, started_at, updated_at, closed

-- name: put_buffer
INSERT INTO buffers (space, channel, first_seq, last_seq, messages, started_at, updated_at, closed)
VALUES (:space, :channel, :first_seq, :last_seq, :messages, :started_at, :updated_at, :closed)
ON CONFLICT (space, channel, first_seq) DO UPDATE SET
    last_seq = excluded.last_seq, messages = excluded.messages, updated_at = excluded.updated_at, closed = excluded.closed

-- name: close_due
-- Closes a buffer whose time has come; from then on no message goes into it. No row when it has grown meanwhile.
UPDATE buffers SET closed = 1 WHERE space = :space AND channel = :channel AND first_seq = :first
    AND (closed = 1 OR updated_at <= :quiet_since OR started_at <= :begun_before OR messages >= :most)
RETURNING channel, first_seq, last_seq, messages, started_at, updated_at, closed

-- name: buffer_at
SELECT channel, first_seq, last_seq, messages, started_at, updated_at, closed FROM buffers
WHERE space = :space AND channel = :channel AND first_seq = :first

-- name: open_buffer
SELECT channel, first_seq, last_seq, messages, started_at, updated_at, closed FROM buffers
WHERE space = :space AND channel = :channel AND closed = 0

-- name: latest_buffers
SELECT * FROM buffers WHERE space = :space AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)
ORDER BY updated_at DESC, channel, first_seq LIMIT :limit

-- name: buffers
SELECT channel, first_seq, last_seq, messages, started_at, updated_at, closed FROM buffers
WHERE space = :space AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel) ORDER BY channel, first_seq

-- name: drop_buffer
DELETE FROM buffers WHERE space = :space AND channel = :channel AND first_seq = :first

-- name: without_timer
-- across spaces: buffers that were found on start and that no job will see to.
SELECT b.space, b.channel, b.first_seq FROM buffers b WHERE (CAST(:only AS TEXT) IS NULL OR b.space = :only) AND NOT EXISTS (
    SELECT 1 FROM jobs j WHERE j.space = b.space AND j.kind = :kind AND j.key = b.channel || ':' || b.first_seq AND j.state <> 'done'
) ORDER BY b.space, b.channel, b.first_seq

-- name: still_to_note
-- A conversation of these days whose note is being written, or due.
SELECT 1 AS one FROM buffers b JOIN jobs j ON j.space = b.space AND j.kind = :kind AND j.key = b.channel || ':' || b.first_seq
WHERE b.space = :space AND b.updated_at < :before AND j.state IN ('waiting', 'running') AND j.due_at <= :now LIMIT 1

-- name: still_to_replace
-- A draft of these days that is being written anew, or due.
SELECT 1 AS one FROM notes n JOIN jobs j ON j.space = n.space AND j.kind = :kind AND j.key = n.channel || ':' || n.first_seq
WHERE n.space = :space AND n.draft = 1 AND n.kind = 'note' AND n.day <= :day AND j.state IN ('waiting', 'running') AND j.due_at <= :now LIMIT 1

-- name: put
-- The first writing stands; only a draft is replaced, by what a model wrote.
INSERT INTO notes (space, id, kind, channel, first_seq, last_seq, day, title, text, from_at, to_at, writer, draft, created_at)
VALUES (:space, :id, :kind, :channel, :first_seq, :last_seq, :day, :title, :text, :from_at, :to_at, :writer, :draft, :now)
ON CONFLICT (space, id) DO UPDATE SET title = excluded.title, text = excluded.text, writer = excluded.writer, draft = excluded.draft
WHERE notes.draft = 1 AND excluded.draft = 0 AND notes.edited_at IS NULL AND notes.expired = 0

-- name: drop_people
DELETE FROM note_people WHERE space = :space AND note = :note

-- name: add_person
INSERT INTO note_people (space, note, person) VALUES (:space, :note, :person) ON CONFLICT (space, note, person) DO NOTHING

-- name: people_of
SELECT person FROM note_people WHERE space = :space AND note = :note ORDER BY person

-- name: at_range
SELECT id FROM notes WHERE space = :space AND kind = 'note' AND channel = :channel AND first_seq = :first

-- name: ranges
SELECT first_seq, last_seq FROM notes WHERE space = :space AND kind = 'note' AND channel = :channel ORDER BY first_seq

-- name: listed
-- A topic of one note says the same once more: unless topics are asked for, or the note has expired, it is left out.
SELECT n.id FROM notes n WHERE n.space = :space AND n.text <> '' AND n.expired = 0
    AND (CAST(:kind AS TEXT) IS NULL OR n.kind = :kind) AND (CAST(:channel AS TEXT) IS NULL OR n.channel = :channel)
    AND (CAST(:day AS TEXT) IS NULL OR n.day = :day)
    AND (CAST(:person AS TEXT) IS NULL OR EXISTS (
        SELECT 1 FROM note_people p WHERE p.space = n.space AND p.note = n.id AND p.person = :person))
    AND (CAST(:kind AS TEXT) IS NOT NULL OR n.kind = 'note' OR n.edited_at IS NOT NULL OR 1 <> (
        SELECT count(*) + coalesce(sum(m.expired), 0) FROM notes m WHERE m.space = n.space AND m.topic = n.id))
    AND (CAST(:at AS BIGINT) IS NULL OR n.to_at < :at OR (n.to_at = :at AND n.id > :id))
ORDER BY n.to_at DESC, n.id LIMIT :limit

-- name: days
-- Of each day of a calendar, how many; topics of one note too, as where topics are asked for.
SELECT n.day, CAST(sum(CASE WHEN n.kind = 'note' THEN 1 ELSE 0 END) AS BIGINT) AS notes,
    CAST(sum(CASE WHEN n.kind = 'topic' THEN 1 ELSE 0 END) AS BIGINT) AS topics
FROM notes n WHERE n.space = :space AND n.day >= :since AND n.day <= :until AND n.text <> '' AND n.expired = 0
    AND (CAST(:channel AS TEXT) IS NULL OR n.channel = :channel)
    AND (CAST(:person AS TEXT) IS NULL OR EXISTS (
        SELECT 1 FROM note_people p WHERE p.space = n.space AND p.note = n.id AND p.person = :person))
GROUP BY n.day ORDER BY n.day

-- name: edit
UPDATE notes SET text = :text, draft = 0, edited_at = :now, edited_by = :by WHERE space = :space AND id = :id AND text <> ''

-- name: clear
-- What was deleted leaves its place, so that its messages are not noted again.
UPDATE notes SET title = '', text = '', topic = NULL, draft = 0, edited_at = :now, edited_by = :by WHERE space = :space AND id = :id AND text <> ''

-- name: drafts
SELECT kind, channel, first_seq, day FROM notes WHERE space = :space AND draft = 1 AND expired = 0 AND edited_at IS NULL
ORDER BY kind, channel, first_seq

-- name: found
-- What a search finds: not topics of one note, which say the same once more, unless a person wrote them or the note has expired.
SELECT n.id FROM notes n WHERE n.space = :space AND n.text <> '' AND n.expired = 0
    AND (n.kind = 'note' OR n.edited_at IS NOT NULL OR 1 <> (
        SELECT count(*) + coalesce(sum(m.expired), 0) FROM notes m WHERE m.space = n.space AND m.topic = n.id))
ORDER BY n.id

-- name: loose
-- Notes that are in no topic yet; with `redo`, also those in a draft of one.
SELECT n.id, n.channel, n.day, n.topic FROM notes n
WHERE n.space = :space AND n.kind = 'note' AND n.expired = 0 AND n.text <> '' AND n.day <= :day AND (n.topic IS NULL OR (
    CAST(:redo AS INTEGER) = 1 AND EXISTS (
        SELECT 1 FROM notes t WHERE t.space = n.space AND t.id = n.topic AND t.draft = 1 AND t.edited_at IS NULL AND t.expired = 0)))
ORDER BY n.day, n.to_at, n.id

-- name: let_go
UPDATE notes SET topic = NULL WHERE space = :space AND topic = :topic

-- name: topics_with
-- Topics that everyone may hear, with notes of a channel in them. One whose words have gone has nothing to tell.
SELECT DISTINCT t.id, t.day FROM notes n JOIN notes t ON t.space = n.space AND t.id = n.topic
WHERE n.space = :space AND n.kind = 'note' AND n.channel = :channel AND t.channel = '' AND t.text <> '' ORDER BY t.id

-- name: withdraw_topic
DELETE FROM notes WHERE space = :space AND id = :id AND kind = 'topic'

-- name: topic_by_a_writer
-- What a note was put into, unless a person has had a hand in it or its words have expired.
SELECT t.id FROM notes n JOIN notes t ON t.space = n.space AND t.id = n.topic
WHERE n.space = :space AND n.id = :note AND t.edited_at IS NULL AND t.expired = 0

-- name: drop_topic
DELETE FROM notes WHERE space = :space AND id = :id AND kind = 'topic' AND edited_at IS NULL

-- name: record_night
INSERT INTO nights (space, day, notes, topics, people, at) VALUES (:space, :day, :notes, :topics, :people, :at)
ON CONFLICT (space, day) DO UPDATE SET notes = nights.notes + excluded.notes, topics = nights.topics + excluded.topics,
    people = nights.people + excluded.people, at = CASE WHEN excluded.at > nights.at THEN excluded.at ELSE nights.at END

-- name: night
SELECT at FROM nights WHERE space = :space AND day = :day

-- name: last_night
SELECT max(at) AS at FROM nights WHERE space = :space

-- name: active_since
-- Who took part in notes that were written after a moment.
SELECT DISTINCT p.person FROM notes n JOIN note_people p ON p.space = n.space AND p.note = n.id
WHERE n.space = :space AND n.kind = 'note' AND n.created_at > :since AND n.day <= :day ORDER BY p.person

-- name: missed
-- across spaces: where there are notes and no night was for a day, or ever.
SELECT s.space FROM spaces s WHERE (CAST(:only AS TEXT) IS NULL OR s.space = :only)
    AND EXISTS (SELECT 1 FROM notes n WHERE n.space = s.space AND n.kind = 'note')
    AND NOT EXISTS (SELECT 1 FROM nights g WHERE g.space = s.space AND g.at >= :since)
ORDER BY s.space

-- name: empty_people
DELETE FROM note_people WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM notes n WHERE n.space = note_people.space AND n.id = note_people.note)

-- name: empty
-- What people wrote stays, the places of what they deleted, and what can't be made again because its messages have expired.
DELETE FROM notes WHERE space = :space AND edited_at IS NULL AND expired = 0 AND (kind = 'topic' OR EXISTS (
    SELECT 1 FROM messages m WHERE m.space = notes.space AND m.channel = notes.channel AND m.seq = notes.first_seq))

-- name: orphan
UPDATE notes SET topic = NULL WHERE space = :space AND topic IS NOT NULL

-- name: empty_buffers
DELETE FROM buffers WHERE space = :space

-- name: empty_nights
DELETE FROM nights WHERE space = :space

-- name: put_back
-- Into its place, which is empty.
UPDATE notes SET title = :title, text = :text, topic = :topic, writer = :writer, draft = :draft, edited_at = :edited_at, edited_by = :edited_by
WHERE space = :space AND id = :id AND text = '' AND expired = 0

-- name: put_back_topic
INSERT INTO notes (space, id, kind, channel, first_seq, last_seq, day, title, text, from_at, to_at, topic, expired, writer, draft, created_at,
    edited_at, edited_by)
VALUES (:space, :id, :kind, :channel, :first_seq, :last_seq, :day, :title, :text, :from_at, :to_at, :topic, :expired, :writer, :draft, :created_at,
    :edited_at, :edited_by)

-- For profiles, which rest on notes

-- name: of_day
-- The notes of a day that a person took part in.
SELECT n.id FROM notes n JOIN note_people p ON p.space = n.space AND p.note = n.id
WHERE n.space = :space AND n.kind = 'note' AND n.day = :day AND n.expired = 0 AND n.text <> '' AND p.person = :person
ORDER BY n.from_at, n.id LIMIT :limit

-- name: in_channel
SELECT id FROM notes WHERE space = :space AND kind = 'note' AND channel = :channel

-- name: list_erased
-- Notes that the person edited or took part in, and those of messages or a channel that are listed.
INSERT INTO erasing (space, id)
SELECT n.space, n.id FROM notes n WHERE n.space = :space AND n.kind = 'note' AND (n.edited_by = :person
    OR EXISTS (SELECT 1 FROM note_people p WHERE p.space = n.space AND p.note = n.id AND p.person = :person)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = n.space AND e.channel = n.channel AND e.seq BETWEEN n.first_seq AND n.last_seq)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = n.space AND e.channel = n.channel AND e.seq IS NULL))
ON CONFLICT (space, id) DO NOTHING

-- name: listed_to_erase
SELECT n.id FROM notes n JOIN erasing e ON e.space = n.space AND e.id = n.id WHERE n.space = :space

-- name: rewritable
SELECT id FROM notes WHERE space = :space AND kind = 'note' AND expired = 0 AND text <> '' AND edited_at IS NULL AND id IN (:ids...)

-- name: people_to_erase
SELECT DISTINCT p.person FROM note_people p JOIN notes n ON n.space = p.space AND n.id = p.note
JOIN erasing e ON e.space = n.space AND e.channel = n.channel AND e.seq BETWEEN n.first_seq AND n.last_seq
WHERE p.space = :space AND n.kind = 'note'
