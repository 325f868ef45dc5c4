-- name: readers
-- Jobs that may have read messages `first` to `last` of a channel. Those that wait too: nobody may take one up, and read what is about to
-- change, before the commit.
-- MATERIALIZED: only payloads that name the channel are read; reading those of all jobs that wait took five times as long.
WITH open AS MATERIALIZED (
    SELECT kind, key, payload::jsonb AS p FROM (
        SELECT kind, key, payload FROM jobs WHERE space = :space AND state = 'running'
        UNION ALL SELECT kind, key, payload FROM jobs WHERE space = :space AND state = 'waiting'
    ) AS j WHERE strpos(j.payload, :quoted) > 0
)
SELECT o.kind, o.key, (o.p->>'first_seq')::bigint AS first_seq FROM open o WHERE o.p->>'channel' = :channel
    AND coalesce((o.p->>'first')::bigint, (o.p->>'first_seq')::bigint, 0) <= :last::bigint
    AND coalesce((o.p->>'last')::bigint, nullif((o.p->>'until')::bigint, 0), :first::bigint) >= :first::bigint
ORDER BY o.kind, o.key
