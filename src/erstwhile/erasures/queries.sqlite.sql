-- name: buried
SELECT hash FROM tombstones WHERE space = :space AND hash IN (SELECT value FROM json_each(:keys))

-- name: bury
INSERT INTO tombstones (space, hash) VALUES (:space, :hash) ON CONFLICT (space, hash) DO NOTHING
