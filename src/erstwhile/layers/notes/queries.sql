-- name: hold_open
-- Held until the commit: a flush that would close one waits.
SELECT channel, first_seq, last_seq, messages, started_at, updated_at, closed FROM buffers
WHERE space = :space AND channel IN (:channels...) AND closed = 0 ORDER BY channel FOR UPDATE

-- name: put_buffers
-- In order: one is closed before the next is opened.
INSERT INTO buffers (space, channel, first_seq, last_seq, messages, started_at, updated_at, closed)
SELECT :space, r.channel, r.first_seq, r.last_seq, r.messages, r.started_at, r.updated_at, r.closed
FROM (:rows...) AS r (channel TEXT, first_seq BIGINT, last_seq BIGINT, messages INTEGER,
    started_at BIGINT, updated_at BIGINT, closed INTEGER)
WHERE true ORDER BY r.channel, r.first_seq
ON CONFLICT (space, channel, first_seq) DO UPDATE SET
    last_seq = excluded.last_seq, messages = excluded.messages, updated_at = excluded.updated_at,
        closed = excluded.closed

-- name: close_due
-- Closes a buffer whose time has come; from then on no message goes into it. No row when it has
-- grown meanwhile.
UPDATE buffers SET closed = 1 WHERE space = :space AND channel = :channel AND first_seq = :first
    AND (closed = 1 OR updated_at <= :quiet_since OR started_at <= :begun_before
        OR messages >= :most)
RETURNING channel, first_seq, last_seq, messages, started_at, updated_at, closed

-- name: buffer_at
SELECT channel, first_seq, last_seq, messages, started_at, updated_at, closed FROM buffers
WHERE space = :space AND channel = :channel AND first_seq = :first

-- name: latest_buffers
SELECT * FROM buffers WHERE space = :space
    AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)
ORDER BY updated_at DESC, channel, first_seq LIMIT :limit

-- name: buffers
SELECT channel, first_seq, last_seq, messages, started_at, updated_at, closed FROM buffers
WHERE space = :space AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)
    ORDER BY channel, first_seq

-- name: ended_before
-- Of conversations that begin with these messages, those that ended before one.
SELECT first_seq FROM buffers WHERE space = :space AND channel = :channel AND closed = 1
    AND last_seq < :before AND first_seq IN (:firsts::bigint...)
UNION SELECT first_seq FROM memories WHERE space = :space AND channel = :channel AND kind = 'note'
    AND last_seq < :before AND first_seq IN (:firsts::bigint...)

-- name: drop_buffer
DELETE FROM buffers WHERE space = :space AND channel = :channel AND first_seq = :first

-- name: without_timer
-- across spaces: buffers that were found on start and that no job will see to.
SELECT b.space, b.channel, b.first_seq FROM buffers b
    WHERE (CAST(:only AS TEXT) IS NULL OR b.space = :only) AND NOT EXISTS (
    SELECT 1 FROM jobs j WHERE j.space = b.space AND j.kind = :kind
        AND j.key = b.channel || ':' || b.first_seq AND j.state <> 'done'
) ORDER BY b.space, b.channel, b.first_seq

-- name: still_to_note
-- Of conversations whose job is due, one of these days.
SELECT 1 AS one FROM (:rows...) AS r (channel TEXT, first_seq BIGINT)
JOIN buffers b ON b.space = :space AND b.channel = r.channel AND b.first_seq = r.first_seq
WHERE b.updated_at < :before LIMIT 1

-- name: add_person
INSERT INTO note_people (space, id, person) VALUES (:space, :id, :person)
    ON CONFLICT (space, id, person) DO NOTHING

-- name: people_of
SELECT id, person FROM note_people WHERE space = :space AND id IN (:ids...) ORDER BY id, person

-- name: listed
-- A topic of one note says the same once more: unless topics are asked for, or the note has
-- expired, it is left out.
SELECT n.id FROM memories n WHERE n.space = :space AND n.kind IN ('note', 'topic') AND n.text <> ''
    AND n.deleted_at IS NULL
    AND (CAST(:kind AS TEXT) IS NULL OR n.kind = :kind)
        AND (CAST(:channel AS TEXT) IS NULL OR n.channel = :channel)
    AND (CAST(:day AS TEXT) IS NULL OR n.category = :day)
    AND (CAST(:person AS TEXT) IS NULL OR EXISTS (
        SELECT 1 FROM note_people p WHERE p.space = n.space AND p.id = n.id AND p.person = :person))
    AND (CAST(:kind AS TEXT) IS NOT NULL OR n.kind = 'note' OR n.edited_at IS NOT NULL OR 1 <> (
        SELECT count(*) + count(CASE WHEN m.text = '' THEN 1 END) FROM memory_sources s
        JOIN memories m ON m.space = s.space AND m.id = s.source AND m.deleted_at IS NULL
        WHERE s.space = n.space AND s.id = n.id))
    AND (CAST(:at AS BIGINT) IS NULL OR n.at < :at OR (n.at = :at AND n.id > :id))
ORDER BY n.at DESC, n.id LIMIT :limit

-- name: days
-- Of each day of a calendar, how many; topics of one note too, as where topics are asked for.
SELECT n.category AS day, CAST(sum(CASE WHEN n.kind = 'note' THEN 1 ELSE 0 END) AS BIGINT) AS notes,
    CAST(sum(CASE WHEN n.kind = 'topic' THEN 1 ELSE 0 END) AS BIGINT) AS topics
FROM memories n WHERE n.space = :space AND n.kind IN ('note', 'topic') AND n.category >= :since
    AND n.category <= :until
    AND n.text <> '' AND n.deleted_at IS NULL
    AND (CAST(:channel AS TEXT) IS NULL OR n.channel = :channel)
    AND (CAST(:person AS TEXT) IS NULL OR EXISTS (
        SELECT 1 FROM note_people p WHERE p.space = n.space AND p.id = n.id AND p.person = :person))
GROUP BY n.category ORDER BY n.category

-- name: record_night
INSERT INTO nights (space, day, notes, topics, people, at)
    VALUES (:space, :day, :notes, :topics, :people, :at)
ON CONFLICT (space, day) DO UPDATE SET notes = nights.notes + excluded.notes,
    topics = nights.topics + excluded.topics,
    people = nights.people + excluded.people, at = CASE WHEN excluded.at > nights.at
        THEN excluded.at ELSE nights.at END

-- name: night
SELECT at FROM nights WHERE space = :space AND day = :day

-- name: last_night
SELECT max(at) AS at FROM nights WHERE space = :space

-- name: active_since
-- Who took part in notes that were written after a moment.
SELECT DISTINCT p.person FROM memories n JOIN note_people p ON p.space = n.space AND p.id = n.id
WHERE n.space = :space AND n.kind = 'note' AND n.created_at > :since AND n.category <= :day
    ORDER BY p.person

-- name: missed
-- Whether there are notes and no night was for a day, or ever.
SELECT s.space FROM spaces s WHERE s.space = :space
    AND EXISTS (SELECT 1 FROM memories n WHERE n.space = s.space AND n.kind = 'note')
    AND NOT EXISTS (SELECT 1 FROM nights g WHERE g.space = s.space AND g.at >= :since)

-- Making everything again

-- name: empty_people
DELETE FROM note_people WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM memories n WHERE n.space = note_people.space AND n.id = note_people.id)

-- name: empty_buffers
DELETE FROM buffers WHERE space = :space

-- name: empty_nights
DELETE FROM nights WHERE space = :space

-- Erasing

-- name: buffers_touched
-- Buffers of which messages go, and how many are left in each.
SELECT b.channel, b.first_seq, (
    SELECT count(*) FROM messages m WHERE m.space = b.space AND m.channel = b.channel
        AND m.role = 'user'
        AND m.seq BETWEEN b.first_seq AND b.last_seq
            AND NOT EXISTS (SELECT 1 FROM erasing g WHERE g.space = m.space AND g.id = m.id)
) AS messages FROM buffers b
WHERE b.space = :space AND EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = b.space AND e.channel = b.channel
        AND e.seq BETWEEN b.first_seq AND b.last_seq)
ORDER BY b.channel, b.first_seq

-- name: shrink_buffer
UPDATE buffers SET messages = :messages WHERE space = :space AND channel = :channel
    AND first_seq = :first

-- name: list_notes
-- Those in which the person took part; the others are listed by their messages.
INSERT INTO erasing (space, id)
SELECT n.space, n.id FROM memories n JOIN note_people p ON p.space = n.space AND p.id = n.id
WHERE n.space = :space AND n.kind = 'note' AND p.person = :person
ON CONFLICT (space, id) DO NOTHING

-- name: list_topics
INSERT INTO erasing (space, id)
SELECT t.space, t.id FROM memories t WHERE t.space = :space AND t.kind = 'topic'
    AND (t.edited_by = :person
    OR EXISTS (SELECT 1 FROM note_people p WHERE p.space = t.space AND p.id = t.id
        AND p.person = :person)
    OR EXISTS (SELECT 1 FROM memory_sources s JOIN erasing e ON e.space = s.space
        AND e.id = s.source
        JOIN memories n ON n.space = s.space AND n.id = s.source
            AND (n.deleted_at IS NULL OR t.deleted_at IS NOT NULL)
        WHERE s.space = t.space AND s.id = t.id)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = t.space AND e.channel = t.channel
        AND e.seq IS NULL))
ON CONFLICT (space, id) DO NOTHING

-- name: of_day
-- The notes of a day that a person took part in.
SELECT n.id FROM memories n JOIN note_people p ON p.space = n.space AND p.id = n.id
WHERE n.space = :space AND n.kind = 'note' AND n.category = :day AND n.text <> '' AND n.deleted_at IS NULL
    AND p.person = :person
ORDER BY n.from_at, n.id LIMIT :limit

-- name: list_erased
-- Notes that the person edited or took part in, and those of messages or a channel that are listed.
INSERT INTO erasing (space, id)
SELECT n.space, n.id FROM memories n WHERE n.space = :space AND n.kind = 'note' AND (n.edited_by = :person
    OR EXISTS (SELECT 1 FROM note_people p WHERE p.space = n.space AND p.id = n.id AND p.person = :person)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = n.space AND e.channel = n.channel
        AND (e.seq IS NULL OR e.seq BETWEEN n.first_seq AND n.last_seq)))
ON CONFLICT (space, id) DO NOTHING

-- name: people_to_erase
SELECT DISTINCT p.person FROM note_people p JOIN memories n ON n.space = p.space AND n.id = p.id
JOIN erasing e ON e.space = n.space AND e.channel = n.channel AND e.seq BETWEEN n.first_seq AND n.last_seq
WHERE p.space = :space AND n.kind = 'note'
