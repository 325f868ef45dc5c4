-- name: hold_cursor
-- Makes the cursor if it is new and holds its row until the commit: cutting and grouping of one channel happen one at a time.
INSERT INTO chunk_cursors (space, channel, seq, number) VALUES (:space, :channel, 0, 0)
ON CONFLICT (space, channel) DO UPDATE SET seq = chunk_cursors.seq
RETURNING seq, number

-- name: move_cursor
UPDATE chunk_cursors SET seq = :seq, number = :number WHERE space = :space AND channel = :channel

-- name: put
-- The first writing stands. Only a draft or a stale summary is replaced, by a model's, and never one that a person edited.
INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id, text, writer, draft, stale, from_at, to_at, created_at)
VALUES (:space, :channel, :level, :first, :last, :number, :id, :text, :writer, :draft, 0, :from_at, :to_at, :now)
ON CONFLICT (space, channel, level, first_seq, last_seq) DO UPDATE SET
    text = excluded.text, writer = excluded.writer, draft = excluded.draft, stale = 0, created_at = excluded.created_at
WHERE (chunks.draft = 1 OR chunks.stale = 1) AND excluded.draft = 0 AND chunks.edited_at IS NULL

-- name: get
SELECT * FROM chunks WHERE space = :space AND id = :id

-- name: children
SELECT * FROM chunks WHERE space = :space AND parent = :parent ORDER BY number

-- name: free
-- Summaries of a level that no meta has taken yet, in order.
SELECT * FROM chunks WHERE space = :space AND channel = :channel AND level = :level AND parent IS NULL ORDER BY number LIMIT :limit

-- name: taken
-- The last number that has a parent, and how many parents there are: the next meta's number.
SELECT coalesce(max(number), -1) AS number, count(DISTINCT parent) AS parents FROM chunks
WHERE space = :space AND channel = :channel AND level = :level AND parent IS NOT NULL

-- name: adopt
UPDATE chunks SET parent = :parent WHERE space = :space AND channel = :channel AND level = :level AND number BETWEEN :from_number AND :to_number

-- name: mark_stale
UPDATE chunks SET stale = 1 WHERE space = :space AND id = :id AND draft = 0

-- name: standing
-- What a context shows: the summaries that no finished meta covers, oldest first.
SELECT * FROM chunks c WHERE space = :space AND channel = :channel
    AND NOT EXISTS (SELECT 1 FROM chunks m WHERE m.space = c.space AND m.id = c.parent)
ORDER BY first_seq

-- name: drafts
SELECT channel, level, number, first_seq, last_seq FROM chunks WHERE space = :space AND draft = 1 ORDER BY channel, level, first_seq

-- name: counts
SELECT level, count(*) AS summaries, coalesce(sum(draft), 0) AS drafts, coalesce(sum(stale), 0) AS stale
FROM chunks WHERE space = :space GROUP BY level ORDER BY level

-- name: empty
DELETE FROM chunks WHERE space = :space

-- name: empty_cursors
DELETE FROM chunk_cursors WHERE space = :space
