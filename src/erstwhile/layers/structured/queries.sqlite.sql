-- name: by_ids
SELECT * FROM structured WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: sources_of
-- The messages of each memory and of those that restate it, the first said first.
SELECT coalesce(s.restates, s.id) AS id, s.id AS own, m.id AS message FROM structured s
JOIN messages m ON m.space = s.space AND m.channel = s.channel AND m.seq = s.seq
WHERE s.space = :space AND (s.id IN (SELECT value FROM json_each(:ids)) OR s.restates IN (SELECT value FROM json_each(:ids)))
ORDER BY s.at, s.channel, s.seq

-- name: hold_thread
-- SQLite has one writer: nothing to hold.
SELECT :space AS space, :thread AS thread
