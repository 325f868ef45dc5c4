-- name: tables
-- across spaces: the structure of the database, not its rows.
SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE s.type = 'table' AND c.name = 'space' ORDER BY s.name

