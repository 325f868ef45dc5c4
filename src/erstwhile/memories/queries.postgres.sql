-- name: checked
SELECT id, kind, channel, person, said_by, title, text, data, checksum
FROM memories WHERE space = :space AND id > :id ORDER BY id LIMIT :limit

-- name: record
INSERT INTO versions (space, id, version, action, text, writer, at)
SELECT :space, r.id, coalesce(l.version, 0) + 1,
    CASE WHEN r.action = 'written' AND l.action IS NOT NULL
        AND l.action <> 'deleted' THEN 'replaced' ELSE r.action END,
    CASE WHEN r.text <> '' AND r.text = m.text THEN NULL ELSE r.text END, r.writer, r.now
FROM json_to_recordset(:rows::json) AS r (id TEXT, action TEXT, text TEXT, writer TEXT, now BIGINT)
LEFT JOIN LATERAL (SELECT * FROM versions v WHERE v.space = :space AND v.id = r.id
    ORDER BY v.version DESC LIMIT 1) AS l ON true
LEFT JOIN memories m ON m.space = :space AND m.id = r.id
WHERE l.version IS NULL OR r.action <> 'written' OR l.action = 'deleted'
    OR coalesce(l.text, m.text, '') <> r.text
    OR l.writer <> r.writer
