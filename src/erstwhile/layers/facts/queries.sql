-- name: put_extract
-- The first reading stays; a model's reading replaces a draft.
INSERT INTO extracts (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft,
        created_at = excluded.created_at
WHERE extracts.draft = 1 AND excluded.draft = 0

-- name: replace_extract
-- A reading that someone asked for.
INSERT INTO extracts (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft,
        created_at = excluded.created_at

-- name: extract_at
SELECT found, writer, draft FROM extracts WHERE space = :space AND channel = :channel
    AND first_seq = :first AND last_seq = :last

-- name: hold_extract
-- Locks the row until the commit, so that a reading and a person's edit take turns.
UPDATE extracts SET found = found WHERE space = :space AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: other_extracts
-- Of the same chunk, when it had fewer or more messages.
SELECT last_seq FROM extracts WHERE space = :space AND channel = :channel AND first_seq = :first
    AND last_seq <> :last

-- name: drafts
SELECT channel, first_seq, last_seq FROM extracts WHERE space = :space AND draft = 1
    ORDER BY channel, first_seq

-- name: counts
SELECT count(*) AS extracts, coalesce(sum(found), 0) AS facts, coalesce(sum(draft), 0) AS drafts,
    coalesce(sum(CASE WHEN found = 0 THEN 1 ELSE 0 END), 0) AS without
FROM extracts WHERE space = :space

-- name: unread
-- Full chunks that were never read for facts and have messages.
SELECT c.channel, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space
    AND c.channel = :channel AND c.level = 0 AND NOT EXISTS (
    SELECT 1 FROM extracts e WHERE e.space = c.space AND e.channel = c.channel
        AND e.first_seq = c.first_seq AND e.last_seq = c.last_seq
) AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = c.space AND m.channel = c.channel
        AND m.seq BETWEEN c.first_seq AND c.last_seq
) ORDER BY c.first_seq

-- name: read
SELECT count(*) AS extracts FROM extracts WHERE space = :space AND channel = :channel

-- name: found_in
SELECT found FROM extracts WHERE space = :space AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: another_channel
SELECT 1 AS one FROM channels WHERE space = :space AND channel <> :channel LIMIT 1

-- name: add_link
INSERT INTO fact_links (space, id, other)
SELECT f.space, f.id, o.id FROM memories f, memories o
WHERE f.space = :space AND f.id = :id AND f.deleted_at IS NULL AND o.space = :space
    AND o.id = :other AND o.deleted_at IS NULL
ON CONFLICT (space, id, other) DO NOTHING

-- name: links_in
SELECT l.id, l.other FROM memories f JOIN fact_links l ON l.space = f.space AND l.id = f.id
JOIN memories o ON o.space = l.space AND o.id = l.other AND o.deleted_at IS NULL
WHERE f.space = :space AND f.kind = 'fact' AND f.channel = :channel AND f.first_seq BETWEEN :first
    AND :last AND f.deleted_at IS NULL
ORDER BY l.id, l.other

-- name: drop_loose_links
DELETE FROM fact_links WHERE space = :space AND NOT (
    EXISTS (SELECT 1 FROM memories f WHERE f.space = fact_links.space AND f.id = fact_links.id)
    AND EXISTS (SELECT 1 FROM memories o WHERE o.space = fact_links.space
        AND o.id = fact_links.other))

-- name: empty_extracts
DELETE FROM extracts WHERE space = :space AND (
    SELECT count(*) FROM messages m
    WHERE m.space = extracts.space AND m.channel = extracts.channel
        AND m.seq BETWEEN extracts.first_seq AND extracts.last_seq
) > extracts.last_seq - extracts.first_seq

-- name: links_of
SELECT other FROM fact_links WHERE space = :space AND id = :id ORDER BY other

-- name: extracts_touched
-- Extracts with messages that are listed to be erased.
SELECT x.channel, x.first_seq, x.last_seq FROM extracts x WHERE x.space = :space AND (
    EXISTS (SELECT 1 FROM erasing e WHERE e.space = x.space AND e.channel = x.channel
        AND e.seq BETWEEN x.first_seq AND x.last_seq)
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = x.space AND e.channel = x.channel
        AND e.seq IS NULL))
ORDER BY x.channel, x.first_seq

-- name: drop_extract
DELETE FROM extracts WHERE space = :space AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: settle_extracts
-- A draft that can't be made again stays.
UPDATE extracts SET draft = 0 WHERE space = :space AND channel = :channel AND draft = 1
    AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m
    WHERE m.space = extracts.space AND m.channel = extracts.channel
        AND m.seq BETWEEN extracts.first_seq AND extracts.last_seq
) <= extracts.last_seq - extracts.first_seq

-- name: drop_links
-- In both directions. The key begins with `id`, so the other direction is found through the linked
-- facts.
DELETE FROM fact_links WHERE space = :space AND (id IN (:ids...)
    OR (id, other) IN (SELECT l.other, l.id FROM fact_links l WHERE l.space = :space AND l.id
        IN (:ids...)))

-- name: hold_person
-- Readings about one person are stored one after the other, so that a later one finds the facts of
-- an earlier one.
SELECT person FROM people WHERE space = :space AND person = :person FOR UPDATE

-- name: latest
SELECT id, channel, coalesce(nullif(first_seq, 0), 1) AS first_seq,
    coalesce(last_seq, 0) AS last_seq, seq, person, text, draft
FROM memories WHERE space = :space AND kind = 'fact' AND channel = :channel AND deleted_at IS NULL
ORDER BY memories.first_seq DESC, position DESC LIMIT :limit
