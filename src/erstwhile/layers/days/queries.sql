-- name: batches
SELECT * FROM day_batches WHERE space = :space AND day BETWEEN :first AND :last

-- name: put_batch
-- A day that is over is made once; only a draft of it is replaced, by a model. Of a day that is not, what was read last stands.
INSERT INTO day_batches (space, day, audience, bucket, messages, writer, draft, made_at)
VALUES (:space, :day, :audience, :bucket, :messages, :writer, :draft, :made_at)
ON CONFLICT (space, day, audience) DO UPDATE SET bucket = excluded.bucket, messages = excluded.messages, writer = excluded.writer,
    draft = excluded.draft, made_at = excluded.made_at
WHERE (day_batches.bucket < 24 AND day_batches.made_at <= excluded.made_at) OR (day_batches.draft = 1 AND excluded.draft = 0)

-- name: close_batch
-- The day is over and nothing was said since it was read: it stands as it is.
UPDATE day_batches SET bucket = 24
WHERE space = :space AND day = :day AND audience = :audience AND bucket < 24 AND messages = :messages

-- name: drop_batch
DELETE FROM day_batches WHERE space = :space AND day = :day AND audience = :audience AND bucket < 24

-- name: first_kept
-- Of a channel; `lost`: messages before that have expired.
SELECT min(m.at) AS at, CASE WHEN c.last_seq > 0 AND coalesce(min(m.seq), 0) <> 1 THEN 1 ELSE 0 END AS lost
FROM channels c LEFT JOIN messages m ON m.space = c.space AND m.channel = c.channel
WHERE c.space = :space AND c.channel = :channel GROUP BY c.last_seq

-- name: days_with
-- Days that everyone may hear of, on which people spoke in a channel, or which began before a moment.
SELECT d.day FROM (SELECT DISTINCT day, from_at, to_at FROM days WHERE space = :space AND audience = '') d
WHERE d.from_at <= :before OR EXISTS (
    SELECT 1 FROM messages m WHERE m.space = :space AND m.channel = :channel AND m.role = 'user' AND m.at >= d.from_at AND m.at < d.to_at)
ORDER BY d.day

-- name: withdraw_batch
DELETE FROM day_batches WHERE space = :space AND day = :day AND audience = ''

-- name: withdraw_week
DELETE FROM weeks WHERE space = :space AND person = :person AND audience = ''

-- name: withdraw_portraits
DELETE FROM portraits WHERE space = :space AND person = :person

-- name: drafted_days
SELECT DISTINCT day FROM day_batches WHERE space = :space AND draft = 1 AND day >= :first ORDER BY day

-- name: add_day
INSERT INTO days (space, day, audience, person, id, from_at, to_at, text, writer, draft, made_at)
VALUES (:space, :day, :audience, :person, :id, :from_at, :to_at, :text, :writer, :draft, :made_at)

-- name: drop_days
DELETE FROM days WHERE space = :space AND day = :day AND audience = :audience

-- name: of_batch
SELECT * FROM days WHERE space = :space AND day = :day AND audience = :audience ORDER BY person

-- name: of_person
SELECT * FROM days WHERE space = :space AND person = :person AND day >= :first ORDER BY day, audience

-- name: over
-- The days that are over, for making their search documents anew.
SELECT d.* FROM days d JOIN day_batches b ON b.space = d.space AND b.day = d.day AND b.audience = d.audience
WHERE d.space = :space AND b.bucket = 24 ORDER BY d.day, d.audience, d.person

-- name: counts
-- How much people said in a stretch of time, by channel.
SELECT channel, count(*) AS messages FROM messages
WHERE space = :space AND at >= :since AND at < :until AND role = 'user'
    AND (person IS NULL OR person NOT IN (SELECT b.person FROM people b WHERE b.space = :space AND b.blocked = 1))
GROUP BY channel

-- name: declared
-- Channels that someone said are private: what is said in them is never read together with anything else.
SELECT channel FROM channels WHERE space = :space AND privacy IN ('private', 'direct')

-- name: messages_of
-- What a person said on a day before one audience: in that channel, or in all those that have no row of their own and are not private.
SELECT m.id FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND m.person = :person AND m.at >= :from_at AND m.at < :to_at AND m.role = 'user'
    AND (m.channel = :audience OR (:audience = '' AND c.privacy NOT IN ('private', 'direct') AND m.channel NOT IN (
        SELECT b.audience FROM day_batches b WHERE b.space = :space AND b.day = :day)))
ORDER BY m.at, m.channel, m.seq

-- name: weeks
SELECT * FROM weeks WHERE space = :space AND person = :person ORDER BY audience

-- name: put_week
INSERT INTO weeks (space, person, audience, until, hash, text, writer, draft, made_at)
VALUES (:space, :person, :audience, :until, :hash, :text, :writer, :draft, :made_at)
ON CONFLICT (space, person, audience) DO UPDATE SET until = excluded.until, hash = excluded.hash, text = excluded.text,
    writer = excluded.writer, draft = excluded.draft, made_at = excluded.made_at
WHERE weeks.until < excluded.until OR weeks.hash <> excluded.hash OR weeks.draft >= excluded.draft

-- name: portrait
SELECT * FROM portraits WHERE space = :space AND person = :person AND audience = :view

-- name: put_portrait
INSERT INTO portraits (space, person, audience, hash, text, writer, draft, made_at)
VALUES (:space, :person, :view, :hash, :text, :writer, :draft, :made_at)
ON CONFLICT (space, person, audience) DO UPDATE SET hash = excluded.hash, text = excluded.text, writer = excluded.writer,
    draft = excluded.draft, made_at = excluded.made_at

-- name: known
SELECT person FROM people WHERE space = :space AND person = :person
UNION SELECT person FROM memories WHERE space = :space AND person = :person AND kind = 'told'
UNION SELECT person FROM profile_facts WHERE space = :space AND person = :person

-- name: empty_days
-- Not those whose messages have expired: they can't be made again.
DELETE FROM days WHERE space = :space AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = days.space AND m.at >= days.from_at AND m.at < days.to_at)

-- name: empty_batches
DELETE FROM day_batches WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM days d WHERE d.space = day_batches.space AND d.day = day_batches.day AND d.audience = day_batches.audience)

-- name: empty_weeks
DELETE FROM weeks WHERE space = :space

-- name: empty_portraits
DELETE FROM portraits WHERE space = :space

-- name: profile_shown
-- What holds of a person's profile, each fact with the note it came from.
SELECT f.id, f.section, f.text, f.said_by, f.channel, f.at, n.title, n.day FROM profile_facts f
LEFT JOIN notes n ON n.space = f.space AND n.id = f.note
WHERE f.space = :space AND f.person = :person AND f.valid_to IS NULL ORDER BY f.at, f.id
