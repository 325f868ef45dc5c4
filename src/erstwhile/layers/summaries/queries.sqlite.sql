-- name: by_ids
SELECT * FROM chunks WHERE space = :space AND (text <> '' OR edited_at IS NULL) AND id IN (SELECT value FROM json_each(:ids))

-- name: count_in
-- How many each of these channels has, but for those that a person emptied.
SELECT channel, sum(CASE WHEN level = 0 THEN 1 ELSE 0 END) AS chunks, sum(CASE WHEN level > 0 THEN 1 ELSE 0 END) AS metas, sum(stale) AS stale, max(level) AS levels
FROM chunks WHERE space = :space AND channel IN (SELECT value FROM json_each(:channels)) AND (text <> '' OR edited_at IS NULL) GROUP BY channel
