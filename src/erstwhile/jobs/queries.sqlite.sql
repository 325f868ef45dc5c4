-- name: restart_readers
-- Jobs that may have read messages `first` to `last` of a channel: their results will be refused, and they start over. One that waits has read
-- nothing, and can't be taken up before the commit: a writing transaction holds the whole database.
-- INDEXED BY: else every job that was done of late is looked at.
UPDATE jobs INDEXED BY jobs_running SET token = token + 1, worker = NULL, again_at = NULL, attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END, state = 'waiting'
WHERE space = :space AND state = 'running' AND json_extract(payload, '$.channel') = :channel
    AND coalesce(json_extract(payload, '$.first'), json_extract(payload, '$.first_seq'), 0) <= :last
    AND coalesce(json_extract(payload, '$.last'), nullif(json_extract(payload, '$.until'), 0), :first) >= :first
    AND NOT EXISTS (SELECT 1 FROM buffers b WHERE b.space = jobs.space AND b.channel = :channel
        AND b.first_seq = json_extract(payload, '$.first_seq') AND b.closed = 1 AND b.last_seq < :first)
    AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = jobs.space AND n.channel = :channel AND n.kind = 'note'
        AND n.first_seq = json_extract(payload, '$.first_seq') AND n.last_seq < :first)
