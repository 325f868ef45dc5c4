-- name: put_extract
-- The first reading stands; only a draft is replaced, by a model's.
INSERT INTO extracts (space, channel, first_seq, last_seq, found, writer, draft, created_at)
VALUES (:space, :channel, :first, :last, :found, :writer, :draft, :now)
ON CONFLICT (space, channel, first_seq, last_seq) DO UPDATE SET
    found = excluded.found, writer = excluded.writer, draft = excluded.draft, created_at = excluded.created_at
WHERE extracts.draft = 1 AND excluded.draft = 0

-- name: drafts_of
SELECT id FROM facts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last AND edited_at IS NULL

-- name: drop_drafts_of
DELETE FROM facts WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last AND edited_at IS NULL

-- name: last_position
SELECT coalesce(max(position), -1) AS position FROM facts
WHERE space = :space AND channel = :channel AND first_seq = :first AND last_seq = :last

-- name: add
INSERT INTO facts (space, channel, first_seq, last_seq, position, id, seq, person, text, writer, draft, at, created_at)
VALUES (:space, :channel, :first, :last, :position, :id, :seq, :person, :text, :writer, :draft, :at, :now)

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

-- name: empty
DELETE FROM facts WHERE space = :space

-- name: empty_extracts
DELETE FROM extracts WHERE space = :space
