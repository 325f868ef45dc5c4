-- name: record
INSERT INTO versions (space, id, version, action, text, writer, at)
SELECT :space, r.id, coalesce(l.version, 0) + 1,
    CASE WHEN r.action = 'written' AND l.action IS NOT NULL AND l.action <> 'deleted' THEN 'replaced' ELSE r.action END, r.text, r.writer, r.now
FROM json_to_recordset(:rows::json) AS r (id TEXT, action TEXT, text TEXT, writer TEXT, now BIGINT)
LEFT JOIN LATERAL (SELECT * FROM versions v WHERE v.space = :space AND v.id = r.id ORDER BY v.version DESC LIMIT 1) AS l ON true
WHERE l.version IS NULL OR r.action <> 'written' OR l.action = 'deleted' OR l.text <> r.text OR l.writer <> r.writer

-- name: deleted
SELECT v.id FROM versions v WHERE v.space = :space AND v.id IN (SELECT jsonb_array_elements_text(:ids::jsonb)) AND v.action = 'deleted' AND v.writer <> 'retention'
    AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.space = v.space AND n.id = v.id AND n.version > v.version)

-- name: hold_memory
-- Whoever writes a memory waits.
SELECT id FROM memories WHERE space = :space AND id = :id FOR UPDATE

-- name: by_ids
SELECT * FROM memories WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb))) AND deleted_at IS NULL

-- name: drop
DELETE FROM memories WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))

-- name: drop_sources
DELETE FROM memory_sources WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))

-- name: count_in
SELECT channel, count(*) AS memories FROM memories
WHERE space = :space AND kind = :kind AND channel = ANY (ARRAY(SELECT jsonb_array_elements_text(:channels::jsonb))) AND deleted_at IS NULL GROUP BY channel

-- name: empty_kinds
DELETE FROM memories WHERE space = :space AND kind = ANY (ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb))) AND edited_at IS NULL AND deleted_at IS NULL AND (
    SELECT count(*) FROM messages m
    WHERE m.space = memories.space AND m.channel = memories.channel AND m.seq BETWEEN memories.first_seq AND memories.last_seq
) > memories.last_seq - memories.first_seq

-- name: settle
UPDATE memories SET draft = 0 WHERE space = :space AND kind = ANY (ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb))) AND channel = :channel AND draft = 1
    AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m
    WHERE m.space = memories.space AND m.channel = memories.channel AND m.seq BETWEEN memories.first_seq AND memories.last_seq
) <= memories.last_seq - memories.first_seq

-- name: list_erased
-- What was edited stays where it rests on another message than those that go.
INSERT INTO erasing (space, id)
SELECT m.space, m.id FROM memories m WHERE m.space = :space AND m.kind = ANY (ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb))) AND (
    m.person = :person OR m.said_by = :person OR m.edited_by = :person
    OR ((m.edited_at IS NULL OR m.seq IS NULL) AND EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = m.space AND e.channel = m.channel AND e.seq BETWEEN m.first_seq AND m.last_seq))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = m.space AND e.channel = m.channel AND (e.seq IS NULL OR e.seq = m.seq)))
ON CONFLICT (space, id) DO NOTHING

-- name: sources_of
-- In the order of their times.
SELECT s.id, s.source FROM memory_sources s JOIN memories m ON m.space = s.space AND m.id = s.source AND m.deleted_at IS NULL
WHERE s.space = :space AND s.id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb))) ORDER BY s.id, m.at, m.first_seq, s.source

-- name: made_from
SELECT DISTINCT id FROM memory_sources WHERE space = :space AND source = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb))) ORDER BY id
