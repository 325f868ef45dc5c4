-- name: hold
-- Inserts the row if it is new and locks it until the commit, so that tellings about a person take
-- turns.
INSERT INTO told (space, id, person, audience, version, base, merged, changed_at)
VALUES (:space, :id, :person, :audience, 0, '', 0, :now)
ON CONFLICT (space, person, audience) DO UPDATE SET version = told.version
RETURNING *

-- name: one
SELECT * FROM told WHERE space = :space AND person = :person AND audience = :audience

-- name: set
UPDATE told SET version = :version, base = :base, merged = :merged, changed_at = :changed_at
    WHERE space = :space AND id = :id

-- name: of_person
-- The public text first.
SELECT m.*, t.version FROM told t JOIN memories m ON m.space = t.space AND m.id = t.id
WHERE t.space = :space AND t.person = :person AND m.deleted_at IS NULL ORDER BY t.audience

-- name: drafts
-- Texts with tellings that neither a model nor a person has merged.
SELECT t.person, t.audience FROM told t WHERE t.space = :space AND EXISTS (
    SELECT 1 FROM tellings g WHERE g.space = t.space AND g.person = t.person
        AND g.audience = t.audience AND g.number > t.merged)

-- name: messages_of
-- The messages with the requests to remember or to forget, as far as they still exist.
SELECT t.id, m.id AS source FROM told t
JOIN tellings l ON l.space = t.space AND l.person = t.person AND l.audience = t.audience
JOIN messages m ON m.space = l.space AND m.channel = l.channel AND m.seq = l.seq
WHERE t.space = :space AND t.id IN (:ids...) ORDER BY t.id, l.number

-- name: last_number
SELECT coalesce(max(number), 0) AS number FROM tellings WHERE space = :space AND person = :person
    AND audience = :audience

-- name: add_telling
INSERT INTO tellings (space, person, audience, number, action, words, said_by, channel, seq, found,
    flag, at)
VALUES (:space, :person, :audience, :number, :action, :words, :said_by, :channel, :seq, :found,
    :flag, :at)

-- name: set_found
UPDATE tellings SET found = :found WHERE space = :space AND person = :person
    AND audience = :audience AND number = :number

-- name: by_audience
SELECT * FROM tellings WHERE space = :space AND person = :person ORDER BY audience, number

-- name: since
-- The tellings after one, in order.
SELECT * FROM tellings WHERE space = :space AND person = :person AND audience = :audience
    AND number > :after ORDER BY number

-- name: tellers
SELECT DISTINCT said_by FROM tellings WHERE space = :space AND person = :person
    AND said_by IS NOT NULL

-- name: told_in
-- The people about whom something public was told in a channel.
SELECT DISTINCT person FROM tellings WHERE space = :space AND audience = '' AND channel = :channel
    AND action = 'remember' ORDER BY person

-- name: delete_tellings
DELETE FROM tellings WHERE space = :space AND person = :person AND audience = :audience

-- Erasing

-- name: list_erased
INSERT INTO erasing (space, id)
SELECT t.space, t.id FROM told t WHERE t.space = :space AND (t.person = :person
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = t.space AND e.channel = t.audience
        AND e.seq IS NULL))
ON CONFLICT (space, id) DO NOTHING

-- name: told_in_listed
-- Whether something was told in a channel with a listed message.
SELECT 1 AS one FROM erasing e WHERE e.space = :space AND e.seq IS NOT NULL AND EXISTS (
    SELECT 1 FROM tellings g WHERE g.space = e.space AND g.channel = e.channel) LIMIT 1

-- name: touched
-- The texts about others that the person edited, or with a telling of theirs or of an erased
-- message.
SELECT t.person, t.audience FROM told t LEFT JOIN memories w ON w.space = t.space AND w.id = t.id
WHERE t.space = :space AND (w.edited_by = :person OR EXISTS (
    SELECT 1 FROM tellings g WHERE g.space = t.space AND g.person = t.person
        AND g.audience = t.audience AND (g.said_by = :person OR EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = g.space AND e.channel = g.channel
            AND (e.seq = g.seq OR e.seq IS NULL))
        OR EXISTS (SELECT 1 FROM erasing e JOIN messages m ON m.space = e.space
            AND m.channel = e.channel AND m.seq = e.seq
            WHERE e.space = g.space AND e.channel = g.channel AND m.person = g.said_by
                AND replace(m.text, g.words, '') <> m.text))))
ORDER BY t.person, t.audience

-- name: old
SELECT t.id, t.person, t.audience FROM told t WHERE t.space = :space AND t.changed_at < :before
    AND NOT EXISTS (
    SELECT 1 FROM tellings g WHERE g.space = t.space AND g.person = t.person
        AND g.audience = t.audience AND g.at >= :before)
ORDER BY t.person, t.audience LIMIT :limit

-- name: count_old
SELECT count(*) AS number FROM told t WHERE t.space = :space AND t.changed_at < :before
    AND NOT EXISTS (
    SELECT 1 FROM tellings g WHERE g.space = t.space AND g.person = t.person
        AND g.audience = t.audience AND g.at >= :before)

-- name: old_tellings
-- Tellings without a text: everything was forgotten.
SELECT DISTINCT g.person, g.audience FROM tellings g WHERE g.space = :space AND g.at < :before
    AND NOT EXISTS (SELECT 1 FROM told t WHERE t.space = g.space AND t.person = g.person
        AND t.audience = g.audience)
    AND NOT EXISTS (SELECT 1 FROM tellings n WHERE n.space = g.space AND n.person = g.person
        AND n.audience = g.audience AND n.at >= :before)
ORDER BY g.person, g.audience LIMIT :limit
