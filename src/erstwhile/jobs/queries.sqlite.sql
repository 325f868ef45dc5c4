-- name: states
SELECT key, state, attempts, reason FROM jobs WHERE space = :space AND kind = :kind AND key IN (SELECT value FROM json_each(:keys))
