-- name: add_message
INSERT INTO messages (space, channel, seq, id, role, person, name, text, at, key, model, meta, source, created_at)
SELECT :space, r.channel, r.seq, r.id, r.role, r.person, r.name, r.text, r.at, r.key, r.model, r.meta, r.source, r.now
FROM json_to_recordset(:rows::json) AS r (
    channel TEXT, seq BIGINT, id TEXT, role TEXT, person TEXT, name TEXT, text TEXT, at BIGINT, key TEXT, model TEXT, meta TEXT, source TEXT, now BIGINT
)

-- name: by_keys
SELECT channel, id, seq, role, person, name, text, at, key, model, meta, created_at FROM messages
WHERE space = :space AND channel = :channel AND key IN (SELECT jsonb_array_elements_text(:keys::jsonb))

-- name: by_ids
-- = ANY (ARRAY(…)): an IN over as many is taken for a reason to read the whole space.
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))

-- name: named_in
-- People whose name is somewhere in the text; whether as a word of its own is looked at later.
SELECT p.person, coalesce(n.name, p.person) AS name
FROM people p LEFT JOIN names n ON n.space = p.space AND n.person = p.person
WHERE p.space = :space AND (position(lower(p.person) IN :lower::text) > 0 OR position(lower(n.name) IN :lower::text) > 0
    OR position(n.name IN :text::text) > 0 OR position(lower(split_part(n.name, ' ', 1)) IN :lower::text) > 0)
ORDER BY p.person, n.name LIMIT 50

-- name: names_of
-- The names each went by; the one they were last seen with comes last.
SELECT n.person, n.name, n.first_at, n.last_at FROM names n
WHERE n.space = :space AND n.person = ANY (ARRAY(SELECT jsonb_array_elements_text(:people::jsonb)))
ORDER BY n.person, n.last_at, n.name

-- name: heard
-- Of these channels: what was declared, how many named people each has, how many of those in `here` it lacks, how many of its own don't share.
SELECT c.channel, c.privacy,
    (SELECT count(*) FROM speakers s WHERE s.space = :space AND s.channel = c.channel AND s.person <> '') AS people,
    (SELECT count(*) FROM speakers h WHERE h.space = :space AND h.channel = :here AND (h.person = '' OR NOT EXISTS (
        SELECT 1 FROM speakers s WHERE s.space = :space AND s.channel = c.channel AND s.person = h.person)))
        + CASE WHEN :asker = '' OR EXISTS (
            SELECT 1 FROM speakers s WHERE s.space = :space AND s.channel = c.channel AND s.person = :asker) THEN 0 ELSE 1 END AS lacks,
    (SELECT count(*) FROM speakers s LEFT JOIN people p ON p.space = s.space AND p.person = s.person
        WHERE s.space = :space AND s.channel = c.channel AND coalesce(p.shares, 0) = 0) AS unwilling
FROM channels c WHERE c.space = :space AND c.channel = ANY (ARRAY(SELECT jsonb_array_elements_text(:channels::jsonb)))

-- name: ids_in
-- OFFSET 0: the ranges first, each a look into the key.
SELECT r.number - 1 AS number, m.id FROM jsonb_array_elements(:ranges::jsonb) WITH ORDINALITY AS r (value, number)
CROSS JOIN LATERAL (
    SELECT id, seq FROM messages
    WHERE space = :space AND channel = r.value->>0 AND seq BETWEEN (r.value->>1)::bigint AND (r.value->>2)::bigint OFFSET 0
) AS m
ORDER BY r.number, m.seq

-- name: hold_channels
-- Until the commit nothing is added to any of them.
SELECT channel FROM channels WHERE space = :space ORDER BY channel FOR UPDATE

-- name: move_channel
-- And the feed is told, once for all that came together.
WITH moved AS (UPDATE channels SET last_seq = :last_seq WHERE space = :space AND channel = :channel)
INSERT INTO events (space, kind, action, id, channel, person, seq, until) VALUES (:space, 'message', 'added', :id, :channel, :person, :first_seq, :last_seq)

-- name: directory
-- Who was heard of last comes first. Each time of a person's last message is one look into the index.
SELECT p.person, p.blocked, p.shares, (
    SELECT max(m.at) FROM messages m WHERE m.space = p.space AND m.person = p.person
) AS last_at FROM people p
WHERE p.space = :space AND (CAST(:people AS TEXT) IS NULL OR p.person IN (SELECT jsonb_array_elements_text(:people::jsonb)))
    AND (CAST(:named AS TEXT) IS NULL OR position(:lower::text IN lower(p.person)) > 0 OR EXISTS (
        SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person
            AND (position(:lower::text IN lower(n.name)) > 0 OR position(:named::text IN n.name) > 0)))
ORDER BY last_at DESC NULLS LAST, p.person LIMIT :limit OFFSET :skip

-- name: directory_total
SELECT count(*) AS people FROM people p
WHERE p.space = :space AND (CAST(:people AS TEXT) IS NULL OR p.person IN (SELECT jsonb_array_elements_text(:people::jsonb)))
    AND (CAST(:named AS TEXT) IS NULL OR position(:lower::text IN lower(p.person)) > 0 OR EXISTS (
        SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person
            AND (position(:lower::text IN lower(n.name)) > 0 OR position(:named::text IN n.name) > 0)))

-- name: said_by_each
-- How many messages each of these people has said.
SELECT m.person, count(*) AS messages FROM messages m WHERE m.space = :space AND m.person IN (SELECT jsonb_array_elements_text(:people::jsonb)) GROUP BY m.person
