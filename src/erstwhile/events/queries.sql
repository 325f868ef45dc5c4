-- name: emit
INSERT INTO events (space, kind, action, id, channel, person, seq, until)
VALUES (:space, :kind, :action, :id, :channel, :person, :seq, :until)
