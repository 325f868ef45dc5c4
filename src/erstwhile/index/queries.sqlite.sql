-- name: add_documents
-- The row and its terms share a rowid. Only for ids that are not there yet: remove first to replace.
INSERT INTO documents (space, id, kind, channel, person, at) VALUES (:space, :id, :kind, :channel, :person, :at);
INSERT INTO documents_terms (rowid, scope, terms) VALUES (last_insert_rowid(), :scope, :terms)

-- name: remove_terms
DELETE FROM documents_terms
WHERE rowid IN (SELECT doc FROM documents WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)))

-- name: remove_documents
DELETE FROM documents WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: empty_terms
DELETE FROM documents_terms WHERE rowid IN (SELECT doc FROM documents WHERE space = :space)

-- name: empty_documents
DELETE FROM documents WHERE space = :space

-- name: match
-- `match` narrows by the scope column and ranks by the terms column alone.
SELECT d.id, d.kind, d.channel, d.person, d.at, -bm25(documents_terms, 0.0, 1.0) AS score
FROM documents_terms JOIN documents d ON d.doc = documents_terms.rowid
WHERE documents_terms MATCH :match AND d.space = :space
ORDER BY score DESC, d.at DESC, d.id
LIMIT :limit
