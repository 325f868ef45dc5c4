-- name: messages
-- Of a person or of a channel, in the order they were said; a page, from after the last one.
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND (CAST(:person AS TEXT) IS NULL OR person = :person) AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)
    AND (at, channel, seq) > (:at, :after, :seq)
ORDER BY at, channel, seq LIMIT :limit

-- name: days
SELECT day, audience, text, writer, draft, made_at FROM days WHERE space = :space AND person = :person ORDER BY day, audience

-- name: person
SELECT blocked, shares FROM people WHERE space = :space AND person = :person

-- name: names
SELECT name, first_at, last_at FROM names WHERE space = :space AND person = :person ORDER BY first_at, name

-- name: prompts
SELECT name, instructions FROM prompts WHERE space = :space AND person = :person ORDER BY name

-- name: channel
SELECT privacy, last_seq FROM channels WHERE space = :space AND channel = :channel

-- name: structured
SELECT valid_from, valid_to FROM structured WHERE space = :space AND id = :id

-- name: profile_fact
SELECT at AS valid_from, valid_to FROM profile_facts WHERE space = :space AND id = :id
