-- name: empty_documents
DELETE FROM documents WHERE space = :space

-- name: empty_terms
DELETE FROM document_terms WHERE space = :space

-- name: empty_vectors
DELETE FROM vectors WHERE space = :space

-- name: empty_unembedded
DELETE FROM unembedded WHERE space = :space

-- name: ask_for_vectors
-- Of every document that has none.
INSERT INTO unembedded (space, doc)
SELECT d.space, d.doc FROM documents d LEFT JOIN vectors v ON v.space = d.space
    AND v.doc = d.doc WHERE d.space = :space AND v.doc IS NULL
ON CONFLICT (space, doc) DO NOTHING

-- name: by_kind
SELECT kind, count(*) AS memories FROM documents WHERE space = :space AND kind <> 'message'
    GROUP BY kind ORDER BY kind

-- name: number
SELECT doc FROM documents WHERE space = :space AND id = :id

-- name: embedded
SELECT embedder, messages FROM embedded WHERE space = :space

-- name: set_embedded
INSERT INTO embedded (space, embedder, messages) VALUES (:space, :embedder, :messages)
ON CONFLICT (space) DO UPDATE SET embedder = excluded.embedder, messages = excluded.messages

-- name: vectors
SELECT (SELECT count(*) FROM vectors WHERE space = :space) + coalesce((SELECT sum(embedded)
    FROM index_files WHERE space = :space AND trimmed = 2), 0) AS vectors,
    (SELECT count(*) FROM unembedded WHERE space = :space) AS waiting,
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

-- name: tell_added
-- Write to the feed of events.
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
VALUES (:space, :kind, 'added', :id, :channel, :person, :seq, :until)

-- name: by_docs
SELECT doc, id, kind, channel, person, at, seq AS first_seq FROM documents WHERE space = :space
    AND doc IN (:docs::bigint...)

-- name: drop_unembedded
DELETE FROM unembedded WHERE space = :space AND doc IN (:docs::bigint...)

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
        AND x.kind <> 'message'
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
