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

-- name: count_old_messages
-- What the next run would take, here and in the next.
SELECT count(*) AS number FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
LEFT JOIN chunk_cursors k ON k.space = m.space AND k.channel = m.channel
WHERE m.space = :space AND m.at < :before AND m.seq <= c.last_seq - :recent AND (CAST(:cut AS INTEGER) = 0 OR m.seq <= k.seq)
    AND NOT EXISTS (
        SELECT 1 FROM buffers b WHERE b.space = m.space AND b.channel = m.channel AND m.seq BETWEEN b.first_seq AND b.last_seq)
