-- name: restart_readers
-- Jobs that may have read messages `first` to `last` of a channel: their results will be refused, and they start over. Those that wait too:
-- nobody may take one up, and read what is about to change, before the commit.
-- MATERIALIZED: only payloads that name the channel are read; reading those of all jobs that wait took five times as long.
WITH open AS MATERIALIZED (
    SELECT kind, key, payload::jsonb AS p FROM (
        SELECT kind, key, payload FROM jobs WHERE space = :space AND state = 'running'
        UNION ALL SELECT kind, key, payload FROM jobs WHERE space = :space AND state = 'waiting'
    ) AS j WHERE strpos(j.payload, :quoted) > 0
), readers AS (
    SELECT o.kind, o.key FROM open o WHERE o.p->>'channel' = :channel
        AND coalesce((o.p->>'first')::bigint, (o.p->>'first_seq')::bigint, 0) <= :last::bigint
        AND coalesce((o.p->>'last')::bigint, nullif((o.p->>'until')::bigint, 0), :first::bigint) >= :first::bigint
        AND NOT EXISTS (SELECT 1 FROM buffers b WHERE b.space = :space AND b.channel = :channel
            AND b.first_seq = (o.p->>'first_seq')::bigint AND b.closed = 1 AND b.last_seq < :first::bigint)
        AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = :space AND n.channel = :channel AND n.kind = 'note'
            AND n.first_seq = (o.p->>'first_seq')::bigint AND n.last_seq < :first::bigint)
)
UPDATE jobs SET token = token + 1, worker = NULL, again_at = NULL,
    attempts = CASE WHEN state = 'running' AND attempts > 0 THEN attempts - 1 ELSE attempts END, state = 'waiting'
WHERE space = :space AND state IN ('waiting', 'running') AND (kind, key) IN (SELECT r.kind, r.key FROM readers r)
