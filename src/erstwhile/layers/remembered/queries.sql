-- name: hold
-- Makes the row if it is new and holds it until the commit: who tells of the same person takes turns.
INSERT INTO told (space, person, audience, id, text, version, writer, draft, base, merged, created_at, changed_at)
VALUES (:space, :person, :audience, :id, '', 0, '', 0, '', 0, :now, :now)
ON CONFLICT (space, person, audience) DO UPDATE SET version = told.version
RETURNING *

-- name: put
UPDATE told SET text = :text, version = version + 1, writer = :writer, draft = :draft, base = :base, merged = :merged, changed_at = :now
WHERE space = :space AND person = :person AND audience = :audience

-- name: settle
-- Nothing to read differently, but a telling more is taken into account.
UPDATE told SET draft = :draft, base = :base, merged = :merged WHERE space = :space AND person = :person AND audience = :audience

-- name: get
SELECT * FROM told WHERE space = :space AND id = :id

-- name: one
SELECT * FROM told WHERE space = :space AND person = :person AND audience = :audience

-- name: of_person
SELECT * FROM told WHERE space = :space AND person = :person ORDER BY audience

-- name: everything
SELECT * FROM told WHERE space = :space AND text <> ''

-- name: drafts
SELECT person, audience FROM told WHERE space = :space AND draft = 1

-- name: last_number
SELECT coalesce(max(number), 0) AS number FROM tellings WHERE space = :space AND person = :person AND audience = :audience

-- name: add_telling
INSERT INTO tellings (space, person, audience, number, action, words, said_by, channel, seq, found, flag, at)
VALUES (:space, :person, :audience, :number, :action, :words, :said_by, :channel, :seq, :found, :flag, :at)

-- name: set_found
UPDATE tellings SET found = :found WHERE space = :space AND person = :person AND audience = :audience AND number = :number

-- name: tellings
SELECT * FROM tellings WHERE space = :space AND person = :person AND (CAST(:audience AS TEXT) IS NULL OR audience = :audience)
ORDER BY at, audience, number

-- name: since
-- What was told after a telling, in order.
SELECT * FROM tellings WHERE space = :space AND person = :person AND audience = :audience AND number > :after ORDER BY number

-- name: tellers
SELECT DISTINCT said_by FROM tellings WHERE space = :space AND person = :person AND said_by IS NOT NULL

-- name: known
SELECT person FROM people WHERE space = :space AND person = :person

-- name: blocked_names
-- Everyone who is blocked, by each name they ever had.
SELECT p.person, n.name, n.first_at FROM people p LEFT JOIN names n ON n.space = p.space AND n.person = p.person
WHERE p.space = :space AND p.blocked = 1 ORDER BY p.person, n.first_at

-- name: had_before
SELECT p.person FROM people p WHERE p.space = :space AND p.blocked = 0 AND (p.person = :name OR EXISTS (
    SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person AND n.name = :name AND n.first_at < :since)) LIMIT 1

-- name: told_in
-- Of whom something was told in a channel for everyone to hear.
SELECT DISTINCT person FROM tellings WHERE space = :space AND audience = '' AND channel = :channel AND action = 'remember' ORDER BY person

-- name: drop_tellings
DELETE FROM tellings WHERE space = :space AND person = :person AND audience = :audience

-- name: start_over
-- With other tellings, of which those up to `merged` are in the base.
UPDATE told SET base = :base, merged = :merged WHERE space = :space AND person = :person AND audience = :audience

-- name: put_back
UPDATE told SET text = :text, version = :version, writer = :writer, draft = :draft, base = :base, merged = :merged, changed_at = :changed_at
WHERE space = :space AND id = :id AND text = ''
