-- name: put_structuring
-- The first reading stands; only a draft is replaced, by a model's. The row also holds the range: who changes its memories takes turns on it.
INSERT INTO structurings (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft, created_at = excluded.created_at
WHERE structurings.draft = 1 AND excluded.draft = 0

-- name: replace_structuring
-- A reading that someone asked for.
INSERT INTO structurings (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft, created_at = excluded.created_at

-- name: hold_structuring
-- Holds the row until the commit: a reading being kept and a person's hand on its memories take turns.
UPDATE structurings SET found = found WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: of_range
SELECT * FROM structured WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last ORDER BY position

-- name: of_channel
SELECT * FROM structured WHERE space = :space AND channel = :channel ORDER BY first_seq, last_seq, position

-- name: drop_unedited_of
DELETE FROM structured WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last AND edited_at IS NULL

-- name: give_up_edits_of
UPDATE structured SET edited_at = NULL, edited_by = NULL
WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: last_position
SELECT coalesce(max(position), -1) AS position FROM structured
WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: add
INSERT INTO structured (space, channel, first_seq, last_seq, position, id, seq, type, text, person, subject, said_by, slot, value,
    confidence, done, due, owner, thread, at, valid_from, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :position, :id, :seq, :type, :text, :person, :subject, :said_by, :slot, :value,
    :confidence, :done, :due, :owner, :thread, :at, :valid_from, :writer, :draft, :now)

-- name: edit
UPDATE structured SET text = :text, value = :value, thread = :thread, confidence = 1.0, draft = 0, edited_at = :now, edited_by = :by
WHERE space = :space AND id = :id

-- name: delete
DELETE FROM structured WHERE space = :space AND id = :id

-- name: get
SELECT * FROM structured WHERE space = :space AND id = :id

-- name: run
-- A memory and those that say the same again while it holds.
SELECT * FROM structured WHERE space = :space AND (id = :head OR restates = :head)

-- name: of_thread
SELECT * FROM structured WHERE space = :space AND thread = :thread

-- name: stand
-- What follows from the other rows of its thread.
UPDATE structured SET valid_to = :valid_to, superseded_by = :superseded_by, restates = :restates WHERE space = :space AND id = :id

-- name: valid
-- What holds at a moment, newest first; what only says it again is a source of the first.
SELECT * FROM structured WHERE space = :space AND restates IS NULL
    AND (CAST(:person AS TEXT) IS NULL OR person = :person) AND (CAST(:type AS TEXT) IS NULL OR type = :type)
    AND (CAST(:open AS INTEGER) = 0 OR (type = 'todo' AND done = 0))
    AND valid_from <= :at AND (valid_to IS NULL OR valid_to > :at)
ORDER BY at DESC, channel, seq DESC, position LIMIT :limit

-- name: ever
-- What held at any time.
SELECT * FROM structured WHERE space = :space AND restates IS NULL
    AND (CAST(:person AS TEXT) IS NULL OR person = :person) AND (CAST(:type AS TEXT) IS NULL OR type = :type)
    AND (CAST(:open AS INTEGER) = 0 OR (type = 'todo' AND done = 0 AND valid_to IS NULL))
ORDER BY at DESC, channel, seq DESC, position LIMIT :limit

-- name: closed
-- What was so until something else was said, in the order it ended. Todos end by being done, which is no change of mind.
SELECT * FROM structured WHERE space = :space AND superseded_by IS NOT NULL AND restates IS NULL AND valid_to > valid_from AND type <> 'todo'
    AND (CAST(:person AS TEXT) IS NULL OR person = :person)
ORDER BY valid_to, id

-- name: drafts
SELECT channel, first_seq, last_seq FROM structurings WHERE space = :space AND draft = 1 ORDER BY channel, first_seq

-- name: counts
-- How many chunks were read, and how many of them held anything: the non-empty rate.
SELECT count(*) AS chunks, coalesce(sum(CASE WHEN found > 0 THEN 1 ELSE 0 END), 0) AS nonempty, coalesce(sum(found), 0) AS found,
    coalesce(sum(draft), 0) AS drafts
FROM structurings WHERE space = :space

-- name: counts_by_day
-- The same of a period, by the day on which chunks were read.
SELECT (created_at - :since) / 86400000000 AS day, count(*) AS chunks, sum(CASE WHEN found > 0 THEN 1 ELSE 0 END) AS nonempty
FROM structurings WHERE space = :space AND created_at >= :since AND created_at <= :until GROUP BY 1

-- name: unread
-- Full chunks that were never read for structured memories, as far as there is something to read.
SELECT c.channel, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space AND c.channel = :channel AND c.level = 0 AND NOT EXISTS (
    SELECT 1 FROM structurings s
    WHERE s.space = c.space AND s.channel = c.channel AND s.first_seq = c.first_seq AND s.last_seq = c.last_seq
) AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = c.space AND m.channel = c.channel AND m.seq BETWEEN c.first_seq AND c.last_seq
) ORDER BY c.first_seq

-- name: left
-- After emptying: what people wrote, and what can't be made again.
SELECT * FROM structured WHERE space = :space

-- name: empty
-- What people wrote stays, and so does what was read in messages that have expired.
DELETE FROM structured WHERE space = :space AND edited_at IS NULL AND (
    SELECT count(*) FROM messages m WHERE m.space = structured.space AND m.channel = structured.channel AND m.seq BETWEEN structured.first_seq AND structured.last_seq
) > structured.last_seq - structured.first_seq

-- name: empty_structurings
DELETE FROM structurings WHERE space = :space AND (
    SELECT count(*) FROM messages m
    WHERE m.space = structurings.space AND m.channel = structurings.channel AND m.seq BETWEEN structurings.first_seq AND structurings.last_seq
) > structurings.last_seq - structurings.first_seq

-- name: put_back
INSERT INTO structured (space, channel, first_seq, last_seq, position, id, seq, type, text, person, subject, said_by, slot, value,
    confidence, done, due, owner, thread, at, valid_from, valid_to, superseded_by, restates, writer, draft, created_at, edited_at, edited_by)
VALUES (:space, :channel, :first_seq, :last_seq, :position, :id, :seq, :type, :text, :person, :subject, :said_by, :slot, :value,
    :confidence, :done, :due, :owner, :thread, :at, :valid_from, :valid_to, :superseded_by, :restates, :writer, :draft, :created_at, :edited_at,
    :edited_by)

-- name: at_position
SELECT id FROM structured WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last AND position = :position

-- name: read_by
SELECT writer FROM structurings WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last
