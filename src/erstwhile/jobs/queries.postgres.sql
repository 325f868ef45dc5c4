-- name: due
-- across spaces: a worker serves all of them. SKIP LOCKED lets workers share without waiting for each other.
SELECT space, kind, key, id, lane, pace, payload, attempts, faults, token FROM jobs j
WHERE state = 'waiting' AND due_at <= :now
    AND (lane IS NULL OR NOT EXISTS (SELECT 1 FROM jobs r WHERE r.space = j.space AND r.lane = j.lane AND r.state = 'running'))
    AND (pace IS NULL OR NOT EXISTS (SELECT 1 FROM paces p WHERE p.space = j.space AND p.pace = j.pace AND p.free_at > :real_now))
ORDER BY due_at, id LIMIT :limit
FOR UPDATE OF j SKIP LOCKED

-- name: states
SELECT key, state, attempts, reason FROM jobs
WHERE space = :space AND kind = :kind AND key IN (SELECT jsonb_array_elements_text(:keys::jsonb))
