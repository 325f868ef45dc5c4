-- name: mark
-- across spaces: the oldest transaction still open. Whatever it and those after it write comes later.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS stamp, 0 AS number

-- name: there
SELECT 1 AS there FROM events WHERE space = :space AND stamp = :stamp AND number = :number

-- name: page
-- Only of transactions older than every open one: nothing can still come before them.
SELECT stamp, number, at, kind, action, id, channel, person, seq, until FROM events
WHERE space = :space AND (stamp, number) > (:stamp, :number) AND stamp < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
ORDER BY stamp, number LIMIT :limit

-- name: news
-- across spaces: one look for all who watch. Which of these spaces have something new, and how far this look reaches.
SELECT m.mark, v.space FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS mark) AS m
LEFT JOIN jsonb_array_elements_text(:spaces::jsonb) AS v (space) ON m.mark > :since AND EXISTS (
    SELECT 1 FROM events e WHERE e.space = v.space AND e.stamp >= :since AND e.stamp < m.mark)

-- name: discard
DELETE FROM events WHERE space = :space AND stamp = pg_current_xact_id()::text::bigint

-- name: prune
-- across spaces: by the database's clock, the oldest first.
DELETE FROM events WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM events WHERE at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - :keep ORDER BY at LIMIT :limit))
