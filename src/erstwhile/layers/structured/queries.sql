-- name: put_structuring
-- The first reading stays; a model's reading replaces a draft. Changes of its memories lock this
-- row.
INSERT INTO structurings (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft,
        created_at = excluded.created_at
WHERE structurings.draft = 1 AND excluded.draft = 0

-- name: replace_structuring
-- A reading that someone asked for.
INSERT INTO structurings (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft,
        created_at = excluded.created_at

-- name: hold_range
-- Locks the row until the commit, so that a reading and a person's edit take turns.
UPDATE structurings SET found = found WHERE space = :space AND channel = :channel
    AND first_seq = :first AND last_seq = :last

-- name: other_structurings
-- Of the same chunk, when it had fewer or more messages.
SELECT last_seq FROM structurings WHERE space = :space AND channel = :channel
    AND first_seq = :first AND last_seq <> :last

-- name: put_thread
INSERT INTO structured_threads (space, id, thread) VALUES (:space, :id, :thread)
    ON CONFLICT (space, id) DO UPDATE SET thread = excluded.thread

-- name: threads_of
SELECT DISTINCT thread FROM structured_threads WHERE space = :space AND id IN (:ids...)

-- name: erased_threads
SELECT DISTINCT t.thread FROM structured_threads t JOIN erasing e ON e.space = t.space
    AND e.id = t.id WHERE t.space = :space

-- name: all_threads
SELECT DISTINCT thread FROM structured_threads WHERE space = :space

-- name: drop_loose_threads
DELETE FROM structured_threads WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.space = structured_threads.space
        AND m.id = structured_threads.id)

-- name: of_thread
SELECT m.* FROM structured_threads t JOIN memories m ON m.space = t.space AND m.id = t.id
WHERE t.space = :space AND t.thread = :thread AND m.deleted_at IS NULL

-- name: run
-- A memory and its repetitions while it is valid.
SELECT * FROM memories WHERE space = :space AND (id = :head OR restates = :head)
    AND deleted_at IS NULL

-- name: sources_of
-- The messages of each memory and of its repetitions, in the order they were said.
SELECT coalesce(s.restates, s.id) AS id, s.id AS own, m.id AS message FROM memories s
JOIN messages m ON m.space = s.space AND m.channel = s.channel AND m.seq = s.seq
WHERE s.space = :space AND (s.id IN (:ids...) OR s.restates IN (:ids...)) AND s.deleted_at IS NULL
ORDER BY s.at, s.channel, s.seq

-- name: ended_in
-- What no longer holds of what the messages of some channels say.
SELECT m.* FROM memories m JOIN memories l ON l.space = m.space AND l.id = m.superseded_by
WHERE m.space = :space AND m.kind = 'structured' AND m.channel IN (:channels...)
    AND m.valid_to IS NOT NULL AND m.superseded_by IS NOT NULL AND m.deleted_at IS NULL
    AND l.deleted_at IS NULL

-- name: valid
-- Memories valid at a time, newest first, without repetitions. A statement that something ended is
-- never valid.
SELECT * FROM memories WHERE space = :space AND kind = 'structured' AND deleted_at IS NULL
    AND restates IS NULL
    AND (CAST(:person AS TEXT) IS NULL OR person = :person)
        AND (CAST(:type AS TEXT) IS NULL OR category = :type)
    AND valid_from <= :at AND (valid_to IS NULL OR valid_to > :at)
ORDER BY at DESC, channel, seq DESC, position LIMIT :limit

-- name: ever
-- Memories valid at any time; with `open`, those that nothing has ended.
SELECT * FROM memories WHERE space = :space AND kind = 'structured' AND deleted_at IS NULL
    AND restates IS NULL
    AND (CAST(:person AS TEXT) IS NULL OR person = :person)
        AND (CAST(:type AS TEXT) IS NULL OR category = :type)
    AND (CAST(:open AS INTEGER) = 0 OR valid_to IS NULL)
ORDER BY at DESC, channel, seq DESC, position LIMIT :limit

-- name: closed
-- Memories that another one replaced, in the order they ended. A todo that is done is no such
-- change.
SELECT * FROM memories WHERE space = :space AND kind = 'structured' AND deleted_at IS NULL
    AND superseded_by IS NOT NULL
    AND restates IS NULL AND valid_to > valid_from AND category <> 'todo'
        AND (CAST(:person AS TEXT) IS NULL OR person = :person)
ORDER BY valid_to, id

-- name: drafts
SELECT channel, first_seq, last_seq FROM structurings WHERE space = :space AND draft = 1
    ORDER BY channel, first_seq

-- name: counts
-- The number of chunks that were read, and of those with at least one memory.
SELECT count(*) AS chunks, coalesce(sum(CASE WHEN found > 0 THEN 1 ELSE 0 END), 0) AS nonempty,
    coalesce(sum(found), 0) AS found,
    coalesce(sum(draft), 0) AS drafts
FROM structurings WHERE space = :space

-- name: counts_by_day
-- The same for a period, by the day on which chunks were read.
SELECT (created_at - :since) / 86400000000 AS day, count(*) AS chunks,
    sum(CASE WHEN found > 0 THEN 1 ELSE 0 END) AS nonempty
FROM structurings WHERE space = :space AND created_at >= :since AND created_at <= :until GROUP BY 1

-- name: unread
-- Full chunks that were never read for structured memories and have messages.
SELECT c.channel, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space
    AND c.channel = :channel AND c.level = 0 AND NOT EXISTS (
    SELECT 1 FROM structurings s
    WHERE s.space = c.space AND s.channel = c.channel AND s.first_seq = c.first_seq
        AND s.last_seq = c.last_seq
) AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = c.space AND m.channel = c.channel
        AND m.seq BETWEEN c.first_seq AND c.last_seq
) ORDER BY c.first_seq

-- name: empty_structurings
DELETE FROM structurings WHERE space = :space AND (
    SELECT count(*) FROM messages m
    WHERE m.space = structurings.space AND m.channel = structurings.channel
        AND m.seq BETWEEN structurings.first_seq AND structurings.last_seq
) > structurings.last_seq - structurings.first_seq

-- name: read_by
SELECT writer FROM structurings WHERE space = :space AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: was_read
SELECT 1 AS one FROM erasing e JOIN structurings x ON x.space = e.space AND x.channel = e.channel
    AND x.first_seq <= e.seq AND x.last_seq >= e.seq
WHERE e.space = :space LIMIT 1

-- name: structurings_touched
-- Structurings with messages that are listed to be erased.
SELECT x.channel, x.first_seq, x.last_seq FROM structurings x WHERE x.space = :space AND (
    EXISTS (SELECT 1 FROM erasing e WHERE e.space = x.space AND e.channel = x.channel
        AND e.seq BETWEEN x.first_seq AND x.last_seq)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = x.space AND e.channel = x.channel
        AND e.seq IS NULL))
ORDER BY x.channel, x.first_seq

-- name: drop_structuring
DELETE FROM structurings WHERE space = :space AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: settle_structurings
-- A draft that can't be made again stays.
UPDATE structurings SET draft = 0 WHERE space = :space AND channel = :channel AND draft = 1
    AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m
    WHERE m.space = structurings.space AND m.channel = structurings.channel
        AND m.seq BETWEEN structurings.first_seq AND structurings.last_seq
) <= structurings.last_seq - structurings.first_seq
