-- name: add_documents
-- Only for ids that are not there yet: remove first to replace.
INSERT INTO documents (space, id, kind, channel, person, at, seq, until, traits)
VALUES (:space, :id, :kind, :channel, :person, :at, :seq, :until, :traits);
INSERT INTO unembedded (space, doc) VALUES (:space, last_insert_rowid());
INSERT INTO document_terms (doc, space, terms) SELECT last_insert_rowid(), :space, :terms
WHERE :terms IS NOT NULL

-- name: remove_documents
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
SELECT space, kind, 'removed', id, channel, person, seq, until FROM documents
WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)) AND kind <> 'message'
    ORDER BY doc;
INSERT INTO documents_gone (space, doc) SELECT space, doc FROM documents WHERE space = :space
    AND id IN (SELECT value FROM json_each(:ids));
DELETE FROM unembedded WHERE space = :space AND doc IN (
    SELECT doc FROM documents WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)));
DELETE FROM vectors WHERE space = :space AND doc IN (
    SELECT doc FROM documents WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)));
DELETE FROM document_terms WHERE space = :space AND doc IN (
    SELECT doc FROM documents WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)));
DELETE FROM documents WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: all_gone
INSERT INTO documents_gone (space, doc) SELECT space, doc FROM documents WHERE space = :space

-- name: feed
-- What changed since each mark: new documents, those that are gone, new vectors; whose vectors they
-- are, and the version of the stored files, with the marks up to which the tables are trimmed.
SELECT 0 AS what, d.doc, d.doc AS mark, d.id, d.kind, d.channel, d.person, d.at, d.seq, d.until,
    d.traits, t.terms, NULL AS vector,
    CASE d.kind WHEN 'message' THEN NULL
        ELSE coalesce((SELECT coalesce(m.edited_by, m.writer) FROM memories m
            WHERE m.space = d.space AND m.id = d.id),
            (SELECT w.writer FROM versions w WHERE w.space = d.space AND w.id = d.id
                ORDER BY w.version DESC LIMIT 1)) END AS writer
FROM documents d LEFT JOIN document_terms t ON t.doc = d.doc AND t.space = d.space
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
-- CROSS JOIN: first those that wait, in order; else SQLite sorts all documents.
SELECT d.doc, d.id, d.kind, m.text, m.meta
FROM unembedded u CROSS JOIN documents d ON d.space = u.space AND d.doc = u.doc
LEFT JOIN messages m ON d.kind = 'message' AND m.space = d.space AND m.id = d.id
WHERE u.space = :space AND u.doc > :after ORDER BY u.doc LIMIT :limit

-- name: put_vectors
INSERT OR REPLACE INTO vectors (space, doc, vector)
SELECT :space, d.doc, :vector FROM documents d WHERE d.space = :space AND d.doc = :doc

-- name: marks
SELECT coalesce((SELECT max(doc) FROM documents WHERE space = :space), 0) AS documents,
    coalesce((SELECT max(number) FROM documents_gone WHERE space = :space), 0) AS gone,
    coalesce((SELECT max(number) FROM vectors WHERE space = :space), 0) AS vectors,
    coalesce((SELECT embedder FROM embedded WHERE space = :space), '') AS embedder,
    coalesce((SELECT min(doc) FROM documents_gone WHERE space = :space AND doc < 0), 0) AS emptied

-- name: page
-- An index is filled page by page. INDEXED BY: numbers are in order anyway, but going by them alone
-- leads through the other spaces.
SELECT d.doc, d.id, d.kind, d.channel, d.person, d.at, d.seq, d.until, d.traits, t.terms, v.vector,
    CASE d.kind WHEN 'message' THEN NULL
        ELSE coalesce((SELECT coalesce(m.edited_by, m.writer) FROM memories m
            WHERE m.space = d.space AND m.id = d.id),
            (SELECT w.writer FROM versions w WHERE w.space = d.space AND w.id = d.id
                ORDER BY w.version DESC LIMIT 1)) END AS writer
FROM documents d INDEXED BY documents_feed LEFT JOIN vectors v ON v.space = d.space
    AND v.doc = d.doc LEFT JOIN document_terms t ON t.doc = d.doc AND t.space = d.space
WHERE d.space = :space AND d.doc > :after ORDER BY d.doc LIMIT :limit

-- name: memories
-- From the newest back. Messages, which are most of the documents, are not in this index.
SELECT doc, id, kind, channel, person, at FROM documents INDEXED BY documents_memories
WHERE space = :space AND kind <> 'message' AND doc < :before
    AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
    AND (:channel IS NULL OR channel = :channel) AND (:person IS NULL OR person = :person)
ORDER BY doc DESC LIMIT :limit

-- name: everything
-- The same with messages.
SELECT doc, id, kind, channel, person, at FROM documents INDEXED BY documents_feed
WHERE space = :space AND doc < :before
    AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
    AND (:channel IS NULL OR channel = :channel) AND (:person IS NULL OR person = :person)
ORDER BY doc DESC LIMIT :limit

-- name: gone_since
SELECT doc FROM documents_gone WHERE space = :space AND number > :mark

-- name: lacks_terms
SELECT 1 AS lacks FROM documents d WHERE d.space = :space AND d.doc > :documents AND NOT EXISTS (
    SELECT 1 FROM document_terms t WHERE t.space = d.space AND t.doc = d.doc) LIMIT 1

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
