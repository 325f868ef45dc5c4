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

-- name: first_kept
-- The first message of a channel; `lost`: earlier ones have expired.
SELECT min(m.at) AS at, CASE WHEN c.last_seq > 0 AND coalesce(min(m.seq), 0) <> 1 THEN 1
    ELSE 0 END AS lost
FROM channels c LEFT JOIN messages m ON m.space = c.space AND m.channel = c.channel
WHERE c.space = :space AND c.channel = :channel GROUP BY c.last_seq

-- name: days_with
-- Public days on which people wrote in a channel, or which began before a time.
SELECT d.day FROM (
    SELECT DISTINCT category AS day, from_at, to_at FROM memories WHERE space = :space
        AND kind = 'day' AND channel = '') d
WHERE d.from_at <= :before OR EXISTS (
    SELECT 1 FROM messages m WHERE m.space = :space AND m.channel = :channel AND m.role = 'user'
        AND m.at >= d.from_at AND m.at < d.to_at)
ORDER BY d.day

-- name: delete_public_batch
DELETE FROM day_batches WHERE space = :space AND day = :day AND audience = ''

-- name: delete_public_week
DELETE FROM weeks WHERE space = :space AND person = :person AND audience = ''

-- name: delete_portraits
DELETE FROM portraits WHERE space = :space AND person = :person

-- name: drafted_days
SELECT DISTINCT day FROM day_batches WHERE space = :space AND draft = 1 AND day >= :first
    ORDER BY day

-- name: of_batch
SELECT * FROM memories WHERE space = :space AND kind = 'day' AND at BETWEEN :since AND :until
    AND category = :day AND channel = :audience
ORDER BY person

-- name: of_person
SELECT * FROM memories WHERE space = :space AND kind = 'day' AND person = :person
    AND category >= :first ORDER BY category, channel

-- name: counts
-- Messages of people in a span of time, by channel.
SELECT channel, count(*) AS messages FROM messages
WHERE space = :space AND at >= :since AND at < :until AND role = 'user'
    AND (person IS NULL OR person NOT IN (SELECT b.person FROM people b WHERE b.space = :space
        AND b.blocked = 1))
GROUP BY channel

-- name: count_before
-- Messages of people in a span of time, in a channel before one of its messages.
SELECT count(*) AS messages FROM messages
WHERE space = :space AND channel = :channel AND seq < :seq AND at >= :since AND at < :until
    AND role = 'user'
    AND (person IS NULL OR person NOT IN (SELECT b.person FROM people b WHERE b.space = :space
        AND b.blocked = 1))

-- name: private_channels
-- Channels that are declared private. They are never sent to a model together with others.
SELECT channel FROM channels WHERE space = :space AND privacy IN ('private', 'direct')

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

-- name: makeable
SELECT d.id FROM memories d WHERE d.space = :space AND d.kind = 'day' AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = d.space AND m.at >= d.from_at AND m.at < d.to_at)

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

-- name: days_of_listed
-- Whether there are days with a listed message.
SELECT 1 AS one FROM erasing e WHERE e.space = :space AND e.seq IS NOT NULL AND EXISTS (
    SELECT 1 FROM memories d WHERE d.space = e.space AND d.kind = 'day'
        AND e.at >= d.from_at AND e.at < d.to_at) LIMIT 1

-- name: touched
SELECT DISTINCT d.category AS day, d.channel AS audience FROM memories d WHERE d.space = :space
    AND d.kind = 'day' AND (d.person = :person
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = d.space AND e.at >= d.from_at
        AND e.at < d.to_at AND (d.channel = '' OR d.channel = e.channel))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = d.space AND e.channel = d.channel
        AND e.seq IS NULL))
ORDER BY day, audience

-- name: made_of
-- The same for messages alone: not days made before the message was stored. `slack`: how far clocks
-- may differ.
SELECT DISTINCT d.category AS day, d.channel AS audience FROM erasing e
JOIN messages m ON m.space = e.space AND m.channel = e.channel AND m.seq = e.seq
JOIN memories d ON d.space = e.space AND d.kind = 'day' AND e.at >= d.from_at AND e.at < d.to_at
    AND (d.channel = '' OR d.channel = e.channel)
WHERE e.space = :space AND e.at IS NOT NULL AND m.created_at <= d.created_at + :slack
ORDER BY day, audience

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

-- name: old
SELECT * FROM memories WHERE space = :space AND kind = 'day' AND category < :day ORDER BY category,
    id LIMIT :limit

-- name: count_old
SELECT count(*) AS number FROM memories WHERE space = :space AND kind = 'day' AND category < :day

-- name: delete_old_batches
DELETE FROM day_batches WHERE space = :space AND day < :day

-- name: delete_old_weeks
DELETE FROM weeks WHERE space = :space AND made_at < :before

-- name: delete_old_portraits
DELETE FROM portraits WHERE space = :space AND made_at < :before

-- name: old_drafts
SELECT * FROM memories WHERE space = :space AND kind = 'day' AND draft = 1 AND category < :day

-- name: settle_batches
UPDATE day_batches SET draft = 0 WHERE space = :space AND draft = 1 AND day < :day
