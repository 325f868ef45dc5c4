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
