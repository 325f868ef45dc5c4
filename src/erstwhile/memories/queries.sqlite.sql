-- name: record
INSERT INTO versions (space, id, version, action, text, writer, at)
SELECT :space, :id, coalesce(l.version, 0) + 1,
    CASE WHEN :action = 'written' AND l.action IS NOT NULL AND l.action <> 'deleted' THEN 'replaced' ELSE :action END, :text, :writer, :now
FROM (SELECT 1) LEFT JOIN (SELECT * FROM versions WHERE space = :space AND id = :id ORDER BY version DESC LIMIT 1) AS l
WHERE l.version IS NULL OR :action <> 'written' OR l.action = 'deleted' OR l.text <> :text OR l.writer <> :writer

-- name: deleted
SELECT v.id FROM versions v WHERE v.space = :space AND v.id IN (SELECT value FROM json_each(:ids)) AND v.action = 'deleted' AND v.writer <> 'retention'
    AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.space = v.space AND n.id = v.id AND n.version > v.version)

-- name: hold_memory
-- A writing transaction holds the whole database already.
SELECT id FROM memories WHERE space = :space AND id = :id

-- name: by_ids
SELECT * FROM memories WHERE space = :space AND id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL

-- name: drop
DELETE FROM memories WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: drop_sources
DELETE FROM memory_sources WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))

-- name: count_in
SELECT channel, count(*) AS memories FROM memories
WHERE space = :space AND kind = :kind AND channel IN (SELECT value FROM json_each(:channels)) AND deleted_at IS NULL GROUP BY channel

-- name: empty_kinds
DELETE FROM memories WHERE space = :space AND kind IN (SELECT value FROM json_each(:kinds)) AND edited_at IS NULL AND deleted_at IS NULL AND (
    SELECT count(*) FROM messages m
    WHERE m.space = memories.space AND m.channel = memories.channel AND m.seq BETWEEN memories.first_seq AND memories.last_seq
) > memories.last_seq - memories.first_seq

-- name: settle
UPDATE memories SET draft = 0 WHERE space = :space AND kind IN (SELECT value FROM json_each(:kinds)) AND channel = :channel AND draft = 1
    AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m
    WHERE m.space = memories.space AND m.channel = memories.channel AND m.seq BETWEEN memories.first_seq AND memories.last_seq
) <= memories.last_seq - memories.first_seq

-- name: list_erased
-- What was edited stays where it rests on another message than those that go.
INSERT INTO erasing (space, id)
SELECT m.space, m.id FROM memories m WHERE m.space = :space AND m.kind IN (SELECT value FROM json_each(:kinds)) AND (
    m.person = :person OR m.said_by = :person OR m.edited_by = :person
    OR ((m.edited_at IS NULL OR m.seq IS NULL) AND EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = m.space AND e.channel = m.channel AND e.seq BETWEEN m.first_seq AND m.last_seq))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = m.space AND e.channel = m.channel AND (e.seq IS NULL OR e.seq = m.seq)))
ON CONFLICT (space, id) DO NOTHING

-- name: sources_of
-- In the order of their times.
SELECT s.id, s.source FROM memory_sources s JOIN memories m ON m.space = s.space AND m.id = s.source AND m.deleted_at IS NULL
WHERE s.space = :space AND s.id IN (SELECT value FROM json_each(:ids)) ORDER BY s.id, m.at, m.first_seq, s.source

-- name: made_from
SELECT DISTINCT id FROM memory_sources WHERE space = :space AND source IN (SELECT value FROM json_each(:ids)) ORDER BY id
