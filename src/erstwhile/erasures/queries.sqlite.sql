-- name: buried
SELECT hash FROM tombstones WHERE space = :space AND hash IN (SELECT value FROM json_each(:keys))
