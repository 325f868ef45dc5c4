-- name: enqueue
-- Asking again for a job: a waiting one is pushed out, up to its limit (the quiet timer), unless it
-- waits for a retry;
-- a running one runs once more when it ends, with a limit of its own; a done one starts anew,
-- and a parked one too, unless it is to be left to whoever looks at parked jobs.
INSERT INTO jobs (space, kind, key, id, lane, pace, payload, state, due_at, limit_at, attempts,
    token, beat, created_at)
SELECT :space, r.kind, r.key, r.id, r.lane, r.pace, r.payload, 'waiting', r.due, r.limit_at, 0,
    r.token, 0, r.now
FROM (:rows...) AS r (kind TEXT, key TEXT, id TEXT, lane TEXT, pace TEXT, payload TEXT, due BIGINT,
    limit_at BIGINT, token INTEGER, now BIGINT)
WHERE true ORDER BY r.kind, r.key
ON CONFLICT (space, kind, key) DO UPDATE SET
    payload = excluded.payload,
    lane = CASE WHEN jobs.state = 'running' THEN jobs.lane ELSE excluded.lane END,
    pace = excluded.pace,
    due_at = CASE
        WHEN jobs.state IN ('done', 'parked') THEN excluded.due_at
        WHEN jobs.state = 'running' OR jobs.attempts > 0 THEN jobs.due_at
        WHEN jobs.limit_at IS NOT NULL AND jobs.limit_at < excluded.due_at THEN jobs.limit_at
        ELSE excluded.due_at END,
    limit_at = CASE
        WHEN jobs.state IN ('done', 'parked')
            OR (jobs.state = 'running' AND jobs.again_at IS NULL) THEN excluded.limit_at
        ELSE jobs.limit_at END,
    again_at = CASE
        WHEN jobs.state <> 'running' THEN NULL
        WHEN jobs.again_at IS NOT NULL AND jobs.limit_at IS NOT NULL
            AND jobs.limit_at < excluded.due_at THEN jobs.limit_at
        ELSE excluded.due_at END,
    attempts = CASE WHEN jobs.state IN ('done', 'parked') THEN 0 ELSE jobs.attempts END,
    faults = CASE WHEN jobs.state IN ('done', 'parked') THEN 0 ELSE jobs.faults END,
    reason = CASE WHEN jobs.state IN ('done', 'parked') THEN NULL ELSE jobs.reason END,
    state = CASE WHEN jobs.state = 'running' THEN 'running' ELSE 'waiting' END
WHERE jobs.state <> 'parked' OR :revive = 1

-- name: dues
-- Without a condition on the state, so that it goes by the key.
SELECT key, state, due_at FROM jobs WHERE space = :space AND kind = :kind AND key IN (:keys...)

-- name: next_due
-- across spaces: a worker serves all of them.
-- by index: in the order of due times, up to the first hundred.
-- A job of a paced kind is due when its pace is free as well. The first hundred by due time are
-- enough to wake up in time.
SELECT min(CASE WHEN free_at > due_at THEN free_at ELSE due_at END) AS due_at FROM (
    SELECT j.due_at, coalesce(p.free_at - :real_now + :now, j.due_at) AS free_at
    FROM (SELECT space, pace, due_at FROM jobs WHERE state = 'waiting' ORDER BY due_at LIMIT 100) AS j
    LEFT JOIN paces p ON p.space = j.space AND p.pace = j.pace AND p.free_at > :real_now
) AS soonest

-- name: pace_free
-- across spaces: a worker serves all of them. When the first pace frees up that a job which is due
-- waits for.
-- by index: as above.
SELECT min(free_at) AS free_at FROM (
    SELECT p.free_at FROM jobs j JOIN paces p ON p.space = j.space AND p.pace = j.pace
    WHERE j.state = 'waiting' AND j.due_at <= :now ORDER BY j.due_at LIMIT 100
) AS paced

-- name: due
-- across spaces: a worker serves all of them. Oldest first; not those whose lane is taken or whose
-- pace is not free.
-- by index: as above.
-- SKIP LOCKED lets workers share without waiting for each other.
SELECT space, kind, key, id, lane, pace, payload, attempts, faults, token FROM jobs j
WHERE state = 'waiting' AND due_at <= :now
    AND (lane IS NULL OR NOT EXISTS (SELECT 1 FROM jobs r WHERE r.space = j.space
        AND r.lane = j.lane AND r.state = 'running'))
    AND (pace IS NULL OR NOT EXISTS (SELECT 1 FROM paces p WHERE p.space = j.space
        AND p.pace = j.pace AND p.free_at > :real_now))
ORDER BY due_at, id LIMIT :limit
FOR UPDATE OF j SKIP LOCKED

-- name: claim
UPDATE jobs SET state = 'running', token = token + 1, attempts = attempts + 1, worker = :worker,
    beat = beat + 1, again_at = NULL
WHERE space = :space AND kind = :kind AND key = :key AND state = 'waiting' AND token = :token

-- name: take_pace
-- Across processes: whoever moves the row on may start; the others change nothing.
INSERT INTO paces (space, pace, free_at) VALUES (:space, :pace, :free_at)
ON CONFLICT (space, pace) DO UPDATE SET free_at = :free_at WHERE paces.free_at <= :real_now

-- name: beat
-- across spaces: a sign of life for a job this worker holds.
UPDATE jobs SET beat = beat + 1 WHERE id = :id AND worker = :worker AND state = 'running'

-- name: running
-- across spaces: any worker may notice that another has died.
SELECT space, kind, key, id, token, beat, worker, faults FROM jobs WHERE state = 'running'

-- name: take_back
-- From a worker that died: the token moves on, so that a late completion is refused.
UPDATE jobs SET state = :state, token = token + 1, faults = faults + 1, worker = NULL,
    reason = :reason, due_at = :now,
    finished_at = :finished_at
WHERE space = :space AND kind = :kind AND key = :key AND state = 'running' AND token = :token

-- name: release
-- across spaces: what a worker still had when it was told to stop goes back as if never claimed.
UPDATE jobs SET state = 'waiting', token = token + 1, worker = NULL,
    attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
WHERE worker = :worker AND state = 'running'

-- name: finish
-- The fence: only the holder of the current token completes the job.
UPDATE jobs SET
    state = CASE WHEN again_at IS NULL THEN 'done' ELSE 'waiting' END,
    due_at = coalesce(again_at, due_at),
    limit_at = CASE WHEN again_at IS NULL THEN NULL ELSE limit_at END,
    again_at = NULL, attempts = 0, faults = 0, worker = NULL, reason = NULL, finished_at = :now
WHERE space = :space AND kind = :kind AND key = :key AND state = 'running' AND token = :token

-- name: held
SELECT 1 AS held FROM jobs WHERE space = :space AND kind = :kind AND key = :key
    AND state = 'running' AND token = :token

-- name: put_off
-- Tried without success: waits again, or is parked with its reason.
UPDATE jobs SET state = :state, faults = faults + :fault, due_at = :due, reason = :reason,
    worker = NULL, again_at = NULL, finished_at = :finished_at
WHERE space = :space AND kind = :kind AND key = :key AND state = 'running' AND token = :token

-- name: counts
-- across spaces: for one space, or for all when `only` is NULL. A timer that has not run down is
-- nothing that waits to be done.
SELECT state, count(*) AS jobs FROM jobs WHERE state <> 'done'
    AND (CAST(:only AS TEXT) IS NULL OR space = :only)
    AND NOT (state = 'waiting' AND limit_at IS NOT NULL AND attempts = 0 AND due_at > :now)
GROUP BY state

-- name: queue
-- across spaces: for one space, or for all when `only` is NULL. Each state has an index of its own,
-- so what is done is not read.
SELECT state, kind, count(*) AS jobs, min(due_at) AS oldest, sum(tried) AS retried,
    max(reason) AS reason FROM (
    SELECT kind, due_at, CASE WHEN attempts > 0 THEN 1 ELSE 0 END AS tried, reason,
        CASE WHEN limit_at IS NOT NULL AND attempts = 0 AND due_at > :now THEN 'timer'
            ELSE 'waiting' END AS state
    FROM jobs WHERE state = 'waiting' AND (CAST(:only AS TEXT) IS NULL OR space = :only)
    UNION ALL
    SELECT kind, due_at, 0, NULL, 'running' FROM jobs WHERE state = 'running'
        AND (CAST(:only AS TEXT) IS NULL OR space = :only)
    UNION ALL
    SELECT kind, due_at, 0, reason, 'parked' FROM jobs WHERE state = 'parked'
        AND (CAST(:only AS TEXT) IS NULL OR space = :only)
) AS queued
GROUP BY state, kind ORDER BY state, kind

-- name: list
-- across spaces: for one space, or for all when `only` is NULL.
SELECT id, space, kind, key, shown AS state, attempts, due_at, reason FROM (
    SELECT id, space, kind, key, attempts, due_at, reason, CASE
        WHEN state = 'waiting' AND limit_at IS NOT NULL AND attempts = 0
            AND due_at > :now THEN 'timer' ELSE state END AS shown
    FROM jobs WHERE CAST(:only AS TEXT) IS NULL OR space = :only
) AS listed
WHERE shown = :state OR (CAST(:state AS TEXT) IS NULL AND shown <> 'timer')
ORDER BY CASE shown WHEN 'parked' THEN 0 WHEN 'running' THEN 1 WHEN 'waiting' THEN 2
    ELSE 3 END, due_at, id
LIMIT :limit

-- name: retry
-- across spaces: one job by its id, or all parked ones of a space, or all.
UPDATE jobs SET state = 'waiting', due_at = :now, attempts = 0, faults = 0, reason = NULL,
    finished_at = NULL
WHERE (state = 'parked' OR (state = 'waiting' AND CAST(:id AS TEXT) IS NOT NULL))
    AND (CAST(:id AS TEXT) IS NULL OR id = :id) AND (CAST(:only AS TEXT) IS NULL OR space = :only)
RETURNING id, space

-- name: hurry
-- across spaces: whoever settles doesn't wait for more.
UPDATE jobs SET due_at = :now WHERE kind IN (:kinds...) AND state = 'waiting' AND attempts = 0
    AND due_at > :now AND due_at <= :until

-- name: park
-- across spaces: an id is unique over all of them.
UPDATE jobs SET state = 'parked', reason = :reason, finished_at = :now, token = token + 1,
    worker = NULL
WHERE id = :id AND state IN ('waiting', 'running')
    AND (CAST(:only AS TEXT) IS NULL OR space = :only)
RETURNING id, space

-- name: open_payloads
SELECT payload FROM jobs WHERE space = :space AND kind = :kind AND state <> 'done'
    ORDER BY due_at, id

-- name: due_payloads
SELECT payload FROM jobs WHERE space = :space AND kind = :kind AND state IN ('waiting', 'running')
    AND due_at <= :now ORDER BY due_at, id

-- name: restart
-- As if never claimed; the token moves on, so that the result of whoever has it is refused.
UPDATE jobs SET state = 'waiting', token = token + 1, worker = NULL, again_at = NULL,
    attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
WHERE space = :space AND kind = :kind AND key = :key AND state = 'running'

-- name: refuse
-- The same, and one that waits is held: nobody may take it up, and read what is about to change,
-- before the commit.
UPDATE jobs SET token = token + 1, worker = NULL, again_at = NULL,
    attempts = CASE WHEN state = 'running' AND attempts > 0 THEN attempts - 1
        ELSE attempts END, state = 'waiting'
WHERE space = :space AND kind = :kind AND key = :key AND state IN ('waiting', 'running')

-- name: hold_kind
-- Its jobs go on, but none ends before the commit.
UPDATE jobs SET token = token WHERE space = :space AND kind = :kind AND state = 'running'

-- name: leave_to
-- across spaces: one job does the work of all spaces. What waits elsewhere is done with this one.
UPDATE jobs SET state = 'done', limit_at = NULL, attempts = 0, faults = 0, reason = NULL,
    finished_at = :now
WHERE kind = :kind AND state = 'waiting' AND id <> :id

-- name: again
-- What the job works from is there again: if it was done, it is due; if it is running, it runs once
-- more.
UPDATE jobs SET due_at = CASE WHEN state = 'done' THEN :now ELSE due_at END,
    again_at = CASE WHEN state = 'running' THEN :now ELSE again_at END, state = CASE
        WHEN state = 'done' THEN 'waiting' ELSE state END
WHERE space = :space AND kind = :kind AND key = :key

-- name: restart_all
-- The same for everything in a space. What waits is held too: nobody may take it up, and read what
-- is about to change, before the commit.
UPDATE jobs SET token = token + 1, worker = NULL, again_at = NULL,
    attempts = CASE WHEN state = 'running' AND attempts > 0 THEN attempts - 1
        ELSE attempts END, state = 'waiting'
WHERE space = :space AND state IN ('waiting', 'running')

-- name: naming
-- Jobs whose payload names something: `quoted` is its JSON.
SELECT kind, key, payload FROM jobs WHERE space = :space
    AND replace(payload, :quoted, '') <> payload

-- name: drop
DELETE FROM jobs WHERE space = :space AND kind = :kind AND key = :key

-- name: make_needless
UPDATE jobs SET state = 'done', token = token + 1, worker = NULL, again_at = NULL, limit_at = NULL,
    attempts = 0, faults = 0, reason = NULL, finished_at = :now
WHERE space = :space AND kind = :kind AND key = :key AND state <> 'done'
    AND (:waiting = 0 OR state = 'waiting')

-- name: forget_done
-- across spaces: done jobs are kept for a while to be listed, then forgotten.
DELETE FROM jobs WHERE state = 'done' AND finished_at < :before

-- name: drop_kinds
DELETE FROM jobs WHERE space = :space AND kind LIKE :prefix

-- name: states
SELECT key, state, attempts, reason FROM jobs
WHERE space = :space AND kind = :kind AND key IN (:keys...)
