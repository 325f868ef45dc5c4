-- name: emit
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
VALUES (:space, :kind, :action, :id, :channel, :person, :seq, :until)

-- Erasing

-- name: unname_events
UPDATE events SET person = NULL WHERE space = :space AND person = :person
