-- name: mark
-- across spaces: numbers are of the whole database. That of the last event ever written, also of one that was removed since.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS stamp, 0 AS number

-- name: there
SELECT 1 AS there FROM events WHERE space = :space AND number = :stamp

-- name: page
SELECT number AS stamp, 0 AS number, at, kind, action, id, channel, person, seq, until FROM events
WHERE space = :space AND number > :stamp ORDER BY number LIMIT :limit

-- name: news
-- across spaces: one look for all who watch. Which of these spaces have something new, and how far this look reaches.
SELECT m.mark, v.value AS space FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS mark) AS m
LEFT JOIN json_each(:spaces) AS v ON m.mark > :since AND EXISTS (SELECT 1 FROM events e WHERE e.space = v.value AND e.number > :since)

-- name: discard
-- What this transaction wrote: no other writes meanwhile.
DELETE FROM events WHERE space = :space AND number > :mark

-- name: prune
-- across spaces: by the database's clock, the oldest first.
DELETE FROM events WHERE number IN (SELECT number FROM events ORDER BY number LIMIT :limit)
    AND at < CAST(unixepoch('subsec') * 1000000 AS INTEGER) - :keep
