-- name: grow
-- Counts the tokens said since the last fold, so that most messages cost no more than this; makes the row if it is new.
INSERT INTO briefs (space, channel, id, text, cursor, draft_text, draft_cursor, writer, folded, pending, created_at)
VALUES (:space, :channel, :id, '', 0, '', 0, '', 0, :tokens, :now)
ON CONFLICT (space, channel) DO UPDATE SET pending = briefs.pending + :tokens
RETURNING pending

-- name: get
SELECT * FROM briefs WHERE space = :space AND channel = :channel

-- name: by_id
SELECT * FROM briefs WHERE space = :space AND id = :id

-- name: put
-- Only onto the cursor that was read: a fold that was overtaken changes nothing.
UPDATE briefs SET text = :text, cursor = :cursor, writer = :writer, folded = folded + :turns, edited_at = NULL, edited_by = NULL,
    pending = CASE WHEN pending > :tokens THEN pending - :tokens ELSE 0 END, created_at = :now
WHERE space = :space AND channel = :channel AND cursor = :was

-- name: recount
UPDATE briefs SET pending = :tokens WHERE space = :space AND channel = :channel

-- name: put_draft
UPDATE briefs SET draft_text = :text, draft_cursor = :cursor,
    pending = CASE WHEN pending > :tokens THEN pending - :tokens ELSE 0 END
WHERE space = :space AND channel = :channel AND draft_cursor = :was

-- name: behind
-- Briefs whose draft is ahead of what a model wrote: to be folded when one is available.
SELECT channel FROM briefs WHERE space = :space AND draft_cursor > cursor ORDER BY channel

-- name: empty
-- One that holds what has expired can't be made again, and stays.
DELETE FROM briefs WHERE space = :space AND (
    SELECT count(*) FROM messages m
    WHERE m.space = briefs.space AND m.channel = briefs.channel AND (m.seq <= briefs.cursor OR m.seq <= briefs.draft_cursor)
) >= CASE WHEN briefs.draft_cursor > briefs.cursor THEN briefs.draft_cursor ELSE briefs.cursor END


-- name: left
SELECT * FROM briefs WHERE space = :space
