-- name: empty_documents
DELETE FROM documents WHERE space = :space

-- name: empty_terms
-- Of memories.
DELETE FROM document_terms WHERE space = :space AND doc IN (
    SELECT doc FROM documents WHERE space = :space)

-- name: empty_vectors
DELETE FROM vectors WHERE space = :space

-- name: empty_memory_vectors
DELETE FROM vectors WHERE space = :space AND doc IN (
    SELECT doc FROM documents WHERE space = :space)

-- name: empty_unembedded
DELETE FROM unembedded WHERE space = :space

-- name: wait_for_vectors
INSERT INTO unembedded (space, doc, until) VALUES (:space, :doc, :until)

-- name: ask_for_vectors
-- Of every document that has none.
INSERT INTO unembedded (space, doc, until)
SELECT :space, min(x.doc), max(x.doc) FROM (
    SELECT m.doc FROM messages m LEFT JOIN vectors v ON v.space = m.space AND v.doc = m.doc
        WHERE m.space = :space AND v.doc IS NULL
    UNION ALL
    SELECT d.doc FROM documents d LEFT JOIN vectors v ON v.space = d.space AND v.doc = d.doc
        WHERE d.space = :space AND v.doc IS NULL
) AS x HAVING min(x.doc) IS NOT NULL

-- name: by_kind
SELECT kind, count(*) AS memories FROM documents WHERE space = :space GROUP BY kind ORDER BY kind

-- name: number
SELECT doc FROM messages WHERE space = :space AND id = :id
UNION ALL SELECT doc FROM documents WHERE space = :space AND id = :id

-- name: embedded
SELECT embedder, messages FROM embedded WHERE space = :space

-- name: set_embedded
INSERT INTO embedded (space, embedder, messages) VALUES (:space, :embedder, :messages)
ON CONFLICT (space) DO UPDATE SET embedder = excluded.embedder, messages = excluded.messages

-- name: vectors
SELECT (SELECT count(*) FROM vectors WHERE space = :space) + coalesce((SELECT sum(embedded)
    FROM index_files WHERE space = :space AND trimmed = 2), 0) AS vectors,
    (SELECT count(*) FROM messages m WHERE m.space = :space AND EXISTS (
        SELECT 1 FROM unembedded u WHERE u.space = m.space AND m.doc BETWEEN u.doc AND u.until)
        AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = m.space AND v.doc = m.doc))
    + (SELECT count(*) FROM documents d WHERE d.space = :space AND EXISTS (
        SELECT 1 FROM unembedded u WHERE u.space = d.space AND d.doc BETWEEN u.doc AND u.until)
        AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = d.space AND v.doc = d.doc))
        AS waiting,
    coalesce((SELECT embedder FROM embedded WHERE space = :space), '') AS embedder

-- name: empty_flags
DELETE FROM flags WHERE space = :space AND reviewed_at IS NULL

-- name: mark_all_gone
-- Everything from before is gone, without a row for each: indexes in memory are then filled again.
-- Documents have numbers above 0.
INSERT INTO documents_gone (space, doc) VALUES (:space, :doc)

-- name: ids_from
SELECT id FROM documents WHERE space = :space AND id >= :first AND id <= :last
    ORDER BY id LIMIT :limit

-- name: by_docs
SELECT doc, id, 'message' AS kind, channel, person, at, seq AS first_seq FROM messages
    WHERE space = :space AND doc IN (:docs::bigint...)
UNION ALL
SELECT doc, id, kind, channel, person, at, seq FROM documents WHERE space = :space
    AND doc IN (:docs::bigint...)

-- name: waiting_ranges
-- by index: else all that wait are read and sorted for each page.
SELECT doc, until FROM unembedded WHERE space = :space ORDER BY until LIMIT :limit

-- name: shorten_unembedded
UPDATE unembedded SET doc = r.next FROM (:rows...) AS r (until BIGINT, next BIGINT)
WHERE unembedded.space = :space AND unembedded.until = r.until

-- name: drop_unembedded
-- Only as they were read: someone may have asked for all vectors meanwhile.
DELETE FROM unembedded WHERE space = :space AND until IN (:ends::bigint...)
    AND doc IN (:starts::bigint...)

-- name: add_terms
INSERT INTO document_terms (space, doc, terms) VALUES (:space, :doc, :terms)

-- name: remove_documents
DELETE FROM documents WHERE space = :space AND id IN (:ids...)
RETURNING doc, id, kind, channel, person, seq, until

-- name: docs_gone
INSERT INTO documents_gone (space, doc) SELECT :space, k.value
    FROM (:docs::bigint...) AS k WHERE true ON CONFLICT DO NOTHING

-- name: drop_terms_of
DELETE FROM document_terms WHERE space = :space AND doc IN (:docs::bigint...)

-- name: drop_vectors_of
DELETE FROM vectors WHERE space = :space AND doc IN (:docs::bigint...)

-- name: hold
-- Whoever changes a memory makes its document anew, so whoever holds that holds the memory.
SELECT doc FROM documents WHERE space = :space AND id = :id FOR UPDATE

-- name: kinds_by_day
-- One lookup in the index per day (or as many days as `length` has) and kind.
WITH RECURSIVE days (start) AS (
    SELECT CAST(:since AS BIGINT) UNION ALL SELECT start + CAST(:length AS BIGINT) FROM days
        WHERE start + CAST(:length AS BIGINT) <= CAST(:until AS BIGINT)
)
SELECT d.start, k.value AS kind, (
    SELECT count(*) FROM documents x WHERE x.space = :space AND x.kind = k.value
        AND x.at >= d.start AND x.at < d.start + CAST(:length AS BIGINT)
) AS memories FROM (:kinds...) AS k CROSS JOIN days d

-- name: put_flags
INSERT INTO flags (space, id, reason, at) VALUES (:space, :id, :reason, :at)
    ON CONFLICT (space, id, reason) DO NOTHING

-- name: drop_other_flags
-- Of these memories, the flags that are not among `kept` (id and reason).
DELETE FROM flags WHERE space = :space AND id IN (:ids...) AND reason <> 'contradiction'
    AND id || ' ' || reason NOT IN (:kept...)

-- name: drop_unreviewed_flags
DELETE FROM flags WHERE space = :space AND id IN (:ids...) AND reviewed_at IS NULL

-- name: drop_flags
DELETE FROM flags WHERE space = :space AND id IN (:ids...)

-- name: review_flags
UPDATE flags SET decision = :decision, reviewed_at = :now, reviewed_by = :by, version = :version
WHERE space = :space AND id = :id

-- name: reopen_flags
UPDATE flags SET decision = '', reviewed_at = NULL, reviewed_by = NULL, version = -1
    WHERE space = :space AND id = :id

-- name: index_files
SELECT number, file, version, checksum, length, bytes, origin, embedder, emptied, documents, gone,
    vectors, trimmed
FROM index_files WHERE space = :space ORDER BY number

-- name: add_index_file
INSERT INTO index_files (space, number, file, version, checksum, length, bytes, origin, embedder,
    emptied, documents, gone, vectors, embedded)
VALUES (:space, :number, :file, :version, :checksum, :length, :bytes, :origin, :embedder, :emptied,
    :documents, :gone, :vectors, :embedded)

-- name: mark_trimmed
UPDATE index_files SET trimmed = :what WHERE space = :space AND trimmed < :what

-- name: drop_index_files
DELETE FROM index_files WHERE space = :space AND file IN (:files...)

-- name: spaces_to_embed
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

-- name: page_after
SELECT doc, id, kind, at FROM documents WHERE space = :space
    AND doc > :after ORDER BY doc LIMIT :limit

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

-- name: list_documents_left
-- Whatever else the search has of the person, or of a channel that goes.
INSERT INTO erasing (space, id)
SELECT d.space, d.id FROM documents d WHERE d.space = :space AND (d.person = :person OR EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = d.space AND e.channel = d.channel AND e.seq IS NULL))
ON CONFLICT (space, id) DO NOTHING

-- name: count_documents
-- Of memories. Vectors may be in the stored index only: what can have one and waits for none has one.
SELECT count(*) AS documents, count(CASE WHEN NOT EXISTS (SELECT 1 FROM unembedded u
        WHERE u.space = d.space AND d.doc BETWEEN u.doc AND u.until AND NOT EXISTS (
            SELECT 1 FROM vectors v WHERE v.space = d.space AND v.doc = d.doc)) THEN m.space END) AS vectors
FROM documents d JOIN erasing e ON e.space = d.space AND e.id = d.id LEFT JOIN embedded m ON m.space = d.space
WHERE d.space = :space

-- name: count_message_vectors
-- The same of messages, each of which is a document.
SELECT count(*) AS vectors FROM messages d JOIN erasing e ON e.space = d.space AND e.id = d.id
    JOIN embedded m ON m.space = d.space AND m.messages = 1
WHERE d.space = :space AND NOT EXISTS (SELECT 1 FROM unembedded u
    WHERE u.space = d.space AND d.doc BETWEEN u.doc AND u.until AND NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.space = d.space AND v.doc = d.doc))
