-- name: open_channels
-- Makes the channels that are new and, either way, holds their rows until the commit, in one order:
-- writers to one channel take turns, so seq has no gaps.
INSERT INTO channels (space, channel, last_seq, created_at)
SELECT :space, k.value, 0, :now::bigint FROM (:channels...) AS k WHERE true ORDER BY k.value
ON CONFLICT (space, channel) DO UPDATE SET last_seq = channels.last_seq
RETURNING channel, last_seq

-- name: move_channels
UPDATE channels SET last_seq = r.last_seq FROM (:rows...) AS r (channel TEXT, last_seq BIGINT)
WHERE channels.space = :space AND channels.channel = r.channel

-- name: name_channels
-- Not those that somebody has named.
UPDATE channels SET title = r.title FROM (:rows...) AS r (channel TEXT, title TEXT)
WHERE channels.space = :space AND channels.channel = r.channel AND coalesce(channels.title, '') = ''

-- name: blocked
SELECT person FROM people WHERE space = :space AND blocked = 1 ORDER BY person

-- name: add_speaker
INSERT INTO speakers (space, channel, person, since) VALUES (:space, :channel, :person, :since)
    ON CONFLICT (space, channel, person) DO NOTHING

-- name: set_blocked
-- What someone else decided stays so when the person asks for it too.
UPDATE people SET opted_out = CASE WHEN :blocked = 1 AND :own = 1
    AND (blocked = 0 OR opted_out = 1) THEN 1 ELSE 0 END, blocked = :blocked
WHERE space = :space AND person = :person

-- name: blocked_by_others
SELECT 1 AS one FROM people WHERE space = :space AND person = :person AND blocked = 1
    AND opted_out = 0

-- name: set_shares
UPDATE people SET shares = :shares WHERE space = :space AND person = :person

-- name: only_speaker
-- The one who speaks in the space, '' if they have no id; two looks into the index.
SELECT s.first AS person FROM (
    SELECT (SELECT min(person) FROM speakers WHERE space = :space) AS first,
        (SELECT max(person) FROM speakers WHERE space = :space) AS last
) s WHERE s.first = s.last

-- name: set_privacy
UPDATE channels SET privacy = :privacy WHERE space = :space AND channel = :channel

-- name: channels_of
-- Where a person has spoken, or was declared to hear.
SELECT channel FROM speakers WHERE space = :space AND person = :person ORDER BY channel

-- name: spoke_since
-- A message of a person in a channel, from a number on.
SELECT id FROM messages WHERE space = :space AND person = :person AND channel = :channel
    AND seq >= :since LIMIT 1

-- name: several
-- Whether more than one person is a member or speaker of a channel, however many there are.
SELECT count(*) AS people FROM (
    SELECT 1 FROM speakers WHERE space = :space AND channel = :channel AND person <> '' LIMIT 2
) AS d

-- name: people
-- Everyone who ever spoke or was spoken of, with the name they were last seen with.
SELECT p.person, p.blocked, p.shares, (
    SELECT n.name FROM names n WHERE n.space = p.space AND n.person = p.person
        ORDER BY n.last_at DESC, n.name LIMIT 1
) AS name FROM people p WHERE p.space = :space ORDER BY p.person

-- name: said_between
-- What people said in a stretch of time, over all channels, in order.
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND at >= :since AND at < :until AND role = 'user'
    ORDER BY at, channel, seq LIMIT :limit

-- name: said
-- A person's own messages over all channels, from the last one back; after the one of that time and
-- id.
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
    WHERE space = :space AND person = :person
    AND (CAST(:at AS BIGINT) IS NULL OR at < :at OR (at = :at AND id < :id))
ORDER BY at DESC, id DESC LIMIT :limit

-- name: add_space
-- Holds its row until the commit, so that whoever opens a channel and whoever erases the space take
-- turns.
INSERT INTO spaces (space, created_at) VALUES (:space, :now) ON CONFLICT (space) DO UPDATE
    SET created_at = spaces.created_at

-- name: add_person
INSERT INTO people (space, person, created_at, folded, label)
    VALUES (:space, :person, :now, :folded, :label)
    ON CONFLICT (space, person) DO NOTHING

-- name: twins
-- People whose id can be one of these in another case.
SELECT person, folded FROM people WHERE space = :space AND folded IN (:folded...)

-- name: add_names
INSERT INTO names (space, person, name, first_at, last_at, label)
SELECT :space, r.person, r.name, r.first_at, r.last_at, r.label
FROM (:rows...) AS r (person TEXT, name TEXT, first_at BIGINT, last_at BIGINT, label TEXT)
WHERE true
ORDER BY r.person, r.name
ON CONFLICT (space, person, name) DO UPDATE SET
    first_at = CASE WHEN excluded.first_at < names.first_at THEN excluded.first_at
        ELSE names.first_at END,
    last_at = CASE WHEN excluded.last_at > names.last_at THEN excluded.last_at
        ELSE names.last_at END

-- name: holders
-- Who has or had a name that can be taken for one of these, or an id: of each label the first and
-- the last, which are two where several people share it.
SELECT h.label, min(h.person) AS first, max(h.person) AS last FROM (
    SELECT n.label, n.person FROM names n WHERE n.space = :space AND n.label IN (:labels...)
    UNION ALL
    SELECT p.label, p.person FROM people p WHERE p.space = :space AND p.label IN (:labels...)
) AS h GROUP BY h.label

-- name: between
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel AND seq BETWEEN :first AND :last ORDER BY seq

-- name: after
-- What has expired leaves gaps: a page is so many messages, not so many numbers.
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel AND seq > :after ORDER BY seq LIMIT :limit

-- name: first_after
SELECT r.channel, (
    SELECT min(m.seq) FROM messages m WHERE m.space = :space AND m.channel = r.channel
        AND m.seq > r.seq
) AS seq FROM (:rows...) AS r (channel TEXT, seq BIGINT)

-- name: last_until
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel AND seq <= :until ORDER BY seq DESC LIMIT 1

-- name: count_between
SELECT count(*) AS messages FROM messages WHERE space = :space AND channel = :channel
    AND seq BETWEEN :first AND :last

-- name: ids_between
SELECT id FROM messages WHERE space = :space AND channel = :channel
    AND seq BETWEEN :first AND :last ORDER BY seq

-- name: latest
SELECT id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND channel = :channel ORDER BY seq DESC LIMIT :limit

-- name: channel
SELECT space, channel, last_seq, privacy FROM channels WHERE space = :space AND channel = :channel

-- name: channels
SELECT space, channel, last_seq, privacy FROM channels WHERE space = :space ORDER BY channel

-- name: channels_shown
-- With what was declared of each, and when it was last heard of; by name, or (`recent`) the one
-- last heard of first.
SELECT s.channel, s.last_seq, s.privacy, s.title, s.last_at FROM (
    SELECT c.channel, c.last_seq, c.privacy, c.title, (
        SELECT m.at FROM messages m WHERE m.space = c.space AND m.channel = c.channel
            ORDER BY m.seq DESC LIMIT 1
    ) AS last_at FROM channels c
    WHERE c.space = :space AND (CAST(:channels AS TEXT) IS NULL OR c.channel IN (:channels...))
        AND (CAST(:matching AS TEXT) IS NULL OR lower(c.channel) LIKE lower(:matching) ESCAPE '!'
            OR c.channel LIKE :matching ESCAPE '!'
            OR lower(c.title) LIKE lower(:matching) ESCAPE '!' OR c.title LIKE :matching ESCAPE '!'
            OR EXISTS (SELECT 1 FROM speakers p LEFT JOIN names n ON n.space = p.space
                AND n.person = p.person WHERE p.space = c.space AND p.channel = c.channel
                AND (lower(p.person) LIKE lower(:matching) ESCAPE '!'
                    OR lower(n.name) LIKE lower(:matching) ESCAPE '!' OR n.name LIKE :matching ESCAPE '!')))
) AS s ORDER BY CASE WHEN :recent = 1 THEN coalesce(s.last_at, 0)
    ELSE 0 END DESC, s.channel LIMIT :limit OFFSET :skip

-- name: spaces
-- across spaces: for work that is done space by space.
SELECT space FROM spaces ORDER BY space

-- name: names
SELECT name, first_at, last_at FROM names WHERE space = :space AND person = :person
    ORDER BY last_at, first_at, name

-- name: count
SELECT (SELECT count(*) FROM messages WHERE space = :space) AS messages, (SELECT count(*)
    FROM people WHERE space = :space) AS people,
    count(*) AS channels FROM channels WHERE space = :space

-- name: channel_page
-- Channels in order, a page of them; where wanted, only those of which something was declared.
SELECT c.channel, c.privacy FROM channels c WHERE c.space = :space AND c.channel > :after
    AND (CAST(:declared AS INTEGER) = 0 OR coalesce(c.privacy, '') <> '')
ORDER BY c.channel LIMIT :limit

-- name: first_members
-- The first named people of each of these channels.
SELECT w.channel, w.person FROM (
    SELECT s.channel, s.person, row_number() OVER (PARTITION BY s.channel
        ORDER BY s.person) AS place
    FROM speakers s WHERE s.space = :space AND s.channel IN (:channels...) AND s.person <> ''
) w WHERE w.place <= :most ORDER BY w.channel, w.person

-- name: named_members
-- The same with their latest names, and how many there are.
SELECT w.channel, w.many, coalesce((SELECT n.name FROM names n WHERE n.space = w.space
    AND n.person = w.person ORDER BY n.last_at DESC LIMIT 1), w.person) AS name FROM (
    SELECT s.space, s.channel, s.person, row_number() OVER (PARTITION BY s.channel
        ORDER BY s.person) AS place, count(*) OVER (PARTITION BY s.channel) AS many
    FROM speakers s WHERE s.space = :space AND s.channel IN (:channels...) AND s.person <> ''
) w WHERE w.place <= :most ORDER BY w.channel, w.place

-- name: last_lines
-- The last message of each of these channels, its beginning.
SELECT m.channel, m.role, m.person, m.name, substr(m.text, 1, :most) AS text
FROM (:channels...) AS c JOIN messages m ON m.space = :space AND m.channel = c.value
    AND m.seq = (SELECT max(l.seq) FROM messages l WHERE l.space = :space AND l.channel = c.value)

-- name: by_day
-- A look into the index for each day (or as many days as `length` has): putting a million rows in
-- order by their day took ten times as long.
WITH RECURSIVE days (start) AS (
    SELECT CAST(:since AS BIGINT) UNION ALL SELECT start + CAST(:length AS BIGINT) FROM days
        WHERE start + CAST(:length AS BIGINT) <= CAST(:until AS BIGINT)
)
SELECT d.start, (
    SELECT count(*) FROM messages m WHERE m.space = :space AND m.at >= d.start
        AND m.at < d.start + CAST(:length AS BIGINT)
) AS messages FROM days d ORDER BY d.start

-- name: span
SELECT (SELECT min(at) FROM messages WHERE space = :space) AS first,
    (SELECT max(at) FROM messages WHERE space = :space) AS last

-- name: titles
SELECT channel, title FROM channels WHERE space = :space AND channel IN (:channels...)

-- name: set_title
UPDATE channels SET title = :title WHERE space = :space AND channel = :channel

-- name: listen
-- From the beginning means that what was passed over is looked up too.
INSERT INTO listening (space, channel, chosen, since, by, at)
    VALUES (:space, :channel, :chosen, :since, :by, :now)
ON CONFLICT (space, channel) DO UPDATE
    SET chosen = excluded.chosen, since = excluded.since, by = excluded.by, at = excluded.at,
    heard = CASE WHEN excluded.chosen = 1 AND excluded.since = '' THEN '' ELSE listening.heard END

-- name: set_heard
INSERT INTO listening (space, channel, heard, at) VALUES (:space, :channel, :heard, :now)
ON CONFLICT (space, channel) DO UPDATE SET heard = excluded.heard

-- name: set_audited
INSERT INTO listening (space, channel, audited, audited_at, at)
VALUES (:space, :channel, :audited, CAST(:audited_at AS BIGINT), :now)
ON CONFLICT (space, channel) DO UPDATE
    SET audited = excluded.audited, audited_at = coalesce(excluded.audited_at, listening.audited_at)

-- name: listening
SELECT l.channel, coalesce(c.title, '') AS title, l.chosen, l.since, l.heard, l.audited,
    l.audited_at, l.by, l.at FROM listening l
LEFT JOIN channels c ON c.space = l.space AND c.channel = l.channel WHERE l.space = :space
    ORDER BY l.channel

-- name: hold_channel
-- Until the commit nobody adds to it. No row where there is no such channel.
UPDATE channels SET last_seq = last_seq WHERE space = :space AND channel = :channel

-- name: origins
-- The sources that messages name, the one heard of last first.
SELECT source, count(*) AS messages, count(DISTINCT channel) AS channels, min(at) AS first_at,
    max(at) AS last_at FROM messages
WHERE space = :space AND source IS NOT NULL GROUP BY source
    ORDER BY max(at) DESC, source LIMIT :limit

-- name: by_keys
SELECT channel, id, seq, role, person, name, text, at, key, model, meta, created_at FROM messages
WHERE space = :space AND channel = :channel AND key IN (:keys...)

-- name: keys_there
SELECT key FROM messages WHERE space = :space AND channel = :channel AND key IN (:keys...)

-- name: by_ids
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND id IN (:ids...)

-- name: texts
SELECT id, text FROM messages WHERE space = :space AND id IN (:ids...)

-- name: names_of
-- The names each went by; the one they were last seen with comes last.
SELECT n.person, n.name, n.first_at, n.last_at FROM names n
WHERE n.space = :space AND n.person IN (:people...)
ORDER BY n.person, n.last_at, n.name

-- name: channel_members
-- Of these channels: what was declared, how many named people each has, and from which message on a
-- second one took part (0 without one, or where something was declared). What was said before that is
-- for those who were there then: so `lacks` and `unwilling` count by them. `lacks`: how many of those
-- in `here` were not; `unwilling`: how many of those who were don't share; `early`: how many were.
WITH s AS MATERIALIZED (
    SELECT s.channel, s.person, s.since, coalesce(p.shares, 0) AS shares, row_number() OVER (
        PARTITION BY s.channel ORDER BY s.person = '', s.since, s.person) AS place
    FROM speakers s LEFT JOIN people p ON p.space = s.space AND p.person = s.person
    WHERE s.space = :space AND s.channel IN (:channels...)
), o AS MATERIALIZED (
    SELECT c.channel, c.privacy, CASE WHEN c.privacy <> '' THEN 0 WHEN c.opened > 0 THEN c.opened
        WHEN s.since < 1 THEN 1 ELSE coalesce(s.since, 0) END AS opened
    FROM channels c LEFT JOIN s ON s.channel = c.channel AND s.place = 2 AND s.person <> ''
    WHERE c.space = :space AND c.channel IN (:channels...)
), m AS (
    SELECT o.channel, o.privacy, o.opened, s.person, s.shares,
        CASE WHEN o.opened < 2 OR s.since < o.opened THEN 1 ELSE 0 END AS early,
        CASE WHEN s.person IN (SELECT h.person FROM speakers h
            WHERE h.space = :space AND h.channel = :here) THEN 1 ELSE 0 END AS here
    FROM o LEFT JOIN s ON s.channel = o.channel
)
SELECT m.channel, m.privacy, m.opened, count(CASE WHEN m.person <> '' THEN 1 END) AS people,
    (SELECT count(*) FROM speakers h WHERE h.space = :space AND h.channel = :here)
        - count(CASE WHEN m.person <> '' AND m.early = 1 AND m.here = 1 THEN 1 END)
        + CASE WHEN :asker = '' OR count(CASE WHEN m.person = :asker AND m.early = 1 THEN 1 END) > 0
            THEN 0 ELSE 1 END AS lacks,
    count(CASE WHEN m.person IS NOT NULL AND m.early = 1 AND m.shares = 0 THEN 1 END) AS unwilling,
    count(CASE WHEN m.person <> '' AND m.early = 1 THEN 1 END) AS early
FROM m GROUP BY m.channel, m.privacy, m.opened

-- name: directory
-- Who was heard of last comes first. Each time of a person's last message is one look into the
-- index.
SELECT p.person, p.blocked, p.shares, (
    SELECT max(m.at) FROM messages m WHERE m.space = p.space AND m.person = p.person
) AS last_at FROM people p
WHERE p.space = :space AND (CAST(:people AS TEXT) IS NULL OR p.person IN (:people...))
    AND (CAST(:named AS TEXT) IS NULL OR instr(lower(p.person), :lower) > 0 OR EXISTS (
        SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person
            AND (instr(lower(n.name), :lower) > 0 OR instr(n.name, :named) > 0)))
ORDER BY last_at DESC NULLS LAST, p.person LIMIT :limit OFFSET :skip

-- name: directory_total
SELECT count(*) AS people FROM people p
WHERE p.space = :space AND (CAST(:people AS TEXT) IS NULL OR p.person IN (:people...))
    AND (CAST(:named AS TEXT) IS NULL OR instr(lower(p.person), :lower) > 0 OR EXISTS (
        SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person
            AND (instr(lower(n.name), :lower) > 0 OR instr(n.name, :named) > 0)))

-- name: said_by_each
-- How many messages each of these people has said.
SELECT m.person, count(*) AS messages FROM messages m WHERE m.space = :space
    AND m.person IN (:people...) GROUP BY m.person

-- name: hold_channels
-- Until the commit nothing is added to any of them.
SELECT channel FROM channels WHERE space = :space ORDER BY channel FOR UPDATE

-- name: voices
SELECT id, role, person, meta FROM messages WHERE space = :space AND id IN (:ids...)

-- name: add_message
INSERT INTO messages (
    doc, space, channel, seq, id, role, person, name, text, at, key, model, meta, source, created_at,
    checksum, traits)
VALUES (:doc, :space, :channel, :seq, :id, :role, :person, :name, :text, :at, :key, :model, :meta,
    :source, :created_at, :checksum, :traits)

-- name: ids_from
SELECT id FROM messages WHERE space = :space AND id >= :first AND id <= :last
    ORDER BY id LIMIT :limit

-- name: page_by_time
-- Of a person or of a channel, in the order they were said; a page, from after the last one.
SELECT channel, id, seq, role, person, name, text, at, key, model, meta FROM messages
WHERE space = :space AND (CAST(:person AS TEXT) IS NULL OR person = :person) AND (CAST(:channel AS TEXT) IS NULL OR channel = :channel)
    AND (at, channel, seq) > (:at, :after, :seq)
ORDER BY at, channel, seq LIMIT :limit

-- name: beyond_its_channel
-- A message with a number that its channel has not given yet, or of no channel at all.
SELECT m.channel, m.seq FROM messages m LEFT JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND (c.last_seq IS NULL OR m.seq > c.last_seq OR m.seq < 1) LIMIT 1

-- name: first_kept
-- The first message of a channel; `lost`: earlier ones have expired.
SELECT min(m.at) AS at, CASE WHEN c.last_seq > 0 AND coalesce(min(m.seq), 0) <> 1 THEN 1
    ELSE 0 END AS lost
FROM channels c LEFT JOIN messages m ON m.space = c.space AND m.channel = c.channel
WHERE c.space = :space AND c.channel = :channel GROUP BY c.last_seq

-- name: count_in_time
-- Messages of people in a span of time, by channel.
SELECT channel, count(*) AS messages FROM messages
WHERE space = :space AND at >= :since AND at < :until AND role = 'user'
    AND (person IS NULL OR person NOT IN (SELECT b.person FROM people b WHERE b.space = :space
        AND b.blocked = 1))
GROUP BY channel

-- name: spoken_in
-- Of spans of time those in which something was said; with a channel, by people in it.
SELECT DISTINCT r.id FROM (:rows...) AS r (id TEXT, from_at BIGINT, to_at BIGINT)
WHERE EXISTS (
    SELECT 1 FROM messages m WHERE m.space = :space AND m.at >= r.from_at AND m.at < r.to_at
        AND (CAST(:channel AS TEXT) IS NULL OR (m.channel = :channel AND m.role = 'user')))

-- name: left_in
-- Of ranges of messages what is left when the listed ones are erased, and of that what people said.
SELECT r.channel, r.first_seq, r.last_seq, count(CASE WHEN m.role = 'user' THEN 1 END) AS messages,
    min(CASE WHEN m.role = 'user' THEN m.at END) AS started_at,
    max(CASE WHEN m.role = 'user' THEN m.at END) AS updated_at
FROM (:rows...) AS r (channel TEXT, first_seq BIGINT, last_seq BIGINT)
JOIN messages m ON m.space = :space AND m.channel = r.channel
    AND m.seq BETWEEN r.first_seq AND r.last_seq
WHERE NOT EXISTS (SELECT 1 FROM erasing g WHERE g.space = m.space AND g.id = m.id)
GROUP BY r.channel, r.first_seq, r.last_seq ORDER BY r.channel, r.first_seq

-- name: count_before
-- Messages of people in a span of time, in a channel before one of its messages.
SELECT count(*) AS messages FROM messages
WHERE space = :space AND channel = :channel AND seq < :seq AND at >= :since AND at < :until
    AND role = 'user'
    AND (person IS NULL OR person NOT IN (SELECT b.person FROM people b WHERE b.space = :space
        AND b.blocked = 1))

-- name: private_channels
-- Channels that are declared private. They are never sent to a model together with others.
SELECT channel FROM channels WHERE space = :space AND privacy IN ('private', 'direct')

-- name: another_channel
SELECT 1 AS one FROM channels WHERE space = :space AND channel <> :channel LIMIT 1

-- name: hold_person
-- Readings about one person are stored one after the other, so that a later one finds the facts of
-- an earlier one.
SELECT person FROM people WHERE space = :space AND person = :person FOR UPDATE

-- name: blocked_names
-- Blocked people with every name they ever had.
SELECT p.person, n.name, n.first_at FROM people p LEFT JOIN names n ON n.space = p.space
    AND n.person = p.person
WHERE p.space = :space AND p.blocked = 1 ORDER BY p.person, n.first_at

-- name: had_before
SELECT p.person FROM people p WHERE p.space = :space AND p.blocked = 0
    AND (p.person = :name OR EXISTS (
    SELECT 1 FROM names n WHERE n.space = p.space AND n.person = p.person AND n.name = :name
        AND n.first_at < :since)) LIMIT 1

-- Erasing

-- name: list_messages_of
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND person = :person ON CONFLICT (space, id) DO NOTHING

-- name: list_messages_in
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND channel = :channel ON CONFLICT (space, id) DO NOTHING

-- name: list_message_called
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND id = :id ON CONFLICT (space, id) DO NOTHING

-- name: list_messages_from
INSERT INTO erasing (space, id, channel, seq, at)
SELECT space, id, channel, seq, at FROM messages WHERE space = :space AND source = :source ON CONFLICT (space, id) DO NOTHING

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

-- name: turns
-- Who spoke in which order; no words.
SELECT seq, id, role, person, at FROM messages WHERE space = :space AND channel = :channel ORDER BY seq

-- name: turns_from
SELECT seq, id, role, person, at FROM messages WHERE space = :space AND channel = :channel AND seq >= :first ORDER BY seq LIMIT :limit

-- name: page_to_erase
-- Of the whole space.
SELECT channel, seq, key, id, person, at, text FROM messages WHERE space = :space AND (channel, seq) > (:channel, :seq) ORDER BY channel, seq LIMIT :limit

-- name: docs_going
-- The numbers of the listed messages in search.
SELECT m.doc FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id
WHERE m.space = :space AND e.channel IS NOT NULL ORDER BY m.doc

-- name: drop_messages
DELETE FROM messages WHERE space = :space AND id IN (SELECT e.id FROM erasing e WHERE e.space = :space AND e.channel IS NOT NULL)

-- name: drop_titles_of
UPDATE channels SET title = '' WHERE space = :space AND channel IN (:ids...)

-- name: titles_after
SELECT channel AS id, title AS text FROM channels WHERE space = :space AND channel > :id AND title <> ''
ORDER BY channel LIMIT :limit

-- name: first_stored
-- When the first of it came in, the earliest that anything could have been made of it.
SELECT min(created_at) AS at FROM (
    SELECT created_at FROM people WHERE space = :space AND person = :person
    UNION ALL SELECT c.created_at FROM channels c JOIN erasing e ON e.space = c.space AND e.channel = c.channel AND e.seq IS NULL WHERE c.space = :space
    UNION ALL SELECT m.created_at FROM messages m WHERE m.space = :space AND m.person = :person
    UNION ALL SELECT m.created_at FROM messages m JOIN erasing e ON e.space = m.space AND e.channel = m.channel AND e.seq = m.seq WHERE m.space = :space
) AS first

-- name: keep_open
-- A channel that is open since a second person spoke there stays so, since then.
UPDATE channels SET opened = (
    SELECT CASE WHEN s.since < 1 THEN 1 ELSE s.since END FROM speakers s WHERE s.space = channels.space AND s.channel = channels.channel
        AND s.person <> '' ORDER BY s.since, s.person LIMIT 1 OFFSET 1)
WHERE space = :space AND privacy = '' AND opened = 0
    AND EXISTS (SELECT 1 FROM speakers s WHERE s.space = channels.space AND s.channel = channels.channel AND s.person = :person)
    AND (SELECT count(*) FROM speakers o WHERE o.space = channels.space AND o.channel = channels.channel AND o.person <> '' AND o.person <> :person) > 0

-- name: unshare
UPDATE people SET shares = 0, created_at = :now WHERE space = :space AND person = :person

-- name: strangers
-- Who spoke only in a channel that is erased.
SELECT p.person FROM people p WHERE p.space = :space AND p.blocked = 0
    AND EXISTS (SELECT 1 FROM speakers s JOIN erasing e ON e.space = s.space AND e.channel = s.channel AND e.seq IS NULL
        WHERE s.space = p.space AND s.person = p.person)
    AND NOT EXISTS (SELECT 1 FROM speakers s WHERE s.space = p.space AND s.person = p.person AND NOT EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = s.space AND e.channel = s.channel AND e.seq IS NULL))
ORDER BY p.person

-- name: senders
-- Whose messages are listed.
SELECT DISTINCT m.person FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id
WHERE m.space = :space AND m.person IS NOT NULL ORDER BY m.person

-- name: known_otherwise
-- Whether a person whose messages are erased wrote others, or spoke in a channel without those.
SELECT 1 AS one FROM people p WHERE p.space = :space AND p.person = :person AND (p.blocked = 1
    OR EXISTS (SELECT 1 FROM messages m WHERE m.space = p.space AND m.person = p.person)
    OR EXISTS (SELECT 1 FROM speakers s WHERE s.space = p.space AND s.person = p.person AND NOT EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = s.space AND e.channel = s.channel)))

-- name: person_row
SELECT blocked, shares FROM people WHERE space = :space AND person = :person

-- name: channel_known
SELECT channel FROM channels WHERE space = :space AND channel = :channel

-- name: source_known
SELECT 1 AS there FROM messages WHERE space = :space AND source = :source LIMIT 1

-- name: message_known
SELECT 1 AS there FROM messages WHERE space = :space AND id = :id

-- name: reword
UPDATE messages SET text = :text, checksum = :checksum WHERE space = :space AND id = :id

-- name: going
SELECT m.id, m.channel, m.seq, m.key, m.person, m.text, m.at, m.created_at FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id
WHERE m.space = :space ORDER BY m.seq

-- name: drop_message
DELETE FROM messages WHERE space = :space AND channel = :channel AND seq = :seq

-- name: old_channels
-- Channels with messages that are old enough and not among the latest.
SELECT DISTINCT m.channel FROM messages m
JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND m.at < :before AND m.seq <= c.last_seq - :recent ORDER BY m.channel

-- name: old_messages
-- Those of one channel, a page of them, but for the ranges that are held.
SELECT m.id, m.seq, m.doc FROM messages m
JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND m.channel = :channel AND m.seq > :after AND m.at < :before
    AND m.seq <= c.last_seq - :recent AND NOT EXISTS (
        SELECT 1 FROM (:held...) AS h (first BIGINT, last BIGINT)
        WHERE m.seq BETWEEN h.first AND h.last)
ORDER BY m.seq LIMIT :limit

-- name: count_old_messages
SELECT count(*) AS number FROM messages m
JOIN channels c ON c.space = m.space AND c.channel = m.channel
WHERE m.space = :space AND m.channel = :channel AND m.at < :before
    AND m.seq <= c.last_seq - :recent AND NOT EXISTS (
        SELECT 1 FROM (:held...) AS h (first BIGINT, last BIGINT)
        WHERE m.seq BETWEEN h.first AND h.last)

-- name: hold_messages
SELECT id, doc FROM messages WHERE space = :space AND id IN (:ids...) FOR UPDATE

-- name: says_listed
-- Also if the same person says the same words in an erased message.
SELECT 1 AS one FROM erasing e LEFT JOIN messages m ON m.space = e.space AND m.channel = e.channel
    AND m.seq = e.seq
WHERE e.space = :space AND e.channel = :channel
    AND (e.seq = :seq OR e.seq IS NULL OR (m.person = :said_by
        AND replace(m.text, :words, '') <> m.text)) LIMIT 1
