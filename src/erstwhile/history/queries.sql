-- name: versions
SELECT version, action, text, writer, at FROM versions WHERE space = :space AND id = :id ORDER BY version

-- name: wipe
UPDATE versions SET text = '' WHERE space = :space AND id = :id

-- name: reword
UPDATE versions SET text = :text WHERE space = :space AND id = :id AND version = :version
