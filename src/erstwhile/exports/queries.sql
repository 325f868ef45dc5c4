-- name: messages
-- Of a person or of a channel, in the order they were said; a page, from after the last one.
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND (CAST(:person AS TEXT) IS NULL OR person = :person) AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)
    AND (at, channel, seq) > (:at, :after, :seq)
ORDER BY at, channel, seq LIMIT :limit

-- name: person
SELECT blocked, shares FROM people WHERE space = :space AND person = :person

-- name: names
SELECT name, first_at, last_at FROM names WHERE space = :space AND person = :person ORDER BY first_at, name

-- name: prompts
SELECT name, instructions FROM prompts WHERE space = :space AND person = :person ORDER BY name

-- name: channel
SELECT privacy, last_seq FROM channels WHERE space = :space AND channel = :channel

-- name: memory
SELECT valid_from, valid_to FROM memories WHERE space = :space AND id = :id

-- name: channels
SELECT channel, privacy, last_seq AS messages FROM channels WHERE space = :space ORDER BY channel

-- name: channels_of
SELECT channel FROM speakers WHERE space = :space AND person = :person

-- name: people
SELECT p.person, p.blocked, p.shares FROM people p WHERE p.space = :space ORDER BY p.person

-- name: all_prompts
SELECT person, name, instructions FROM prompts WHERE space = :space ORDER BY person, name

-- name: beyond_its_channel
-- A message with a number that its channel has not given yet, or of no channel at all.
SELECT m.channel, m.seq FROM messages m LEFT JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND (c.last_seq IS NULL OR m.seq > c.last_seq OR m.seq < 1) LIMIT 1

-- name: elsewhere
SELECT channel, coalesce(seq, first_seq) AS seq FROM memories
WHERE space = :space AND person = :person AND deleted_at IS NULL AND channel IN (:keys...)
