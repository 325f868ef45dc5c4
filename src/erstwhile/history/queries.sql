-- name: versions
SELECT version, action, text, writer, at FROM versions WHERE space = :space AND id = :id ORDER BY version
