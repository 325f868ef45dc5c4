-- name: checked
-- Texts as bytes: a damaged one may be no text at all.
SELECT CAST(id AS BLOB) AS id, CAST(kind AS BLOB) AS kind, CAST(channel AS BLOB) AS channel,
    CAST(person AS BLOB) AS person, CAST(said_by AS BLOB) AS said_by, CAST(title AS BLOB) AS title,
    CAST(text AS BLOB) AS text, CAST(data AS BLOB) AS data, checksum
FROM memories WHERE space = :space AND id > CAST(:id AS TEXT) ORDER BY id LIMIT :limit

-- name: recorded
SELECT DISTINCT id FROM versions WHERE space = :space AND id IN (:ids...)

-- name: record_first
-- What `record` writes where there is no version yet. `record` makes temporary tables for every row.
INSERT INTO versions (space, id, version, action, text, writer, at)
VALUES (:space, :id, 1, :action, CASE WHEN :text <> '' AND :text = (
    SELECT m.text FROM memories m WHERE m.space = :space AND m.id = :id) THEN NULL ELSE :text END,
    :writer, :now)

-- name: record
INSERT INTO versions (space, id, version, action, text, writer, at)
SELECT :space, :id, coalesce(l.version, 0) + 1,
    CASE WHEN :action = 'written' AND l.action IS NOT NULL AND l.action <> 'deleted' THEN 'replaced'
        ELSE :action END,
    CASE WHEN :text <> '' AND :text = m.text THEN NULL ELSE :text END, :writer, :now
FROM (SELECT 1) LEFT JOIN (SELECT * FROM versions WHERE space = :space AND id = :id
    ORDER BY version DESC LIMIT 1) AS l LEFT JOIN memories m ON m.space = :space AND m.id = :id
WHERE l.version IS NULL OR :action <> 'written' OR l.action = 'deleted'
    OR coalesce(l.text, m.text, '') <> :text
    OR l.writer <> :writer
