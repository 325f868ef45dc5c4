-- name: add_documents
WITH given AS (
    SELECT * FROM json_to_recordset(:rows::json) AS r (
        id TEXT, kind TEXT, channel TEXT, person TEXT, at BIGINT, seq BIGINT, until BIGINT,
            traits INTEGER, terms TEXT
    )
), added AS (
    INSERT INTO documents (space, id, kind, channel, person, at, seq, until, traits)
    SELECT :space, r.id, r.kind, r.channel, r.person, r.at, r.seq, r.until, r.traits FROM given r
    ON CONFLICT (space, id) DO NOTHING RETURNING space, doc, id
), kept AS (
    INSERT INTO document_terms (space, doc, terms)
    SELECT a.space, a.doc, r.terms FROM added a JOIN given r ON r.id = a.id
        WHERE r.terms IS NOT NULL
)
INSERT INTO unembedded (space, doc, until)
SELECT space, min(doc), max(doc) FROM added GROUP BY space

-- name: reserve
-- across spaces: numbers are given once in the whole database.
SELECT string_agg(nextval('documents_doc')::text, ' ') AS numbers
FROM (SELECT generate_series(1, :count::int)) AS x

-- name: all_gone
INSERT INTO documents_gone (space, doc) SELECT space, doc FROM documents
    WHERE space = :space ON CONFLICT (space, doc) DO NOTHING

-- name: feed
-- What changed since each mark: new documents, those that are gone, new vectors; whose vectors they
-- are, and the version of the stored files, with the marks up to which the tables are trimmed. The
-- mark of all is the oldest transaction still open.
SELECT 0 AS what, m.doc, pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS mark, m.id,
    'message' AS kind, m.channel, m.person, m.at, m.seq, m.seq AS until, m.traits, t.terms,
    NULL::bytea AS vector, NULL AS writer
FROM messages m LEFT JOIN document_terms t ON t.space = m.space AND t.doc = m.doc
WHERE m.space = :space AND m.stamp >= :documents
UNION ALL
SELECT 0, d.doc, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, d.id,
    d.kind, d.channel, d.person, d.at, d.seq, d.until, d.traits, t.terms, NULL,
    coalesce((SELECT coalesce(m.edited_by, m.writer) FROM memories m
        WHERE m.space = d.space AND m.id = d.id),
        (SELECT w.writer FROM versions w WHERE w.space = d.space AND w.id = d.id
            ORDER BY w.version DESC LIMIT 1))
FROM documents d LEFT JOIN document_terms t ON t.space = d.space AND t.doc = d.doc
WHERE d.space = :space AND d.stamp >= :documents
UNION ALL
SELECT 1, doc, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL
FROM documents_gone WHERE space = :space AND stamp >= :gone
UNION ALL
SELECT 2, doc, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, vector, NULL
FROM vectors WHERE space = :space AND stamp >= :vectors
UNION ALL
SELECT 3, 0, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, NULL, embedder, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM embedded WHERE space = :space
UNION ALL
SELECT 4, max(version), pg_snapshot_xmin(pg_current_snapshot())::text::bigint, NULL, NULL, NULL,
    NULL, NULL, max(CASE WHEN trimmed > 0 THEN documents ELSE 0 END), max(CASE WHEN trimmed > 1 THEN vectors ELSE 0 END), NULL, NULL, NULL, NULL
FROM index_files WHERE space = :space HAVING count(*) > 0

-- name: unembedded
-- by index: else all that wait are read and sorted for each page, 10 ms at 20,000 documents.
-- OFFSET 0: a look into the index for each; before Postgres has statistics, under row-level
-- security, it would read all vectors.
(SELECT m.doc, m.id, 'message' AS kind, m.text, m.meta FROM messages m
WHERE m.space = :space AND m.doc BETWEEN :first AND :last AND NOT EXISTS (
    SELECT 1 FROM vectors v WHERE v.space = :space AND v.doc = m.doc OFFSET 0)
ORDER BY m.doc LIMIT :limit)
UNION ALL
(SELECT d.doc, d.id, d.kind, NULL, NULL FROM documents d
WHERE d.space = :space AND d.doc BETWEEN :first AND :last AND NOT EXISTS (
    SELECT 1 FROM vectors v WHERE v.space = :space AND v.doc = d.doc OFFSET 0)
ORDER BY d.doc LIMIT :limit)

-- name: put_vectors
INSERT INTO vectors (space, doc, vector)
SELECT :space, d.doc, r.vector
FROM unnest(:doc::bigint[], :vector::bytea[]) AS r (doc, vector)
CROSS JOIN LATERAL (
    SELECT doc FROM messages WHERE space = :space AND doc = r.doc
    UNION ALL SELECT doc FROM documents WHERE space = :space AND doc = r.doc OFFSET 0
) AS d
ON CONFLICT (space, doc) DO UPDATE SET vector = excluded.vector, stamp = excluded.stamp

-- name: marks
SELECT x.mark AS documents, x.mark AS gone, x.mark AS vectors, coalesce((SELECT embedder
    FROM embedded WHERE space = :space), '') AS embedder,
    coalesce((SELECT min(doc) FROM documents_gone WHERE space = :space AND doc < 0), 0) AS emptied
FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS mark) AS x

-- name: message_page
-- An index is filled page by page.
SELECT m.doc, m.id, 'message' AS kind, m.channel, m.person, m.at, m.seq, m.seq AS until, m.traits,
    t.terms, v.vector, NULL AS writer
FROM messages m LEFT JOIN vectors v ON v.space = m.space AND v.doc = m.doc
    LEFT JOIN document_terms t ON t.space = m.space AND t.doc = m.doc
WHERE m.space = :space AND m.doc > :after ORDER BY m.doc LIMIT :limit

-- name: memory_page
SELECT d.doc, d.id, d.kind, d.channel, d.person, d.at, d.seq, d.until, d.traits, t.terms, v.vector,
    coalesce((SELECT coalesce(m.edited_by, m.writer) FROM memories m
        WHERE m.space = d.space AND m.id = d.id),
        (SELECT w.writer FROM versions w WHERE w.space = d.space AND w.id = d.id
            ORDER BY w.version DESC LIMIT 1)) AS writer
FROM documents d LEFT JOIN vectors v ON v.space = d.space AND v.doc = d.doc
    LEFT JOIN document_terms t ON t.space = d.space AND t.doc = d.doc
WHERE d.space = :space AND d.doc > :after ORDER BY d.doc LIMIT :limit

-- name: memories
-- From the newest back.
SELECT doc, id, kind, channel, person, at FROM documents
WHERE space = :space AND doc < :before
    AND (:kinds::text IS NULL OR kind = ANY (ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb))))
    AND (:channel::text IS NULL OR channel = :channel)
        AND (:person::text IS NULL OR person = :person)
ORDER BY doc DESC LIMIT :limit

-- name: everything
-- The same with messages.
(SELECT doc, id, 'message' AS kind, channel, person, at FROM messages
WHERE space = :space AND doc < :before
    AND (:channel::text IS NULL OR channel = :channel)
        AND (:person::text IS NULL OR person = :person)
ORDER BY doc DESC LIMIT :limit)
UNION ALL
(SELECT doc, id, kind, channel, person, at FROM documents
WHERE space = :space AND doc < :before
    AND (:kinds::text IS NULL OR kind = ANY (ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb))))
    AND (:channel::text IS NULL OR channel = :channel)
        AND (:person::text IS NULL OR person = :person)
ORDER BY doc DESC LIMIT :limit)
ORDER BY doc DESC LIMIT :limit

-- name: gone_since
SELECT doc FROM documents_gone WHERE space = :space AND stamp >= :mark

-- name: lacks_terms
SELECT 1 AS lacks WHERE EXISTS (
    SELECT 1 FROM messages m WHERE m.space = :space AND m.stamp >= :documents AND NOT EXISTS (
        SELECT 1 FROM document_terms t WHERE t.space = m.space AND t.doc = m.doc))
OR EXISTS (
    SELECT 1 FROM documents d WHERE d.space = :space AND d.stamp >= :documents AND NOT EXISTS (
        SELECT 1 FROM document_terms t WHERE t.space = d.space AND t.doc = d.doc))

-- name: trim_terms
DELETE FROM document_terms WHERE space = :space AND doc IN (
    SELECT doc FROM document_terms WHERE space = :space AND stamp < :mark ORDER BY doc LIMIT :limit)

-- name: trim_vectors
DELETE FROM vectors WHERE space = :space AND doc IN (
    SELECT doc FROM vectors WHERE space = :space AND stamp < :mark ORDER BY stamp LIMIT :limit)
    AND stamp < :mark

-- name: origin
-- Marks are numbers of transactions: those of another server mean nothing here.
SELECT system_identifier::text AS origin FROM pg_control_system() WHERE :space::text IS NOT NULL

-- name: much_new
-- Whether more than :many documents or vectors came since the marks.
SELECT 1 AS much WHERE EXISTS (
    SELECT 1 FROM messages WHERE space = :space AND stamp >= :documents ORDER BY stamp
        LIMIT 1 OFFSET :many)
OR EXISTS (
    SELECT 1 FROM documents WHERE space = :space AND stamp >= :documents ORDER BY stamp
        LIMIT 1 OFFSET :many)
OR EXISTS (
    SELECT 1 FROM vectors WHERE space = :space AND stamp >= :vectors ORDER BY stamp
        LIMIT 1 OFFSET :many)
OR EXISTS (
    SELECT 1 FROM documents_gone WHERE space = :space AND stamp >= :gone ORDER BY stamp
        LIMIT 1 OFFSET :many)

-- name: add_piece
INSERT INTO index_pieces (space, file, at, data) VALUES (:space, :file, :at, :data::bytea)

-- name: pieces
-- binary: bytes as they are, not as text.
SELECT at, data FROM index_pieces WHERE space = :space AND file = :file AND at > :after
    ORDER BY at LIMIT :limit

-- name: drop_pieces
DELETE FROM index_pieces WHERE space = :space AND file = ANY (
    ARRAY(SELECT jsonb_array_elements_text(:files::jsonb)))

-- name: hold_index
-- Until the commit. Whoever erases waits for whoever stores what it has read before.
SELECT 1 AS held FROM pg_advisory_xact_lock(hashtextextended('erstwhile.index ' || :space, 0))
