-- name: readers
-- Jobs that may have read messages `first` to `last` of a channel. One that waits has read nothing, and can't be taken up before the commit:
-- a writing transaction holds the whole database.
-- INDEXED BY: else every job that was done of late is looked at.
SELECT kind, key, json_extract(payload, '$.first_seq') AS first_seq FROM jobs INDEXED BY jobs_running
WHERE space = :space AND state = 'running' AND json_extract(payload, '$.channel') = :channel
    AND coalesce(json_extract(payload, '$.first'), json_extract(payload, '$.first_seq'), 0) <= :last
    AND coalesce(json_extract(payload, '$.last'), nullif(json_extract(payload, '$.until'), 0), :first) >= :first
