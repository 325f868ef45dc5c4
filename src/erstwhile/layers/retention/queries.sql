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


-- name: settle_notes
UPDATE notes SET draft = 0 WHERE space = :space AND channel = :channel AND kind = 'note' AND draft = 1 AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m WHERE m.space = notes.space AND m.channel = notes.channel AND m.seq BETWEEN notes.first_seq AND notes.last_seq
) <= notes.last_seq - notes.first_seq

-- name: old_notes
SELECT id FROM notes WHERE space = :space AND kind = :kind AND expired = 0 AND to_at < :before ORDER BY to_at, id LIMIT :limit

-- name: fade_note
UPDATE notes SET text = '', expired = 1, draft = 0 WHERE space = :space AND id = :id

-- name: topic_of_it_alone
SELECT n.topic FROM notes n JOIN notes t ON t.space = n.space AND t.id = n.topic WHERE n.space = :space AND n.id = :id AND t.expired = 0
    AND (SELECT count(*) FROM notes m WHERE m.space = n.space AND m.topic = n.topic) = 1

-- name: loose_stubs
-- Without words, and no fact or topic leans on them. Where their messages are still there, the place stays, so that it is not noted again.
SELECT n.id, CASE WHEN n.kind = 'note' AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = n.space AND m.channel = n.channel AND m.seq BETWEEN n.first_seq AND n.last_seq
) THEN 1 ELSE 0 END AS held
FROM notes n WHERE n.space = :space AND n.expired = 1
    AND NOT EXISTS (SELECT 1 FROM memory_sources s JOIN memories f ON f.space = s.space AND f.id = s.id AND f.deleted_at IS NULL
        WHERE s.space = n.space AND s.source = n.id)
    AND NOT EXISTS (SELECT 1 FROM notes t WHERE t.space = n.space AND t.id = n.topic)
    AND (n.title <> '' OR n.kind = 'topic' OR NOT EXISTS (
        SELECT 1 FROM messages m WHERE m.space = n.space AND m.channel = n.channel AND m.seq BETWEEN n.first_seq AND n.last_seq))
ORDER BY n.id LIMIT :limit

-- name: blank_stub
UPDATE notes SET title = '' WHERE space = :space AND id = :id

-- name: drop_note
DELETE FROM notes WHERE space = :space AND id = :id

-- name: drop_note_people
DELETE FROM note_people WHERE space = :space AND note = :id

-- name: old_words
-- Of memories that are no more, because they were replaced or deleted: what the history still quotes.
SELECT DISTINCT v.id FROM versions v WHERE v.space = :space AND v.id >= :first AND v.id < :last AND v.text <> '' AND v.at < :before
    AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.space = v.space AND n.id = v.id AND n.at >= :before)
    AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.space = v.space AND n.id = v.id)
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = v.space AND m.id = v.id AND m.deleted_at IS NULL)
ORDER BY v.id LIMIT :limit

-- name: count_old_messages
-- What the next run would take, of this kind and of the one that follows.
SELECT count(*) AS number FROM messages m JOIN channels c ON c.space = m.space AND c.channel = m.channel
LEFT JOIN chunk_cursors k ON k.space = m.space AND k.channel = m.channel
WHERE m.space = :space AND m.at < :before AND m.seq <= c.last_seq - :recent AND (CAST(:cut AS INTEGER) = 0 OR m.seq <= k.seq)
    AND NOT EXISTS (
        SELECT 1 FROM buffers b WHERE b.space = m.space AND b.channel = m.channel AND m.seq BETWEEN b.first_seq AND b.last_seq)

-- name: count_old_notes
SELECT count(*) AS number FROM notes WHERE space = :space AND kind = :kind AND expired = 0 AND to_at < :before
