-- name: versions
SELECT version, action, text, writer, at FROM versions WHERE space = :space AND id = :id ORDER BY version

-- name: wipe
UPDATE versions SET text = '', kept = '' WHERE space = :space AND id = :id

-- name: reword
UPDATE versions SET text = :text, kept = '' WHERE space = :space AND id = :id AND version = :version

-- name: keep
-- With the newest version.
UPDATE versions SET kept = :kept WHERE space = :space AND id = :id AND version = (
    SELECT max(n.version) FROM versions n WHERE n.space = :space AND n.id = :id)

-- name: kept
SELECT kept FROM versions WHERE space = :space AND id = :id ORDER BY version DESC LIMIT 1
