-- name: tables
-- across spaces: the structure of the database, not its rows. A partition is reached through its table alone.
SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space' AND NOT a.attisdropped
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relowner = (SELECT o.relowner FROM pg_class o WHERE o.oid = to_regclass('migrations'))
ORDER BY c.relname

