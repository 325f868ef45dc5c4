-- name: hold_cursor
-- Makes the cursor if it is new and holds its row until the commit: cutting and grouping of one channel happen one at a time.
INSERT INTO chunk_cursors (space, channel, seq, number) VALUES (:space, :channel, 0, 0)
ON CONFLICT (space, channel) DO UPDATE SET seq = chunk_cursors.seq
RETURNING seq, number

-- name: move_cursor
UPDATE chunk_cursors SET seq = :seq, number = :number WHERE space = :space AND channel = :channel

-- name: put
-- The first writing stands. Only a draft or a stale summary is replaced, by a model's, and never one that a person edited; one whose words
-- were erased, by any.
INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id, text, writer, draft, stale, from_at, to_at, created_at)
VALUES (:space, :channel, :level, :first, :last, :number, :id, :text, :writer, :draft, 0, :from_at, :to_at, :now)
ON CONFLICT (space, channel, level, first_seq, last_seq) DO UPDATE SET
    text = excluded.text, writer = excluded.writer, draft = excluded.draft, stale = 0, created_at = excluded.created_at
WHERE ((chunks.draft = 1 OR chunks.stale = 1) AND excluded.draft = 0 OR chunks.text = '') AND chunks.edited_at IS NULL

-- name: replace
-- A summary that someone asked for stands in place of any other; of what a person edited, only when that was asked for too.
INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id, text, writer, draft, stale, from_at, to_at, created_at)
VALUES (:space, :channel, :level, :first, :last, :number, :id, :text, :writer, :draft, 0, :from_at, :to_at, :now)
ON CONFLICT (space, channel, level, first_seq, last_seq) DO UPDATE SET
    text = excluded.text, writer = excluded.writer, draft = excluded.draft, stale = 0, created_at = excluded.created_at,
    edited_at = NULL, edited_by = NULL
WHERE chunks.edited_at IS NULL OR :overwrite = 1

-- name: edit
UPDATE chunks SET text = :text, draft = 0, stale = 0, edited_at = :now, edited_by = :by WHERE space = :space AND id = :id

-- name: ranges
-- Those of one level, or of the metas when `level` is NULL.
SELECT * FROM chunks WHERE space = :space AND channel = :channel AND ((CAST(:level AS INTEGER) IS NULL AND level > 0) OR level = :level)
ORDER BY level, first_seq

-- name: shown
-- Those of one level, or of every level, which touch these messages; not those without words, which a person emptied or which are to be made
-- again. The latest first.
SELECT * FROM chunks WHERE space = :space AND channel = :channel AND text <> ''
    AND (CAST(:level AS INTEGER) IS NULL OR level = :level) AND first_seq <= :last AND last_seq >= :first
ORDER BY level DESC, first_seq DESC LIMIT :limit

-- name: under
-- The range of a meta, also of one that is still to be made.
SELECT min(channel) AS channel, max(level) + 1 AS level, min(first_seq) AS first_seq, max(last_seq) AS last_seq FROM chunks
WHERE space = :space AND parent = :parent

-- name: stale
-- The metas that no longer say what is below them, lowest level first.
SELECT * FROM chunks WHERE space = :space AND channel = :channel AND level > 0 AND stale = 1 AND edited_at IS NULL ORDER BY level, first_seq

-- name: left
-- After emptying: what people wrote, and what can't be made again.
SELECT * FROM chunks WHERE space = :space

-- name: expired
-- Chunks of which messages have expired.
SELECT c.channel, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space AND c.level = 0 AND (
    SELECT count(*) FROM messages m WHERE m.space = c.space AND m.channel = c.channel AND m.seq BETWEEN c.first_seq AND c.last_seq
) <= c.last_seq - c.first_seq
ORDER BY c.channel, c.first_seq

-- name: leave_place
-- The messages were gone before anyone summed them up: a place without words, so that the channel is cut without a gap.
INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id, text, writer, draft, stale, from_at, to_at, created_at, edited_at, edited_by)
VALUES (:space, :channel, :level, :first, :last, :number, :id, '', :by, 0, 0, :now, :now, :now, :now, :by)
ON CONFLICT (space, channel, level, first_seq, last_seq) DO NOTHING

-- name: orphan
UPDATE chunks SET parent = NULL, stale = 0 WHERE space = :space

-- name: get
SELECT * FROM chunks WHERE space = :space AND id = :id

-- name: children
-- Not those without words.
SELECT * FROM chunks WHERE space = :space AND parent = :parent AND text <> '' ORDER BY number

-- name: blank_child
-- One whose words were erased and that is still to be made again.
SELECT id FROM chunks WHERE space = :space AND parent = :parent AND text = '' AND edited_at IS NULL LIMIT 1

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
UPDATE chunks SET stale = 1 WHERE space = :space AND id = :id AND draft = 0 AND stale = 0 AND edited_at IS NULL

-- name: mark_disturbed
-- Drafts too: the change below was a person's wish, and no job will come by itself.
UPDATE chunks SET stale = 1 WHERE space = :space AND id = :id AND stale = 0 AND edited_at IS NULL

-- name: standing
-- What a context shows: the summaries that no finished meta covers, oldest first. Places without words are not shown.
SELECT * FROM chunks c WHERE space = :space AND channel = :channel AND text <> '' AND NOT EXISTS (
    SELECT 1 FROM chunks m WHERE m.space = c.space AND m.id = c.parent AND m.text <> '')
ORDER BY first_seq

-- name: drafts
SELECT channel, level, number, first_seq, last_seq FROM chunks WHERE space = :space AND draft = 1 ORDER BY channel, level, first_seq

-- name: counts
SELECT level, count(*) AS summaries, coalesce(sum(draft), 0) AS drafts, coalesce(sum(stale), 0) AS stale
FROM chunks WHERE space = :space GROUP BY level ORDER BY level

-- name: empty
-- What people wrote stays, and so does what is made of messages that have expired.
DELETE FROM chunks WHERE space = :space AND edited_at IS NULL AND (level > 0 OR text = '' OR (
    SELECT count(*) FROM messages m WHERE m.space = chunks.space AND m.channel = chunks.channel AND m.seq BETWEEN chunks.first_seq AND chunks.last_seq
) > chunks.last_seq - chunks.first_seq)

-- name: empty_cursors
DELETE FROM chunk_cursors WHERE space = :space

-- name: put_back
-- Into its place, which is empty; where it lies among the others may have changed since.
UPDATE chunks SET text = :text, writer = :writer, draft = :draft, stale = :stale, created_at = :created_at, edited_at = :edited_at,
    edited_by = :edited_by, from_at = :from_at, to_at = :to_at
WHERE space = :space AND id = :id AND text = ''

-- name: beside
-- What a meta is made of, as it now stands.
SELECT c.id, c.stale, (SELECT max(v.version) FROM versions v WHERE v.space = c.space AND v.id = c.id) AS version
FROM chunks c WHERE c.space = :space AND c.parent = :parent ORDER BY c.id

-- name: fits_again
UPDATE chunks SET stale = 0 WHERE space = :space AND id = :id AND stale = 1 AND edited_at IS NULL
