-- name: put_extract
-- The first reading stands; only a draft is replaced, by a model's.
INSERT INTO extracts (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft, created_at = excluded.created_at
WHERE extracts.draft = 1 AND excluded.draft = 0

-- name: replace_extract
-- A reading that someone asked for.
INSERT INTO extracts (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft, created_at = excluded.created_at

-- name: extract_at
SELECT found, writer, draft FROM extracts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: hold_extract
-- Holds the row until the commit: a reading being kept and a person's hand on its facts take turns.
UPDATE extracts SET found = found WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: of_range
SELECT * FROM facts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last ORDER BY position

-- name: of_channel
-- Those read in these messages, or added by hand while the conversation was there. The latest first.
SELECT * FROM facts WHERE space = :space AND channel = :channel AND first_seq <= CAST(:last AS BIGINT) + 1
    AND ((last_seq >= :first AND first_seq <= :last) OR (last_seq < first_seq AND first_seq >= :first))
    AND (CAST(:category AS TEXT) IS NULL OR category = :category OR category = '') AND (importance >= :importance OR category = '')
ORDER BY first_seq DESC, last_seq DESC, position DESC LIMIT :limit

-- name: of_person_elsewhere
SELECT * FROM facts WHERE space = :space AND person = :person AND channel <> :channel ORDER BY at DESC, id LIMIT :limit

-- name: drop_unedited_of
DELETE FROM facts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last AND edited_at IS NULL

-- name: give_up_edits_of
UPDATE facts SET edited_at = NULL, edited_by = NULL
WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: edit
UPDATE facts SET text = :text, category = :category, importance = :importance, draft = 0, edited_at = :now, edited_by = :by
WHERE space = :space AND id = :id

-- name: delete
DELETE FROM facts WHERE space = :space AND id = :id

-- name: last_position
SELECT coalesce(max(position), -1) AS position FROM facts
WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: add
INSERT INTO facts (space, channel, first_seq, last_seq, position, id, seq, person, text, writer, draft, at, created_at, importance, category)
VALUES (:space, :channel, :first, :last, :position, :id, :seq, :person, :text, :writer, :draft, :at, :now, :importance, :category)

-- name: sign
-- What a person wrote stays, like what a person edited.
UPDATE facts SET edited_at = :now, edited_by = :by WHERE space = :space AND id = :id

-- name: get
SELECT * FROM facts WHERE space = :space AND id = :id

-- name: latest
-- The newest facts of a channel, newest first.
SELECT * FROM facts WHERE space = :space AND channel = :channel ORDER BY first_seq DESC, position DESC LIMIT :limit

-- name: drafts
SELECT channel, first_seq, last_seq FROM extracts WHERE space = :space AND draft = 1 ORDER BY channel, first_seq

-- name: counts
SELECT count(*) AS extracts, coalesce(sum(found), 0) AS facts, coalesce(sum(draft), 0) AS drafts,
    coalesce(sum(CASE WHEN found = 0 THEN 1 ELSE 0 END), 0) AS without
FROM extracts WHERE space = :space

-- name: unread
-- Full chunks that were never read for facts, as far as there is something to read.
SELECT c.channel, c.number, c.first_seq, c.last_seq FROM chunks c WHERE c.space = :space AND c.channel = :channel AND c.level = 0 AND NOT EXISTS (
    SELECT 1 FROM extracts e WHERE e.space = c.space AND e.channel = c.channel AND e.first_seq = c.first_seq AND e.last_seq = c.last_seq
) AND EXISTS (
    SELECT 1 FROM messages m WHERE m.space = c.space AND m.channel = c.channel AND m.seq BETWEEN c.first_seq AND c.last_seq
) ORDER BY c.first_seq

-- name: read
SELECT count(*) AS extracts FROM extracts WHERE space = :space AND channel = :channel

-- name: found_in
SELECT found FROM extracts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: another_channel
SELECT 1 AS one FROM channels WHERE space = :space AND channel <> :channel LIMIT 1

-- name: add_link
INSERT INTO fact_links (space, id, other)
SELECT f.space, f.id, o.id FROM facts f, facts o WHERE f.space = :space AND f.id = :id AND o.space = :space AND o.id = :other
ON CONFLICT (space, id, other) DO NOTHING

-- name: links_in
SELECT l.id, l.other FROM facts f JOIN fact_links l ON l.space = f.space AND l.id = f.id
JOIN facts o ON o.space = l.space AND o.id = l.other
WHERE f.space = :space AND f.channel = :channel AND f.first_seq BETWEEN :first AND :last ORDER BY l.id, l.other

-- name: drop_loose_links
DELETE FROM fact_links WHERE space = :space AND NOT (
    EXISTS (SELECT 1 FROM facts f WHERE f.space = fact_links.space AND f.id = fact_links.id)
    AND EXISTS (SELECT 1 FROM facts o WHERE o.space = fact_links.space AND o.id = fact_links.other))

-- name: left
-- After emptying: what people wrote, and what can't be made again.
SELECT * FROM facts WHERE space = :space

-- name: empty
-- What people wrote stays, and so does what was read in messages that have expired.
DELETE FROM facts WHERE space = :space AND edited_at IS NULL AND (
    SELECT count(*) FROM messages m WHERE m.space = facts.space AND m.channel = facts.channel AND m.seq BETWEEN facts.first_seq AND facts.last_seq
) > facts.last_seq - facts.first_seq

-- name: empty_extracts
DELETE FROM extracts WHERE space = :space AND (
    SELECT count(*) FROM messages m
    WHERE m.space = extracts.space AND m.channel = extracts.channel AND m.seq BETWEEN extracts.first_seq AND extracts.last_seq
) > extracts.last_seq - extracts.first_seq

-- name: put_back
INSERT INTO facts (space, channel, first_seq, last_seq, position, id, seq, person, text, writer, draft, at, created_at, edited_at, edited_by,
    importance, category)
VALUES (:space, :channel, :first_seq, :last_seq, :position, :id, :seq, :person, :text, :writer, :draft, :at, :created_at, :edited_at, :edited_by,
    :importance, :category)

-- name: at_position
SELECT id FROM facts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last AND position = :position

-- name: links_of
SELECT other FROM fact_links WHERE space = :space AND id = :id ORDER BY other

-- name: read_by
SELECT writer FROM extracts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last
