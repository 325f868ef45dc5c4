-- What goes is first listed in `erasing`: messages with their place, memories by their id, a whole channel as a row without a number.

-- name: clear
DELETE FROM erasing WHERE space = :space

-- name: list_messages_of
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND person = :person ON CONFLICT (space, id) DO NOTHING

-- name: list_channel
INSERT INTO erasing (space, id, channel) VALUES (:space, 'channel:' || CAST(:channel AS TEXT), :channel) ON CONFLICT (space, id) DO NOTHING

-- name: list_message
INSERT INTO erasing (space, id, channel, seq, at) VALUES (:space, :id, :channel, :seq, :at) ON CONFLICT (space, id) DO NOTHING

-- name: list_messages_in
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND channel = :channel ON CONFLICT (space, id) DO NOTHING

-- name: list_message_called
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND id = :id ON CONFLICT (space, id) DO NOTHING

-- name: list_messages_from
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND source = :source ON CONFLICT (space, id) DO NOTHING

-- name: places
SELECT id, channel, seq FROM erasing WHERE space = :space AND seq IS NOT NULL ORDER BY channel, seq

-- name: listed_in
SELECT id FROM erasing WHERE space = :space AND channel = :channel AND seq IS NOT NULL

-- name: channels_from
-- Where nothing was ever said that did not come from there.
SELECT c.channel FROM channels c WHERE c.space = :space AND c.last_seq = (
    SELECT count(*) FROM messages m WHERE m.space = c.space AND m.channel = c.channel AND m.source = :source)
AND c.last_seq > 0 ORDER BY c.channel

-- name: channels_alone
-- Where nobody but this person ever spoke or was declared to listen.
SELECT s.channel FROM speakers s WHERE s.space = :space AND s.person = :person AND NOT EXISTS (
    SELECT 1 FROM speakers o WHERE o.space = s.space AND o.channel = s.channel AND o.person <> s.person)
ORDER BY s.channel

-- name: channels_with
SELECT DISTINCT channel FROM erasing WHERE space = :space AND seq IS NOT NULL ORDER BY channel

-- name: turns
-- Who spoke in which order; no words.
SELECT seq, id, role, person, at FROM messages WHERE space = :space AND channel = :channel ORDER BY seq

-- name: turns_from
SELECT seq, id, role, person, at FROM messages WHERE space = :space AND channel = :channel AND seq >= :first ORDER BY seq LIMIT :limit

-- name: to_bury
SELECT m.channel, m.key, m.id, m.person, m.at, m.text FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id WHERE m.space = :space

-- name: page_to_bury
-- Of the whole space.
SELECT channel, seq, key, id, person, at, text FROM messages WHERE space = :space AND (channel, seq) > (:channel, :seq) ORDER BY channel, seq LIMIT :limit

-- name: close_keys
-- They open nothing any longer and say nothing of whose they were; but a server that has had a key is not open to those without.
UPDATE keys SET name = '', digest = '', used_at = NULL, expires_at = NULL, revoked_at = coalesce(revoked_at, :now)
WHERE space = :space AND digest <> ''

-- name: unsign_receipts
UPDATE erasures SET by = '' WHERE space = :space

-- name: unsign_receipts_by
UPDATE erasures SET by = '' WHERE space = :space AND by = :person

-- name: spans
-- Of what is listed, by channel.
SELECT channel, min(seq) AS first, max(seq) AS last FROM erasing WHERE space = :space AND at IS NOT NULL GROUP BY channel ORDER BY channel

-- name: drop_messages
DELETE FROM messages WHERE space = :space AND id IN (SELECT e.id FROM erasing e WHERE e.space = :space AND e.channel IS NOT NULL)

-- name: listed
SELECT id FROM erasing WHERE space = :space

-- name: list_documents_left
-- Whatever else the search has of the person, or of a channel that goes.
INSERT INTO erasing (space, id)
SELECT d.space, d.id FROM documents d WHERE d.space = :space AND (d.person = :person OR EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = d.space AND e.channel = d.channel AND e.seq IS NULL))
ON CONFLICT (space, id) DO NOTHING

-- name: count_documents
-- Of memories. Vectors may be in the stored index only: what can have one and waits for none has one.
SELECT count(*) AS documents, count(CASE WHEN NOT EXISTS (SELECT 1 FROM unembedded u
        WHERE u.space = d.space AND d.doc BETWEEN u.doc AND u.until AND NOT EXISTS (
            SELECT 1 FROM vectors v WHERE v.space = d.space AND v.doc = d.doc)) THEN m.space END) AS vectors
FROM documents d JOIN erasing e ON e.space = d.space AND e.id = d.id LEFT JOIN embedded m ON m.space = d.space
WHERE d.space = :space

-- name: count_message_vectors
-- The same of messages, each of which is a document.
SELECT count(*) AS vectors FROM messages d JOIN erasing e ON e.space = d.space AND e.id = d.id
    JOIN embedded m ON m.space = d.space AND m.messages = 1
WHERE d.space = :space AND NOT EXISTS (SELECT 1 FROM unembedded u
    WHERE u.space = d.space AND d.doc BETWEEN u.doc AND u.until AND NOT EXISTS (
        SELECT 1 FROM vectors v WHERE v.space = d.space AND v.doc = d.doc))

-- name: listed_messages
SELECT id FROM erasing WHERE space = :space AND at IS NOT NULL

-- name: drop_requests
-- Their own; what nobody asked by name where they spoke; what names them; and those of a channel that goes.
DELETE FROM requests WHERE space = :space AND (person = :person OR (channel IS NOT NULL AND person IS NULL AND EXISTS (
        SELECT 1 FROM speakers s WHERE s.space = requests.space AND s.channel = requests.channel AND s.person = :person))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = requests.space AND e.channel = requests.channel AND e.seq IS NULL))

-- name: drop_requests_in_words
-- What was asked in the very words of a message that goes, unless someone else asked it under their own name.
DELETE FROM requests WHERE space = :space AND ((person IS NULL AND query IN (
        SELECT m.text FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id WHERE m.space = :space))
    OR (person, query) IN (
        SELECT m.person, m.text FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id WHERE m.space = :space AND m.person IS NOT NULL))

-- name: complaints_after
SELECT request AS id, note AS text FROM complaints WHERE space = :space AND request > :id
ORDER BY request LIMIT :limit

-- name: requests_after
SELECT id, query AS text FROM requests WHERE space = :space AND id > :id ORDER BY id LIMIT :limit

-- name: titles_after
SELECT channel AS id, title AS text FROM channels WHERE space = :space AND channel > :id AND title <> ''
ORDER BY channel LIMIT :limit

-- name: drop_complaints_of
DELETE FROM complaints WHERE space = :space AND request IN (:ids...)

-- name: drop_requests_of
DELETE FROM requests WHERE space = :space AND id IN (:ids...)

-- name: drop_titles_of
UPDATE channels SET title = '' WHERE space = :space AND channel IN (:ids...)

-- name: drop_complaints
DELETE FROM complaints WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM requests r WHERE r.space = complaints.space AND r.id = complaints.request)

-- name: wipe_versions
-- Of what goes, and of what is made again. That something was there, and when it was deleted, stays on record.
UPDATE versions SET text = '', kept = '' WHERE space = :space AND (text IS NULL OR text <> '' OR kept <> '') AND id IN (SELECT e.id FROM erasing e WHERE e.space = :space)

-- name: drop_versions
-- Of what was theirs alone.
DELETE FROM versions WHERE space = :space AND id IN (SELECT e.id FROM erasing e WHERE e.space = :space)
    AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.space = versions.space AND c.id = versions.id)
    AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = versions.space AND n.id = versions.id)
    AND action <> 'deleted'

-- name: wipe_versions_by
UPDATE versions SET text = '', kept = '', writer = 'erasure' WHERE space = :space AND (writer = :person OR writer = :hand)

-- name: wipe_loose_versions
-- Of memories that are no more nobody can tell whose words they had: all since the first word of what goes.
UPDATE versions SET text = '', kept = '' WHERE space = :space AND (text <> '' OR kept <> '') AND at >= :since
    AND NOT EXISTS (SELECT 1 FROM memories f WHERE f.space = versions.space AND f.id = versions.id)

-- name: unname_flags
UPDATE flags SET reviewed_by = 'erasure' WHERE space = :space AND reviewed_by = :person

-- name: first_stored
-- When the first of it came in, the earliest that anything could have been made of it.
SELECT min(created_at) AS at FROM (
    SELECT created_at FROM people WHERE space = :space AND person = :person
    UNION ALL SELECT c.created_at FROM channels c JOIN erasing e ON e.space = c.space AND e.channel = c.channel AND e.seq IS NULL WHERE c.space = :space
    UNION ALL SELECT m.created_at FROM messages m WHERE m.space = :space AND m.person = :person
    UNION ALL SELECT m.created_at FROM messages m JOIN erasing e ON e.space = m.space AND e.channel = m.channel AND e.seq = m.seq WHERE m.space = :space
) AS first

-- name: unname_events
UPDATE events SET person = NULL WHERE space = :space AND person = :person

-- name: drop_events
DELETE FROM events WHERE space = :space AND EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = events.space AND e.channel = events.channel AND e.seq IS NULL)

-- Who is who

-- name: names
SELECT name FROM names WHERE space = :space AND person = :person

-- name: keep_open
-- A channel that is open since a second person spoke there stays so, since then.
UPDATE channels SET opened = (
    SELECT CASE WHEN s.since < 1 THEN 1 ELSE s.since END FROM speakers s WHERE s.space = channels.space AND s.channel = channels.channel
        AND s.person <> '' ORDER BY s.since, s.person LIMIT 1 OFFSET 1)
WHERE space = :space AND privacy = '' AND opened = 0
    AND EXISTS (SELECT 1 FROM speakers s WHERE s.space = channels.space AND s.channel = channels.channel AND s.person = :person)
    AND (SELECT count(*) FROM speakers o WHERE o.space = channels.space AND o.channel = channels.channel AND o.person <> '' AND o.person <> :person) > 0

-- name: drop_speakers
-- Of channels that go.
DELETE FROM speakers WHERE space = :space AND EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = speakers.space AND e.channel = speakers.channel AND e.seq IS NULL)

-- name: drop_names
DELETE FROM names WHERE space = :space AND person = :person

-- name: drop_person
-- Whom someone has blocked stays so: their id is kept for that, and nothing else.
DELETE FROM people WHERE space = :space AND person = :person AND blocked = 0

-- name: unshare
UPDATE people SET shares = 0, created_at = :now WHERE space = :space AND person = :person

-- name: drop_prompts
DELETE FROM prompts WHERE space = :space AND person = :person

-- name: drop_sessions
DELETE FROM sessions WHERE space = :space AND person = :person

-- name: drop_listening
DELETE FROM listening WHERE space = :space AND EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = listening.space AND e.channel = listening.channel AND e.seq IS NULL)

-- name: unname_chooser
UPDATE listening SET by = '' WHERE space = :space AND by = :person

-- name: drop_channels
DELETE FROM channels WHERE space = :space AND EXISTS (
    SELECT 1 FROM erasing e WHERE e.space = channels.space AND e.channel = channels.channel AND e.seq IS NULL)

-- name: strangers
-- Who spoke only in a channel that goes, and of whom nothing else is known.
SELECT p.person FROM people p WHERE p.space = :space AND p.blocked = 0
    AND EXISTS (SELECT 1 FROM speakers s JOIN erasing e ON e.space = s.space AND e.channel = s.channel AND e.seq IS NULL
        WHERE s.space = p.space AND s.person = p.person)
    AND NOT EXISTS (SELECT 1 FROM speakers s WHERE s.space = p.space AND s.person = p.person AND NOT EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = s.space AND e.channel = s.channel AND e.seq IS NULL))
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = p.space AND m.person = p.person AND m.kind IN ('told', 'profile'))
ORDER BY p.person

-- name: senders
-- Whose messages are listed.
SELECT DISTINCT m.person FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id
WHERE m.space = :space AND m.person IS NOT NULL ORDER BY m.person

-- name: known_otherwise
-- Whether anything is left of a person whose messages went, or was ever heard of them where none of those was.
SELECT 1 AS one FROM people p WHERE p.space = :space AND p.person = :person AND (p.blocked = 1
    OR EXISTS (SELECT 1 FROM messages m WHERE m.space = p.space AND m.person = p.person)
    OR EXISTS (SELECT 1 FROM speakers s WHERE s.space = p.space AND s.person = p.person AND NOT EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = s.space AND e.channel = s.channel))
    OR EXISTS (SELECT 1 FROM memories f WHERE f.space = p.space AND f.person = p.person)
    OR EXISTS (SELECT 1 FROM requests r WHERE r.space = p.space AND r.person = p.person)
    OR EXISTS (SELECT 1 FROM prompts o WHERE o.space = p.space AND o.person = p.person))

-- name: drop_speaker
DELETE FROM speakers WHERE space = :space AND person = :person

-- name: drop_events_of
DELETE FROM events WHERE space = :space AND id = :person

-- name: channel_known
SELECT channel FROM channels WHERE space = :space AND channel = :channel

-- name: source_known
SELECT 1 AS there FROM messages WHERE space = :space AND source = :source LIMIT 1

-- name: message_known
SELECT 1 AS there FROM messages WHERE space = :space AND id = :id

-- name: left_of_message
SELECT 'messages' AS what, count(*) AS rows FROM messages WHERE space = :space AND id = :message
UNION ALL SELECT 'erasing', count(*) FROM erasing WHERE space = :space

-- name: left_of_source
SELECT 'messages' AS what, count(*) AS rows FROM messages WHERE space = :space AND source = :source
UNION ALL SELECT 'erasing', count(*) FROM erasing WHERE space = :space

-- name: left_of_person
-- What is still there of a person, by table, wherever a person is named.
SELECT 'messages' AS what, count(*) AS rows FROM messages WHERE space = :space AND person = :person
UNION ALL SELECT 'names', count(*) FROM names WHERE space = :space AND person = :person
UNION ALL SELECT 'people', count(*) FROM people WHERE space = :space AND person = :person AND blocked = 0
UNION ALL SELECT 'speakers', count(*) FROM speakers WHERE space = :space AND person = :person
UNION ALL SELECT 'documents', count(*) FROM documents WHERE space = :space AND person = :person
UNION ALL SELECT 'memories', count(*) FROM memories
    WHERE space = :space AND (person = :person OR said_by = :person OR edited_by = :person OR deleted_by = :person)
UNION ALL SELECT 'note_people', count(*) FROM note_people WHERE space = :space AND person = :person
UNION ALL SELECT 'profiles', count(*) FROM profiles WHERE space = :space AND person = :person
UNION ALL SELECT 'told', count(*) FROM told WHERE space = :space AND person = :person
UNION ALL SELECT 'tellings', count(*) FROM tellings WHERE space = :space AND (person = :person OR said_by = :person)
UNION ALL SELECT 'weeks', count(*) FROM weeks WHERE space = :space AND person = :person
UNION ALL SELECT 'portraits', count(*) FROM portraits WHERE space = :space AND person = :person
UNION ALL SELECT 'prompts', count(*) FROM prompts WHERE space = :space AND person = :person
UNION ALL SELECT 'sessions', count(*) FROM sessions WHERE space = :space AND person = :person
UNION ALL SELECT 'flags', count(*) FROM flags WHERE space = :space AND reviewed_by = :person
UNION ALL SELECT 'listening', count(*) FROM listening WHERE space = :space AND by = :person
UNION ALL SELECT 'requests', count(*) FROM requests WHERE space = :space AND person = :person
UNION ALL SELECT 'events', count(*) FROM events WHERE space = :space AND (person = :person OR id = :person)
UNION ALL SELECT 'versions', count(*) FROM versions WHERE space = :space AND (writer = :person OR writer = :hand)
UNION ALL SELECT 'erasing', count(*) FROM erasing WHERE space = :space

-- name: left_of_channel
SELECT 'messages' AS what, count(*) AS rows FROM messages WHERE space = :space AND channel = :channel
UNION ALL SELECT 'channels', count(*) FROM channels WHERE space = :space AND channel = :channel
UNION ALL SELECT 'listening', count(*) FROM listening WHERE space = :space AND channel = :channel
UNION ALL SELECT 'speakers', count(*) FROM speakers WHERE space = :space AND channel = :channel
UNION ALL SELECT 'documents', count(*) FROM documents WHERE space = :space AND channel = :channel
UNION ALL SELECT 'chunks', count(*) FROM chunks WHERE space = :space AND channel = :channel
UNION ALL SELECT 'memories', count(*) FROM memories WHERE space = :space AND channel = :channel
UNION ALL SELECT 'briefs', count(*) FROM briefs WHERE space = :space AND channel = :channel
UNION ALL SELECT 'buffers', count(*) FROM buffers WHERE space = :space AND channel = :channel
UNION ALL SELECT 'told', count(*) FROM told WHERE space = :space AND audience = :channel
UNION ALL SELECT 'tellings', count(*) FROM tellings WHERE space = :space AND (channel = :channel OR audience = :channel)
UNION ALL SELECT 'weeks', count(*) FROM weeks WHERE space = :space AND audience = :channel
UNION ALL SELECT 'portraits', count(*) FROM portraits WHERE space = :space AND audience = :channel
UNION ALL SELECT 'requests', count(*) FROM requests WHERE space = :space AND channel = :channel
UNION ALL SELECT 'events', count(*) FROM events WHERE space = :space AND channel = :channel
UNION ALL SELECT 'revisions', count(*) FROM revisions WHERE space = :space AND channel = :channel
UNION ALL SELECT 'erasing', count(*) FROM erasing WHERE space = :space

-- name: words_left
-- What was listed and still has a row with words, looked for before the list is cleared.
SELECT count(*) AS rows FROM erasing e WHERE e.space = :space AND (
    EXISTS (SELECT 1 FROM messages m WHERE m.space = e.space AND m.id = e.id)
    OR EXISTS (SELECT 1 FROM documents d WHERE d.space = e.space AND d.id = e.id)
    OR EXISTS (SELECT 1 FROM memories f WHERE f.space = e.space AND f.id = e.id AND (f.text <> '' OR f.title <> ''))
    OR EXISTS (SELECT 1 FROM briefs b WHERE b.space = e.space AND b.id = e.id AND (b.text <> '' OR b.draft_text <> ''))
    OR EXISTS (SELECT 1 FROM versions v WHERE v.space = e.space AND v.id = e.id AND (v.text <> '' OR v.kept <> '')))

-- Single messages, taken back or reworded by whoever said them. One that stays is listed by its place, under a name that is no message's.

-- name: reword
UPDATE messages SET text = :text, checksum = :checksum WHERE space = :space AND id = :id

-- name: drop_requests_saying
-- What was asked in just these words, when they were said. `since`: a little before.
DELETE FROM requests WHERE space = :space AND at >= :since AND query = :text

-- name: going
SELECT m.id, m.channel, m.seq, m.key, m.person, m.text, m.at, m.created_at FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id
WHERE m.space = :space ORDER BY m.seq

-- name: touched
-- Whether anything was ever made of what is listed. Whatever the other queries would list is found here.
SELECT 1 AS one FROM erasing e WHERE e.space = :space AND e.seq IS NOT NULL AND (
    EXISTS (SELECT 1 FROM chunks c WHERE c.space = e.space AND c.channel = e.channel AND c.level = 0 AND c.first_seq <= e.seq AND c.last_seq >= e.seq)
    OR EXISTS (SELECT 1 FROM chunks c WHERE c.space = e.space AND c.channel = e.channel AND c.level > 0 AND c.first_seq <= e.seq AND c.last_seq >= e.seq)
    OR EXISTS (SELECT 1 FROM readings x WHERE x.space = e.space AND x.channel = e.channel
        AND x.first_seq <= e.seq AND x.last_seq >= e.seq)
    OR EXISTS (SELECT 1 FROM memories f WHERE f.space = e.space AND f.channel = e.channel AND (f.seq = e.seq OR e.seq BETWEEN f.first_seq AND f.last_seq))
    OR EXISTS (SELECT 1 FROM tellings g WHERE g.space = e.space AND g.channel = e.channel)
    OR EXISTS (SELECT 1 FROM memories d WHERE d.space = e.space AND d.kind = 'day' AND e.at >= d.from_at AND e.at < d.to_at)) LIMIT 1
