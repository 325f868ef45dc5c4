-- name: to_embed
-- across spaces: the worker asks which spaces have something to embed, and no job for it yet. One that is parked stays so until someone looks.
SELECT s.space FROM spaces s WHERE EXISTS (SELECT 1 FROM unembedded u WHERE u.space = s.space) AND NOT EXISTS (
    SELECT 1 FROM jobs j WHERE j.space = s.space AND j.kind = :kind AND j.key = '' AND j.state IN ('waiting', 'running', 'parked'))

-- name: day_messages
-- What a person said on a day, as far as its audience reaches: one private channel, or all that were not read for an audience of their own.
SELECT m.id FROM messages m WHERE m.space = :space AND m.at >= :since AND m.at < :until AND m.person = :person AND m.role = 'user'
    AND (m.channel = :audience OR (:audience = '' AND NOT EXISTS (
        SELECT 1 FROM day_batches b WHERE b.space = m.space AND b.day = :day AND b.audience = m.channel)))
ORDER BY m.at, m.channel, m.seq
