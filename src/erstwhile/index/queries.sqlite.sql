-- name: add_documents
-- Only for ids that are not there yet: remove first to replace.
UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'documents_doc';
INSERT INTO documents (doc, space, id, kind, channel, person, at, seq, until, traits)
VALUES ((SELECT seq FROM sqlite_sequence WHERE name = 'documents_doc'), :space, :id, :kind,
    :channel, :person, :at, :seq, :until, :traits);
INSERT INTO unembedded (space, doc, until)
VALUES (:space, last_insert_rowid(), last_insert_rowid());
INSERT INTO document_terms (doc, space, terms) SELECT last_insert_rowid(), :space, :terms
WHERE :terms IS NOT NULL

-- name: reserve
-- across spaces: numbers are given once in the whole database.
UPDATE sqlite_sequence SET seq = seq + :count WHERE name = 'documents_doc' RETURNING seq AS last

-- name: all_gone
INSERT INTO documents_gone (space, doc) SELECT space, doc FROM documents WHERE space = :space

-- name: feed
-- What changed since each mark: new documents, those that are gone, new vectors; whose vectors they
-- are, and the version of the stored files, with the marks up to which the tables are trimmed.
SELECT 0 AS what, m.doc, m.doc AS mark, m.id, 'message' AS kind, m.channel, m.person, m.at, m.seq,
    m.seq AS until, m.traits, t.terms, NULL AS vector, NULL AS writer
FROM messages m INDEXED BY messages_feed LEFT JOIN document_terms t ON t.doc = m.doc
    AND t.space = m.space
WHERE m.space = :space AND m.doc > :documents
UNION ALL
SELECT 0, d.doc, d.doc, d.id, d.kind, d.channel, d.person, d.at, d.seq, d.until,
    d.traits, t.terms, NULL,
    coalesce((SELECT coalesce(m.edited_by, m.writer) FROM memories m
        WHERE m.space = d.space AND m.id = d.id),
        (SELECT w.writer FROM versions w WHERE w.space = d.space AND w.id = d.id
            ORDER BY w.version DESC LIMIT 1))
FROM documents d INDEXED BY documents_feed LEFT JOIN document_terms t ON t.doc = d.doc AND t.space = d.space
WHERE d.space = :space AND d.doc > :documents
UNION ALL
SELECT 1, doc, number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM documents_gone WHERE space = :space AND number > :gone
UNION ALL
SELECT 2, doc, number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, vector, NULL
    FROM vectors WHERE space = :space AND number > :vectors
UNION ALL
SELECT 3, 0, 0, NULL, embedder, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM embedded
    WHERE space = :space
UNION ALL
SELECT 4, max(version), 0, NULL, NULL, NULL, NULL, NULL, max(CASE WHEN trimmed > 0 THEN documents ELSE 0 END),
    max(CASE WHEN trimmed > 1 THEN vectors ELSE 0 END), NULL, NULL, NULL, NULL FROM index_files WHERE space = :space HAVING count(*) > 0

-- name: unembedded
SELECT * FROM (
    SELECT m.doc, m.id, 'message' AS kind, m.text, m.meta FROM messages m INDEXED BY messages_feed
    WHERE m.space = :space AND m.doc BETWEEN :first AND :last AND NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.space = m.space AND v.doc = m.doc)
    ORDER BY m.doc LIMIT :limit)
UNION ALL
SELECT * FROM (
    SELECT d.doc, d.id, d.kind, NULL, NULL FROM documents d INDEXED BY documents_feed
    WHERE d.space = :space AND d.doc BETWEEN :first AND :last AND NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.space = d.space AND v.doc = d.doc)
    ORDER BY d.doc LIMIT :limit)

-- name: put_vectors
INSERT OR REPLACE INTO vectors (space, doc, vector)
SELECT :space, :doc, :vector WHERE EXISTS (
    SELECT 1 FROM messages WHERE space = :space AND doc = :doc
    UNION ALL SELECT 1 FROM documents WHERE space = :space AND doc = :doc)

-- name: marks
SELECT max(coalesce((SELECT max(doc) FROM messages WHERE space = :space), 0),
        coalesce((SELECT max(doc) FROM documents WHERE space = :space), 0)) AS documents,
    coalesce((SELECT max(number) FROM documents_gone WHERE space = :space), 0) AS gone,
    coalesce((SELECT max(number) FROM vectors WHERE space = :space), 0) AS vectors,
    coalesce((SELECT embedder FROM embedded WHERE space = :space), '') AS embedder,
    coalesce((SELECT min(doc) FROM documents_gone WHERE space = :space AND doc < 0), 0) AS emptied

-- name: message_page
-- An index is filled page by page. INDEXED BY: numbers are in order anyway, but going by them alone
-- leads through the other spaces.
SELECT m.doc, m.id, 'message' AS kind, m.channel, m.person, m.at, m.seq, m.seq AS until, m.traits,
    t.terms, v.vector, NULL AS writer
FROM messages m INDEXED BY messages_feed LEFT JOIN vectors v ON v.space = m.space
    AND v.doc = m.doc LEFT JOIN document_terms t ON t.doc = m.doc AND t.space = m.space
WHERE m.space = :space AND m.doc > :after ORDER BY m.doc LIMIT :limit

-- name: memory_page
SELECT d.doc, d.id, d.kind, d.channel, d.person, d.at, d.seq, d.until, d.traits, t.terms, v.vector,
    coalesce((SELECT coalesce(m.edited_by, m.writer) FROM memories m
        WHERE m.space = d.space AND m.id = d.id),
        (SELECT w.writer FROM versions w WHERE w.space = d.space AND w.id = d.id
            ORDER BY w.version DESC LIMIT 1)) AS writer
FROM documents d INDEXED BY documents_feed LEFT JOIN vectors v ON v.space = d.space
    AND v.doc = d.doc LEFT JOIN document_terms t ON t.doc = d.doc AND t.space = d.space
WHERE d.space = :space AND d.doc > :after ORDER BY d.doc LIMIT :limit

-- name: memories
-- From the newest back.
SELECT doc, id, kind, channel, person, at FROM documents INDEXED BY documents_feed
WHERE space = :space AND doc < :before
    AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
    AND (:channel IS NULL OR channel = :channel) AND (:person IS NULL OR person = :person)
ORDER BY doc DESC LIMIT :limit

-- name: everything
-- The same with messages.
SELECT * FROM (
    SELECT doc, id, 'message' AS kind, channel, person, at FROM messages INDEXED BY messages_feed
    WHERE space = :space AND doc < :before
        AND (:channel IS NULL OR channel = :channel) AND (:person IS NULL OR person = :person)
    ORDER BY doc DESC LIMIT :limit)
UNION ALL
SELECT * FROM (
    SELECT doc, id, kind, channel, person, at FROM documents INDEXED BY documents_feed
    WHERE space = :space AND doc < :before
        AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
        AND (:channel IS NULL OR channel = :channel) AND (:person IS NULL OR person = :person)
    ORDER BY doc DESC LIMIT :limit)
ORDER BY doc DESC LIMIT :limit

-- name: gone_since
SELECT doc FROM documents_gone WHERE space = :space AND number > :mark

-- name: lacks_terms
SELECT 1 AS lacks WHERE EXISTS (
    SELECT 1 FROM messages m WHERE m.space = :space AND m.doc > :documents AND NOT EXISTS (
        SELECT 1 FROM document_terms t WHERE t.space = m.space AND t.doc = m.doc))
OR EXISTS (
    SELECT 1 FROM documents d WHERE d.space = :space AND d.doc > :documents AND NOT EXISTS (
        SELECT 1 FROM document_terms t WHERE t.space = d.space AND t.doc = d.doc))

-- name: trim_terms
DELETE FROM document_terms WHERE space = :space AND doc IN (
    SELECT doc FROM document_terms WHERE space = :space AND doc <= :mark ORDER BY doc LIMIT :limit)

-- name: trim_vectors
DELETE FROM vectors WHERE number IN (
    SELECT number FROM vectors WHERE space = :space AND number <= :mark ORDER BY number LIMIT :limit)

-- name: origin
SELECT '' AS origin WHERE :space IS NOT NULL

-- name: much_new
-- Whether more than :many documents or vectors came since the marks.
SELECT 1 AS much WHERE EXISTS (
    SELECT 1 FROM messages WHERE space = :space AND doc > :documents ORDER BY doc
        LIMIT 1 OFFSET :many)
OR EXISTS (
    SELECT 1 FROM documents WHERE space = :space AND doc > :documents ORDER BY doc
        LIMIT 1 OFFSET :many)
OR EXISTS (
    SELECT 1 FROM vectors WHERE space = :space AND number > :vectors ORDER BY number
        LIMIT 1 OFFSET :many)
OR EXISTS (
    SELECT 1 FROM documents_gone WHERE space = :space AND number > :gone ORDER BY number
        LIMIT 1 OFFSET :many)

-- name: every_index_file
-- across spaces: files that no space has are left over from a process that was killed.
SELECT file FROM index_files

-- name: hold_index
-- Writers come one after the other here.
SELECT 1 AS held WHERE :space IS NOT NULL
