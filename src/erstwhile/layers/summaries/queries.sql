-- name: hold_cursors
-- Inserts the cursors that are new and locks them until the commit, so that only one process cuts
-- and groups a channel.
INSERT INTO chunk_cursors (space, channel, seq, number)
SELECT :space, k.value, 0, 0 FROM (:channels...) AS k WHERE true ORDER BY k.value
ON CONFLICT (space, channel) DO UPDATE SET seq = chunk_cursors.seq
RETURNING channel, seq, number

-- name: cursors
SELECT channel, seq FROM chunk_cursors WHERE space = :space

-- name: move_cursors
UPDATE chunk_cursors SET seq = r.seq, number = r.number
FROM (:rows...) AS r (channel TEXT, seq BIGINT, number INTEGER)
WHERE chunk_cursors.space = :space AND chunk_cursors.channel = r.channel

-- name: fill_place
INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id)
    VALUES (:space, :channel, :level, :first, :last, :number, :id)
ON CONFLICT (space, channel, level, first_seq, last_seq) DO UPDATE SET empty = 0

-- name: leave_place
-- The messages were gone before they were summarised: keeps a place without a text, so that there
-- is no gap.
INSERT INTO chunks (space, channel, level, first_seq, last_seq, number, id, empty)
VALUES (:space, :channel, :level, :first, :last, :number, :id, 1)
ON CONFLICT (space, channel, level, first_seq, last_seq) DO NOTHING

-- name: widen
-- A provisional chunk gets more messages. What a person deleted stays deleted.
UPDATE chunks SET last_seq = :last, number = :number, empty = CASE WHEN EXISTS (
    SELECT 1 FROM memories m WHERE m.space = chunks.space AND m.id = chunks.id
        AND m.deleted_at IS NOT NULL) THEN 1 ELSE 0 END
WHERE space = :space AND channel = :channel AND level = :level AND first_seq = :first AND id = :id

-- name: provisional
SELECT c.last_seq, coalesce(m.draft, 1) AS draft FROM chunks c
LEFT JOIN memories m ON m.space = c.space AND m.id = c.id
WHERE c.space = :space AND c.channel = :channel AND c.level = 0 AND c.first_seq = :first

-- name: set_empty
UPDATE chunks SET empty = :empty WHERE space = :space AND id = :id

-- name: get
SELECT c.*, m.text, m.writer, m.draft, m.stale, m.from_at, m.to_at, m.edited_by
FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.id = :id

-- name: ranges
-- Those of one level, or of the metas when `level` is NULL.
SELECT c.*, m.text, m.writer, m.draft, m.stale, m.from_at, m.to_at, m.edited_by
FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.channel = :channel
    AND ((:level::integer IS NULL AND c.level > 0) OR c.level = :level)
ORDER BY c.level, c.first_seq

-- name: shown
-- Those of one level, or of every level, which touch these messages. The latest first.
SELECT c.*, m.text, m.writer, m.draft, m.stale, m.from_at, m.to_at, m.edited_by
FROM chunks c JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.channel = :channel
    AND (:level::integer IS NULL OR c.level = :level) AND c.first_seq <= :last
        AND c.last_seq >= :first
ORDER BY c.level DESC, c.first_seq DESC LIMIT :limit

-- name: under
-- The range of a meta, also of one that is still to be made.
SELECT min(channel) AS channel, max(level) + 1 AS level, min(first_seq) AS first_seq,
    max(last_seq) AS last_seq FROM chunks
WHERE space = :space AND parent = :parent

-- name: stale
-- The metas whose parts have changed, lowest level first.
SELECT c.*, m.text, m.writer, m.draft, m.stale, m.from_at, m.to_at, m.edited_by
FROM chunks c JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.channel = :channel AND c.level > 0 AND m.stale = 1
    AND m.edited_at IS NULL ORDER BY c.level, c.first_seq

-- name: channels
SELECT DISTINCT channel FROM chunks WHERE space = :space AND level = 0 ORDER BY channel

-- name: expired
-- Chunks of which messages have expired.
SELECT c.channel, c.level, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space
    AND c.level = 0 AND c.number >= 0 AND (
    SELECT count(*) FROM messages m WHERE m.space = c.space AND m.channel = c.channel
        AND m.seq BETWEEN c.first_seq AND c.last_seq
) <= c.last_seq - c.first_seq
ORDER BY c.channel, c.first_seq

-- name: orphan
UPDATE chunks SET parent = NULL WHERE space = :space

-- name: children
-- Not those without a text.
SELECT c.*, m.text, m.writer, m.draft, m.stale, m.from_at, m.to_at, m.edited_by
FROM chunks c JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.parent = :parent ORDER BY c.number

-- name: parts
SELECT c.parent, c.id FROM chunks c JOIN memories m ON m.space = c.space AND m.id = c.id
    AND m.deleted_at IS NULL
WHERE c.space = :space AND c.parent IN (:ids...) ORDER BY c.parent, c.number

-- name: blank_child
-- One whose text was erased and that must be made again.
SELECT c.id FROM chunks c WHERE c.space = :space AND c.parent = :parent AND c.empty = 0
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = c.space AND m.id = c.id
        AND m.deleted_at IS NULL) LIMIT 1

-- name: free
-- Places of a level that no meta has taken yet, in order; not a provisional one.
SELECT channel, level, number, first_seq, last_seq FROM chunks
WHERE space = :space AND channel = :channel AND level = :level AND parent IS NULL AND number >= 0
ORDER BY number LIMIT :limit

-- name: taken
-- The last number that has a parent, and how many parents there are: the next meta's number.
SELECT coalesce(max(number), -1) AS number, count(DISTINCT parent) AS parents FROM chunks
WHERE space = :space AND channel = :channel AND level = :level AND parent IS NOT NULL

-- name: adopt
UPDATE chunks SET parent = :parent WHERE space = :space AND channel = :channel AND level = :level
    AND number BETWEEN :from_number AND :to_number

-- name: standing
-- What a context shows: the summaries that no finished meta covers, oldest first.
-- Of each chunk it would look at its meta: so it looks at the metas, which are ten times fewer. Each
-- step is materialized and each meta looked up by its key, or else Postgres, until it has statistics,
-- goes through all of it for every memory.
WITH unfinished AS MATERIALIZED (
    SELECT p.id FROM chunks p WHERE p.space = :space AND p.channel = :channel AND p.level > 0
        AND (SELECT 1 FROM memories t
            WHERE t.space = :space AND t.id = p.id AND t.deleted_at IS NULL) IS NULL
), shown AS MATERIALIZED (
    SELECT * FROM chunks WHERE space = :space AND channel = :channel AND parent IS NULL
    UNION ALL
    SELECT k.* FROM unfinished u CROSS JOIN chunks k WHERE k.space = :space AND k.parent = u.id
)
SELECT c.*, m.text, m.writer, m.draft, m.stale, m.from_at, m.to_at, m.edited_by
FROM shown c CROSS JOIN memories m
WHERE m.space = :space AND m.id = c.id AND m.deleted_at IS NULL
ORDER BY c.first_seq

-- name: drafts
-- And those whose text was erased.
SELECT c.channel, c.level, c.number, c.first_seq, c.last_seq
FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.empty = 0 AND coalesce(m.draft, 1) = 1 ORDER BY c.channel, c.level,
    c.first_seq

-- name: counts
SELECT c.level, count(*) AS summaries, coalesce(sum(m.draft), 0) AS drafts,
    coalesce(sum(m.stale), 0) AS stale
FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space GROUP BY c.level ORDER BY c.level

-- name: count_in
-- The number per channel, without those that a person deleted.
SELECT c.channel, sum(CASE WHEN c.level = 0 THEN 1 ELSE 0 END) AS chunks,
    sum(CASE WHEN c.level > 0 THEN 1 ELSE 0 END) AS metas,
    coalesce(sum(m.stale), 0) AS stale, max(c.level) AS levels
FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.channel IN (:channels...) AND c.empty = 0 GROUP BY c.channel

-- name: drop_blank_places
DELETE FROM chunks WHERE space = :space AND empty = 0 AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.space = chunks.space AND m.id = chunks.id
        AND m.deleted_at IS NULL)

-- name: empty_cursors
DELETE FROM chunk_cursors WHERE space = :space

-- name: state_of_parts
-- The current parts of a meta.
SELECT c.id, m.stale, (SELECT max(v.version) FROM versions v WHERE v.space = c.space
    AND v.id = c.id) AS version
FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL
WHERE c.space = :space AND c.parent = :parent ORDER BY c.id

-- Erasure

-- name: list_expired
-- Chunks with missing messages in channels the person wrote in: they may have words of the person.
-- Not those made before the person was known,
-- nor those that were made again after an erasure and have lost no message since.
INSERT INTO erasing (space, id, channel, seq)
SELECT c.space, 'gone:' || c.id, c.channel, c.first_seq FROM chunks c
JOIN memories t ON t.space = c.space AND t.id = c.id AND t.deleted_at IS NULL
JOIN speakers s ON s.space = c.space AND s.channel = c.channel AND s.person = :person
JOIN people p ON p.space = c.space AND p.person = :person AND p.created_at <= t.created_at
WHERE c.space = :space AND c.level = 0 AND (
    SELECT count(*) FROM messages m WHERE m.space = c.space AND m.channel = c.channel
        AND m.seq BETWEEN c.first_seq AND c.last_seq
) + c.gone <= c.last_seq - c.first_seq
ON CONFLICT (space, id) DO NOTHING

-- name: list_places
INSERT INTO erasing (space, id)
SELECT c.space, c.id FROM chunks c WHERE c.space = :space AND (
    EXISTS (SELECT 1 FROM erasing e WHERE e.space = c.space AND e.channel = c.channel
        AND e.seq BETWEEN c.first_seq AND c.last_seq)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = c.space AND e.channel = c.channel
        AND e.seq IS NULL)
    OR EXISTS (SELECT 1 FROM memories m WHERE m.space = c.space AND m.id = c.id
        AND m.edited_by = :person))
ON CONFLICT (space, id) DO NOTHING

-- name: list_above
-- Those over a listed one, a level at a time.
INSERT INTO erasing (space, id)
SELECT DISTINCT p.space, p.id FROM erasing e JOIN chunks c ON c.space = e.space AND c.id = e.id
JOIN chunks p ON p.space = c.space AND p.id = c.parent
WHERE e.space = :space AND NOT EXISTS (SELECT 1 FROM erasing l WHERE l.space = p.space
    AND l.id = p.id)
ON CONFLICT (space, id) DO NOTHING

-- name: made_of_listed
-- Whether a chunk or a reading has a listed message.
SELECT 1 AS one FROM erasing e WHERE e.space = :space AND e.seq IS NOT NULL AND (
    EXISTS (SELECT 1 FROM chunks c WHERE c.space = e.space AND c.channel = e.channel
        AND c.level = 0 AND c.first_seq <= e.seq AND c.last_seq >= e.seq)
    OR EXISTS (SELECT 1 FROM chunks c WHERE c.space = e.space AND c.channel = e.channel
        AND c.level > 0 AND c.first_seq <= e.seq AND c.last_seq >= e.seq)
    OR EXISTS (SELECT 1 FROM readings x WHERE x.space = e.space AND x.channel = e.channel
        AND x.first_seq <= e.seq AND x.last_seq >= e.seq)) LIMIT 1

-- name: count_gone
-- Called once the messages are erased.
UPDATE chunks SET gone = last_seq - first_seq + 1 - (
    SELECT count(*) FROM messages m WHERE m.space = chunks.space AND m.channel = chunks.channel
        AND m.seq BETWEEN chunks.first_seq AND chunks.last_seq
) WHERE space = :space AND level = 0 AND id IN (SELECT e.id FROM erasing e WHERE e.space = :space)

-- name: close_places
-- All messages are gone: keeps a place without a text, so that there is no gap.
UPDATE chunks SET empty = 1 WHERE space = :space AND level = 0 AND empty = 0
    AND NOT EXISTS (SELECT 1 FROM memories t WHERE t.space = chunks.space AND t.id = chunks.id
        AND t.deleted_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.space = chunks.space
        AND m.channel = chunks.channel
        AND m.seq BETWEEN chunks.first_seq AND chunks.last_seq)

-- name: close_metas
-- The same for metas without parts, a level at a time.
UPDATE chunks SET empty = 1 WHERE space = :space AND level = :level AND empty = 0
    AND NOT EXISTS (SELECT 1 FROM memories t WHERE t.space = chunks.space AND t.id = chunks.id
        AND t.deleted_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.space = chunks.space AND c.parent = chunks.id
        AND c.empty = 0)

-- name: blank_left
SELECT c.channel, c.level, c.number, c.first_seq, c.last_seq FROM chunks c
    JOIN erasing e ON e.space = c.space AND e.id = c.id
WHERE c.space = :space AND c.empty = 0
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = c.space AND m.id = c.id
        AND m.deleted_at IS NULL)
ORDER BY c.channel, c.level, c.first_seq

-- name: put_reading
-- The first reading stays; a model's reading replaces a draft. Changes of its memories lock this
-- row.
INSERT INTO readings (space, kind, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :kind, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, kind, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft,
        created_at = excluded.created_at
WHERE readings.draft = 1 AND excluded.draft = 0

-- name: replace_reading
-- A reading that someone asked for.
INSERT INTO readings (space, kind, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :kind, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, kind, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft,
        created_at = excluded.created_at

-- name: reading_at
SELECT found, writer, draft FROM readings WHERE space = :space AND kind = :kind
    AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: hold_reading
-- Locks the row until the commit, so that a reading and a person's edit take turns.
UPDATE readings SET found = found WHERE space = :space AND kind = :kind AND channel = :channel
    AND first_seq = :first AND last_seq = :last

-- name: other_readings
-- Of the same chunk, when it had fewer or more messages.
SELECT last_seq FROM readings WHERE space = :space AND kind = :kind AND channel = :channel
    AND first_seq = :first AND last_seq <> :last

-- name: draft_readings
SELECT channel, first_seq, last_seq FROM readings WHERE space = :space AND kind = :kind
    AND draft = 1 ORDER BY channel, first_seq

-- name: reading_counts
-- The number of chunks that were read, and of those with at least one memory.
SELECT count(*) AS chunks, coalesce(sum(CASE WHEN found > 0 THEN 1 ELSE 0 END), 0) AS nonempty,
    coalesce(sum(found), 0) AS found, coalesce(sum(draft), 0) AS drafts
FROM readings WHERE space = :space AND kind = :kind
    AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)

-- name: reading_counts_by_day
-- The same for a period, by the day on which chunks were read.
SELECT (created_at - :since) / 86400000000 AS day, count(*) AS chunks,
    sum(CASE WHEN found > 0 THEN 1 ELSE 0 END) AS nonempty
FROM readings WHERE space = :space AND kind = :kind AND created_at >= :since
    AND created_at <= :until GROUP BY 1

-- name: unread
-- Full chunks that were never read for a kind and have messages.
SELECT c.channel, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space
    AND c.channel = :channel AND c.level = 0 AND NOT EXISTS (
    SELECT 1 FROM readings r WHERE r.space = c.space AND r.kind = :kind AND r.channel = c.channel
        AND r.first_seq = c.first_seq AND r.last_seq = c.last_seq
) AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = c.space AND m.channel = c.channel
        AND m.seq BETWEEN c.first_seq AND c.last_seq
) ORDER BY c.first_seq

-- name: empty_readings
DELETE FROM readings WHERE space = :space AND kind = :kind AND (
    SELECT count(*) FROM messages m
    WHERE m.space = readings.space AND m.channel = readings.channel
        AND m.seq BETWEEN readings.first_seq AND readings.last_seq
) > readings.last_seq - readings.first_seq

-- name: readings_touched
-- Readings of messages that are listed to be erased.
SELECT x.channel, x.first_seq, x.last_seq FROM readings x WHERE x.space = :space
    AND x.kind = :kind AND (
    EXISTS (SELECT 1 FROM erasing e WHERE e.space = x.space AND e.channel = x.channel
        AND e.seq BETWEEN x.first_seq AND x.last_seq)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = x.space AND e.channel = x.channel
        AND e.seq IS NULL))
ORDER BY x.channel, x.first_seq

-- name: drop_reading
DELETE FROM readings WHERE space = :space AND kind = :kind AND channel = :channel
    AND first_seq = :first AND last_seq = :last

-- name: settle_readings
-- A draft that can't be made again stays.
UPDATE readings SET draft = 0 WHERE space = :space AND kind = :kind AND channel = :channel
    AND draft = 1 AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m
    WHERE m.space = readings.space AND m.channel = readings.channel
        AND m.seq BETWEEN readings.first_seq AND readings.last_seq
) <= readings.last_seq - readings.first_seq
