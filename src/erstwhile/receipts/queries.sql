-- name: hold
-- Makes the row if it is new and holds it until the commit: who erases, and who writes what was
-- made before, take turns.
INSERT INTO erasure_marks (space, number, secret) VALUES (:space, 0, :secret)
ON CONFLICT (space) DO UPDATE SET number = erasure_marks.number
RETURNING number, secret

-- name: mark
SELECT number, secret FROM erasure_marks WHERE space = :space

-- name: drop_blank_mark
-- Nothing was erased under it yet: the secret that comes with tombstones takes its place.
DELETE FROM erasure_marks WHERE space = :space AND number = 0

-- name: move
UPDATE erasure_marks SET number = number + 1 WHERE space = :space

-- name: add
INSERT INTO erasures (space, id, at, kind, subject, counts, checked, digest, by)
VALUES (:space, :id, :at, :kind, :subject, :counts, 0, :digest, :by)

-- name: set_checked
UPDATE erasures SET checked = :checked WHERE space = :space AND id = :id

-- name: of_subject
SELECT 1 AS there FROM erasures WHERE space = :space AND subject = :subject LIMIT 1

-- name: add_revision
INSERT INTO revisions (space, number, id, channel, seq, at) VALUES (:space, :number, :id, :channel, :seq, :at)

-- name: revisions
SELECT number, id, channel, seq FROM revisions WHERE space = :space AND number > :after ORDER BY number

-- name: forget_revisions
DELETE FROM revisions WHERE space = :space AND at < :before

-- name: drop_revisions
DELETE FROM revisions WHERE space = :space

-- name: receipts
-- Newest first: an id sorts by when it was made.
SELECT id, at, kind, subject, counts, checked, digest, by FROM erasures
WHERE space = :space AND (CAST(:subject AS TEXT) IS NULL OR subject = :subject) ORDER BY at DESC, id DESC LIMIT :limit

-- name: lately
SELECT subject, at FROM erasures WHERE space = :space AND at >= :since

-- name: tombstones
SELECT hash FROM tombstones WHERE space = :space AND hash IN (:keys...)

-- name: add_tombstone
INSERT INTO tombstones (space, hash) VALUES (:space, :hash) ON CONFLICT (space, hash) DO NOTHING

-- Erasing

-- name: unsign_receipts
UPDATE erasures SET by = '' WHERE space = :space
