-- name: to_embed
-- across spaces: the worker asks which spaces have something to embed, and no job for it yet. One
-- that is parked stays so until someone looks.
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
SELECT doc, id, kind, at FROM documents WHERE space = :space AND kind <> 'message'
    AND doc > :after ORDER BY doc LIMIT :limit

-- name: notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes WHERE space = :space AND id IN (:ids...)

-- name: note_messages
-- What people said in a conversation.
SELECT n.id, m.id AS source FROM notes n
JOIN messages m ON m.space = n.space AND m.channel = n.channel AND m.seq BETWEEN n.first_seq AND n.last_seq AND m.role = 'user'
WHERE n.space = :space AND n.kind = 'note' AND n.id IN (:ids...) ORDER BY n.id, m.seq

-- name: topic_notes
SELECT topic AS id, id AS source FROM notes WHERE space = :space AND topic IN (:ids...) ORDER BY topic, from_at, id

-- name: profile_facts
SELECT id, person, text, said_by, channel, seq, writer, at, valid_to FROM profile_facts WHERE space = :space AND id IN (:ids...)

-- name: profile_notes
-- The note it came from, then the others, of what is still there.
SELECT f.id, n.id AS source, 0 AS further, n.from_at FROM profile_facts f JOIN notes n ON n.space = f.space AND n.id = f.note
WHERE f.space = :space AND f.id IN (:ids...)
UNION ALL
SELECT s.fact, n.id, 1, n.from_at FROM profile_sources s JOIN notes n ON n.space = s.space AND n.id = s.note
WHERE s.space = :space AND s.fact IN (:ids...)
ORDER BY 1, 3, 4, 2

-- name: profile_messages
-- The message it leans on.
SELECT f.id, m.id AS source FROM profile_facts f JOIN messages m ON m.space = f.space AND m.channel = f.channel AND m.seq = f.seq
WHERE f.space = :space AND f.id IN (:ids...)

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
