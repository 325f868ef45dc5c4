-- name: grow
-- Counts the tokens since the last fold; most messages need no more than this. Inserts the row if
-- it is new.
INSERT INTO briefs (space, channel, id, text, cursor, draft_text, draft_cursor, writer, folded,
    pending)
SELECT :space, r.channel, r.id, '', 0, '', 0, '', 0, r.tokens
FROM (:rows...) AS r (channel TEXT, id TEXT, tokens INTEGER) WHERE true ORDER BY r.channel
ON CONFLICT (space, channel) DO UPDATE SET pending = briefs.pending + excluded.pending

-- name: hold_pending
SELECT channel, pending FROM briefs WHERE space = :space AND channel IN (:channels...)
    ORDER BY channel FOR UPDATE

-- name: get
SELECT * FROM briefs WHERE space = :space AND channel = :channel

-- name: put
-- Only if the cursor is the one that was read: a fold that was too late changes nothing.
UPDATE briefs SET text = :text, cursor = :cursor, writer = :writer, folded = folded + :turns,
    pending = CASE WHEN pending > :tokens THEN pending - :tokens ELSE 0 END
WHERE space = :space AND channel = :channel AND cursor = :was

-- name: recount
UPDATE briefs SET pending = :tokens WHERE space = :space AND channel = :channel

-- name: put_draft
UPDATE briefs SET draft_text = :text, draft_cursor = :cursor,
    pending = CASE WHEN pending > :tokens THEN pending - :tokens ELSE 0 END
WHERE space = :space AND channel = :channel AND draft_cursor = :was

-- name: behind
-- Briefs whose draft is ahead of the model's text.
SELECT channel FROM briefs WHERE space = :space AND draft_cursor > cursor ORDER BY channel

-- name: empty
-- Briefs whose memory was deleted.
DELETE FROM briefs WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.space = briefs.space AND m.id = briefs.id)

-- name: settle
-- The draft is ahead of the model's text and the messages between have expired: the model continues
-- from the draft.
UPDATE briefs SET text = draft_text, cursor = draft_cursor, writer = ''
WHERE space = :space AND channel = :channel AND draft_cursor > cursor AND cursor < :last AND (
    SELECT count(*) FROM messages m
    WHERE m.space = briefs.space AND m.channel = briefs.channel AND m.seq > briefs.cursor
        AND m.seq <= briefs.draft_cursor
) < briefs.draft_cursor - briefs.cursor

-- name: blank
UPDATE briefs SET text = '', cursor = 0, draft_text = '', draft_cursor = 0, writer = '', folded = 0
WHERE space = :space AND id IN (SELECT e.id FROM erasing e WHERE e.space = :space)
RETURNING channel
