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

-- name: ended_of
-- What no longer holds of what some people said, or of what was said about them.
SELECT m.* FROM memories m JOIN memories l ON l.space = m.space AND l.id = m.superseded_by
WHERE m.space = :space AND m.kind = 'structured'
    AND (m.person IN (:people...) OR m.said_by IN (:people...))
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
