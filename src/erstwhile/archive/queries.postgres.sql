-- name: layout
-- across spaces: how the tables are made, none of their rows.
SELECT t.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull::int AS required,
    (a.atthasdef OR a.attidentity <> '')::int AS defaulted, coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS place
FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
WHERE t.relnamespace = quote_ident(current_schema())::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
ORDER BY t.relname, a.attnum

-- name: enter
-- across spaces: an archive has many, and each is read and written behind its own wall, all in one transaction.
SELECT set_config('erstwhile.space', :own, true), set_config('erstwhile.everywhere', :everywhere, true)

-- name: beyond_documents
-- across spaces: numbers are given once in the whole database. The role that works in it may not set them: its owner does, for this transaction.
SELECT set_config('role', 'none', true), setval('documents_doc', greatest(CAST(:least AS BIGINT), 1))

-- name: beyond_events
-- across spaces: as above.
SELECT set_config('role', 'none', true), setval(pg_get_serial_sequence('events', 'number'), greatest(CAST(:least AS BIGINT), 1))
