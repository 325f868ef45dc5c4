-- name: to_embed
-- across spaces: the worker asks which spaces have something to embed, and no job for it yet. One
-- that is parked stays so until someone looks.
-- by index: one look for each space.
SELECT s.space FROM spaces s WHERE EXISTS (SELECT 1 FROM unembedded u WHERE u.space = s.space)
    AND NOT EXISTS (
    SELECT 1 FROM jobs j WHERE j.space = s.space AND j.kind = :kind AND j.key = ''
        AND j.state IN ('waiting', 'running', 'parked'))

-- name: flag_counts
-- Flags that nobody has reviewed.
WITH found AS (
    SELECT f.id, f.reason, f.at, NULL AS other, CASE WHEN f.version = coalesce(
        (SELECT max(v.version) FROM versions v WHERE v.space = f.space
            AND v.id = f.id), 0) THEN 1 ELSE 0 END AS reviewed
    FROM flags f WHERE f.space = :space AND f.reason <> 'contradiction'
    UNION ALL
    SELECT s.id, 'contradiction', s.valid_to, s.superseded_by, CASE WHEN EXISTS (
        SELECT 1 FROM flags f WHERE f.space = s.space AND f.id = s.id
            AND f.reason = 'contradiction' AND f.reviewed_at IS NOT NULL) THEN 1 ELSE 0 END
    FROM memories s WHERE s.space = :space AND s.kind IN (:kinds...) AND s.deleted_at IS NULL
        AND s.superseded_by IS NOT NULL AND s.restates IS NULL AND s.valid_to > s.valid_from
            AND s.category <> 'todo'
)
SELECT reason, count(*) AS count FROM found WHERE reviewed = 0 GROUP BY reason

-- name: flagged_at
SELECT coalesce((SELECT max(s.valid_to) FROM memories s WHERE s.space = :space AND s.id = :id
    AND s.kind IN (:kinds...)
    AND s.deleted_at IS NULL AND s.superseded_by IS NOT NULL AND s.restates IS NULL
        AND s.valid_to > s.valid_from AND s.category <> 'todo'),
    (SELECT max(f.at) FROM flags f WHERE f.space = :space AND f.id = :id)) AS at

-- name: flags_of
SELECT decision, reviewed_by, reviewed_at FROM flags WHERE space = :space AND id = :id
    ORDER BY reviewed_at DESC LIMIT 1

-- name: about
SELECT person FROM documents WHERE space = :space AND id = :id

-- name: flag_contradiction
INSERT INTO flags (space, id, reason, at) SELECT s.space, s.id, 'contradiction', s.valid_to
    FROM memories s
WHERE s.space = :space AND s.id = :id AND s.kind IN (:kinds...) AND s.deleted_at IS NULL
    AND s.superseded_by IS NOT NULL AND s.restates IS NULL AND s.valid_to > s.valid_from
        AND s.category <> 'todo'
ON CONFLICT (space, id, reason) DO NOTHING

-- name: reviewed
UPDATE flags SET decision = :decision, reviewed_at = :now, reviewed_by = :by,
    version = coalesce((SELECT max(v.version) FROM versions v WHERE v.space = flags.space
        AND v.id = flags.id), 0)
WHERE space = :space AND id = :id

-- name: reopen
UPDATE flags SET decision = '', reviewed_at = NULL, reviewed_by = NULL, version = -1
    WHERE space = :space AND id = :id

-- name: still_documented
SELECT doc, id, kind, at FROM documents WHERE space = :space
    AND doc > :after ORDER BY doc LIMIT :limit

-- name: flagged
-- A review holds while the memory has the version that was reviewed. Contradictions are found in
-- the memories of timed
-- kinds: what was so until something else was said.
WITH found AS (
    SELECT f.id, f.reason, f.at, NULL AS other, CASE WHEN f.version = coalesce(
        (SELECT max(v.version) FROM versions v WHERE v.space = f.space
            AND v.id = f.id), 0) THEN 1 ELSE 0 END AS reviewed
    FROM flags f WHERE f.space = :space AND f.reason <> 'contradiction'
    UNION ALL
    SELECT s.id, 'contradiction', s.valid_to, s.superseded_by, CASE WHEN EXISTS (
        SELECT 1 FROM flags f WHERE f.space = s.space AND f.id = s.id
            AND f.reason = 'contradiction' AND f.reviewed_at IS NOT NULL) THEN 1 ELSE 0 END
    FROM memories s WHERE s.space = :space AND s.kind IN (:kinds...) AND s.deleted_at IS NULL
        AND s.superseded_by IS NOT NULL AND s.restates IS NULL AND s.valid_to > s.valid_from
            AND s.category <> 'todo'
)
SELECT id, max(at) AS at, string_agg(reason, ',') AS reasons, max(other) AS other,
    min(reviewed) AS reviewed FROM found
WHERE reviewed = :reviewed AND (CAST(:reason AS TEXT) IS NULL OR reason = :reason)
GROUP BY id HAVING max(at) < :at OR (max(at) = :at AND id > :id)
ORDER BY at DESC, id LIMIT :limit

-- name: ranked
-- Documents and, of messages, all that a hit shows: one statement instead of two, or of three with
-- the titles of their channels.
SELECT m.doc, m.id, 'message' AS kind, m.channel, m.person, m.at, m.seq AS first_seq, m.seq, m.role,
    m.name, m.text, m.key, m.model, m.meta, c.title
FROM messages m LEFT JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND m.doc IN (:docs::bigint...)
UNION ALL
SELECT d.doc, d.id, d.kind, d.channel, d.person, d.at, d.seq, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, c.title
FROM documents d LEFT JOIN channels c ON c.space = d.space AND c.channel = d.channel
WHERE d.space = :space AND d.doc IN (:docs::bigint...)
