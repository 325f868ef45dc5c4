-- name: batches
SELECT * FROM day_batches WHERE space = :space AND day BETWEEN :first AND :last

-- name: put_batch
-- A day that is over is only replaced if it is a draft and this is not. Before that, the latest
-- version stays.
INSERT INTO day_batches (space, day, audience, bucket, messages, writer, draft, made_at)
VALUES (:space, :day, :audience, :bucket, :messages, :writer, :draft, :made_at)
ON CONFLICT (space, day, audience) DO UPDATE SET bucket = excluded.bucket,
    messages = excluded.messages, writer = excluded.writer,
    draft = excluded.draft, made_at = excluded.made_at
WHERE (day_batches.bucket < 24 AND day_batches.made_at <= excluded.made_at)
    OR (day_batches.draft = 1 AND excluded.draft = 0)

-- name: close_batch
-- The day is over and has no messages since it was made.
UPDATE day_batches SET bucket = 24
WHERE space = :space AND day = :day AND audience = :audience AND bucket < 24
    AND messages = :messages

-- name: delete_batch
DELETE FROM day_batches WHERE space = :space AND day = :day AND audience = :audience AND bucket < 24

-- name: delete_public_batch
DELETE FROM day_batches WHERE space = :space AND day = :day AND audience = ''

-- name: delete_public_week
DELETE FROM weeks WHERE space = :space AND person = :person AND audience = ''

-- name: delete_portraits
DELETE FROM portraits WHERE space = :space AND person = :person

-- name: drafted_days
SELECT DISTINCT day FROM day_batches WHERE space = :space AND draft = 1 AND day >= :first
    ORDER BY day

-- name: messages_of
-- Messages of a person on a day, for one audience: of that channel, or of all public ones
-- without a batch of their own, and of those that were private at first what was said since then.
SELECT m.id FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND m.person = :person AND m.at >= :from_at AND m.at < :to_at
    AND m.role = 'user'
    AND (m.channel = :audience OR (:audience = '' AND c.privacy NOT IN ('private', 'direct')
        AND (m.channel NOT IN (
            SELECT b.audience FROM day_batches b WHERE b.space = :space AND b.day = :day)
        OR (c.opened > 0 AND m.seq >= c.opened)
        OR m.seq >= (
            SELECT s.since FROM speakers s WHERE s.space = m.space AND s.channel = m.channel
                AND s.person <> '' ORDER BY s.since, s.person LIMIT 1 OFFSET 1))))
ORDER BY m.at, m.channel, m.seq

-- name: weeks
SELECT * FROM weeks WHERE space = :space AND person = :person ORDER BY audience

-- name: put_week
INSERT INTO weeks (space, person, audience, until, hash, text, writer, draft, made_at)
VALUES (:space, :person, :audience, :until, :hash, :text, :writer, :draft, :made_at)
ON CONFLICT (space, person, audience) DO UPDATE SET until = excluded.until, hash = excluded.hash,
    text = excluded.text,
    writer = excluded.writer, draft = excluded.draft, made_at = excluded.made_at
WHERE weeks.until < excluded.until OR weeks.hash <> excluded.hash OR weeks.draft >= excluded.draft

-- name: portrait
SELECT * FROM portraits WHERE space = :space AND person = :person AND audience = :view

-- name: put_portrait
INSERT INTO portraits (space, person, audience, hash, text, writer, draft, made_at)
VALUES (:space, :person, :view, :hash, :text, :writer, :draft, :made_at)
ON CONFLICT (space, person, audience) DO UPDATE SET hash = excluded.hash, text = excluded.text,
    writer = excluded.writer,
    draft = excluded.draft, made_at = excluded.made_at

-- name: empty_batches
DELETE FROM day_batches WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM memories d WHERE d.space = day_batches.space AND d.kind = 'day'
        AND d.category = day_batches.day
        AND d.channel = day_batches.audience)

-- name: empty_weeks
DELETE FROM weeks WHERE space = :space

-- name: empty_portraits
DELETE FROM portraits WHERE space = :space

-- Erasing

-- name: whole_channels
SELECT 1 AS one FROM erasing WHERE space = :space AND seq IS NULL AND channel IS NOT NULL LIMIT 1

-- name: mark_batch
-- Marks a batch whose days are erased.
UPDATE day_batches SET messages = -1 WHERE space = :space AND day = :day AND audience = :audience

-- name: marked_batches
SELECT DISTINCT day FROM day_batches WHERE space = :space AND messages = -1 ORDER BY day

-- name: delete_marked_batches
DELETE FROM day_batches WHERE space = :space AND messages = -1

-- name: delete_weeks
-- Weeks and portraits are made again when someone asks.
DELETE FROM weeks WHERE space = :space AND person = :person

-- Retention

-- name: delete_old_batches
DELETE FROM day_batches WHERE space = :space AND day < :day

-- name: delete_old_weeks
DELETE FROM weeks WHERE space = :space AND made_at < :before

-- name: delete_old_portraits
DELETE FROM portraits WHERE space = :space AND made_at < :before

-- name: settle_batches
UPDATE day_batches SET draft = 0 WHERE space = :space AND draft = 1 AND day < :day
