-- name: layout
-- across spaces: how the tables are made, none of their rows.
SELECT t.name AS "table", c.name AS "column", c.type AS type, c."notnull" AS required, c.dflt_value IS NOT NULL AS defaulted, c.pk AS place
FROM sqlite_schema t JOIN pragma_table_info(t.name) c
WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid

-- name: enter
-- across spaces: nothing to say here, a query's own space is all there is.
SELECT :own AS own, :everywhere AS everywhere

-- name: beyond_documents
-- across spaces: numbers are given once in the whole database.
UPDATE sqlite_sequence SET seq = max(seq, :least) WHERE name = 'documents_doc'

-- name: beyond_events
-- across spaces: SQLite sees to it by itself.
SELECT :least AS least
