-- name: emit
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
VALUES (:space, :kind, :action, :id, :channel, :person, :seq, :until)

-- name: secret
-- across spaces: it is of the whole database, and only its servers know it.
SELECT secret FROM migrations ORDER BY version LIMIT 1

-- Erasing

-- name: unname_events
UPDATE events SET person = NULL WHERE space = :space AND person = :person
