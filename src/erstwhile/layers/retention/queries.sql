-- name: channels_of_old
-- Channels with messages that are old enough and that neither cutting, nor a buffer, nor the latest of the channel hold back.
SELECT DISTINCT m.channel FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
LEFT JOIN chunk_cursors k ON k.space = m.space AND k.channel = m.channel
WHERE m.space = :space AND m.at < :before AND m.seq <= c.last_seq - :recent AND (CAST(:cut AS INTEGER) = 0 OR m.seq <= k.seq)
    AND NOT EXISTS (
        SELECT 1 FROM buffers b WHERE b.space = m.space AND b.channel = m.channel AND m.seq BETWEEN b.first_seq AND b.last_seq)
ORDER BY m.channel

-- name: old_messages
-- The same of one channel, a page of them.
SELECT m.id, m.seq FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
LEFT JOIN chunk_cursors k ON k.space = m.space AND k.channel = m.channel
WHERE m.space = :space AND m.channel = :channel AND m.seq > :after AND m.at < :before AND m.seq <= c.last_seq - :recent
    AND (CAST(:cut AS INTEGER) = 0 OR m.seq <= k.seq)
    AND NOT EXISTS (
        SELECT 1 FROM buffers b WHERE b.space = m.space AND b.channel = m.channel AND m.seq BETWEEN b.first_seq AND b.last_seq)
ORDER BY m.seq LIMIT :limit

-- name: drop_message
DELETE FROM messages WHERE space = :space AND channel = :channel AND seq = :seq

-- name: old_profile_facts
-- Neither said nor restated for long enough; what people wrote stays.
SELECT f.id, f.person FROM profile_facts f WHERE f.space = :space AND f.at < :before AND f.edited_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = f.space AND n.id = f.note AND n.at >= :before)
    AND NOT EXISTS (SELECT 1 FROM profile_sources s JOIN memories n ON n.space = s.space AND n.id = s.note
        WHERE s.space = f.space AND s.fact = f.id AND n.at >= :before)
ORDER BY f.person, f.at, f.id LIMIT :limit

-- name: drop_profile_fact
DELETE FROM profile_facts WHERE space = :space AND id = :id

-- name: drop_profile_sources
DELETE FROM profile_sources WHERE space = :space AND fact = :id

-- name: forget_successor
-- What it ended has still ended.
UPDATE profile_facts SET superseded_by = NULL WHERE space = :space AND person = :person AND superseded_by = :id

-- name: touch_profile
UPDATE profiles SET changed_at = :now WHERE space = :space AND person = :person

-- name: count_old_messages
-- What the next run would take, here and in the next.
SELECT count(*) AS number FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
LEFT JOIN chunk_cursors k ON k.space = m.space AND k.channel = m.channel
WHERE m.space = :space AND m.at < :before AND m.seq <= c.last_seq - :recent AND (CAST(:cut AS INTEGER) = 0 OR m.seq <= k.seq)
    AND NOT EXISTS (
        SELECT 1 FROM buffers b WHERE b.space = m.space AND b.channel = m.channel AND m.seq BETWEEN b.first_seq AND b.last_seq)

-- name: count_old_profile_facts
SELECT count(*) AS number FROM profile_facts f WHERE f.space = :space AND f.at < :before AND f.edited_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = f.space AND n.id = f.note AND n.at >= :before)
    AND NOT EXISTS (SELECT 1 FROM profile_sources s JOIN memories n ON n.space = s.space AND n.id = s.note
        WHERE s.space = f.space AND s.fact = f.id AND n.at >= :before)
