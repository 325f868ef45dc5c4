-- name: versions
SELECT v.version, v.action, coalesce(v.text, m.text, '') AS text, v.writer, v.at
FROM versions v LEFT JOIN memories m ON m.space = v.space AND m.id = v.id
WHERE v.space = :space AND v.id = :id ORDER BY v.version

-- name: keep_words
-- Of a memory that is about to get another text.
UPDATE versions SET text = (SELECT m.text FROM memories m WHERE m.space = :space AND m.id = :id)
WHERE space = :space AND id = :id AND text IS NULL
    AND EXISTS (SELECT 1 FROM memories m WHERE m.space = :space AND m.id = :id AND m.text <> :text)

-- name: keep_words_of
-- Of memories that are about to go.
UPDATE versions SET text = (SELECT m.text FROM memories m
    WHERE m.space = versions.space AND m.id = versions.id)
WHERE space = :space AND id IN (:ids...) AND text IS NULL

-- name: keep_words_of_kinds
UPDATE versions SET text = (SELECT m.text FROM memories m
    WHERE m.space = versions.space AND m.id = versions.id)
WHERE space = :space AND text IS NULL AND id IN (
    SELECT id FROM memories WHERE space = :space AND kind IN (:kinds...))

-- name: wipe
UPDATE versions SET text = '', kept = '' WHERE space = :space AND id = :id

-- name: wipe_deleted
-- Memories that a person deleted and could still restore.
UPDATE memories SET text = '', title = '', data = '', checksum = NULL WHERE space = :space AND id = :id
    AND deleted_at IS NOT NULL

-- name: reword
UPDATE versions SET text = :text, kept = '' WHERE space = :space AND id = :id AND version = :version

-- name: keep
-- With the newest version.
UPDATE versions SET kept = :kept WHERE space = :space AND id = :id AND version = (
    SELECT max(n.version) FROM versions n WHERE n.space = :space AND n.id = :id)

-- name: newest_version
SELECT coalesce(max(version), 0) AS version FROM versions WHERE space = :space AND id = :id

-- name: kept
SELECT kept FROM versions WHERE space = :space AND id = :id ORDER BY version DESC LIMIT 1

-- name: put
INSERT INTO memories (space, id, kind, channel, person, first_seq, last_seq, seq, position,
    category, importance, said_by, trust, title, text,
    writer, draft, stale, at, from_at, to_at, valid_from, valid_to, superseded_by, restates, data,
        checksum, created_at, edited_at, edited_by, deleted_at, deleted_by)
VALUES (:space, :id, :kind, :channel, :person, :first_seq, :last_seq, :seq, :position, :category,
    :importance, :said_by, :trust, :title, :text,
    :writer, :draft, :stale, :at, :from_at, :to_at, :valid_from, :valid_to, :superseded_by,
        :restates, :data, :checksum, :created_at, :edited_at, :edited_by,
    :deleted_at, :deleted_by)
ON CONFLICT (space, id) DO UPDATE SET
    kind = excluded.kind, channel = excluded.channel, person = excluded.person,
        first_seq = excluded.first_seq, last_seq = excluded.last_seq,
    seq = excluded.seq, position = excluded.position, category = excluded.category,
        importance = excluded.importance,
    said_by = excluded.said_by, trust = excluded.trust, title = excluded.title, text = excluded.text,
        writer = excluded.writer, draft = excluded.draft,
    stale = excluded.stale, at = excluded.at, from_at = excluded.from_at, to_at = excluded.to_at,
        valid_from = excluded.valid_from,
    valid_to = excluded.valid_to, superseded_by = excluded.superseded_by,
        restates = excluded.restates, data = excluded.data, checksum = excluded.checksum, created_at = excluded.created_at,
    edited_at = excluded.edited_at, edited_by = excluded.edited_by,
        deleted_at = excluded.deleted_at, deleted_by = excluded.deleted_by

-- name: set_stale
UPDATE memories SET stale = :stale
WHERE space = :space AND id = :id AND stale <> :stale AND edited_at IS NULL AND deleted_at IS NULL

-- name: get
SELECT * FROM memories WHERE space = :space AND id = :id

-- name: set_validity
UPDATE memories SET valid_to = :valid_to, superseded_by = :superseded_by, restates = :restates
    WHERE space = :space AND id = :id

-- name: in_place
SELECT * FROM memories WHERE space = :space AND kind = :kind AND channel = :channel
    AND first_seq = :first AND last_seq = :last
    AND deleted_at IS NULL ORDER BY position, id

-- name: last_position
SELECT coalesce(max(position), -1) AS position FROM memories
WHERE space = :space AND kind = :kind AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: widen
UPDATE memories SET last_seq = :new_last
WHERE space = :space AND kind = :kind AND channel = :channel AND first_seq = :first
    AND last_seq = :last

-- name: discard_edits
UPDATE memories SET edited_at = NULL, edited_by = NULL
WHERE space = :space AND kind = :kind AND channel = :channel AND first_seq = :first
    AND last_seq = :last AND deleted_at IS NULL

-- name: latest
SELECT * FROM memories WHERE space = :space AND kind = :kind AND channel = :channel
    AND deleted_at IS NULL
ORDER BY first_seq DESC, position DESC LIMIT :limit

-- name: in_channel
-- Memories of these messages, or added by hand between them. The latest first.
SELECT * FROM memories WHERE space = :space AND kind = :kind AND channel = :channel
    AND deleted_at IS NULL
    AND first_seq <= CAST(:last AS BIGINT) + 1
    AND ((last_seq >= :first AND first_seq <= :last)
        OR (last_seq < first_seq AND first_seq >= :first))
    AND (CAST(:category AS TEXT) IS NULL OR category = :category) AND importance >= :importance
ORDER BY first_seq DESC, last_seq DESC, position DESC LIMIT :limit

-- name: elsewhere
SELECT id, text FROM memories WHERE space = :space AND person = :person AND kind = :kind
    AND channel <> :channel AND deleted_at IS NULL
ORDER BY at DESC, id LIMIT :limit

-- name: deleted_at
SELECT * FROM memories WHERE space = :space AND kind = :kind AND deleted_at = :at ORDER BY id

-- name: about
SELECT * FROM memories WHERE space = :space AND person IN (:people...)
    AND kind IN (:kinds...) AND deleted_at IS NULL ORDER BY person, channel, id

-- name: any_about
SELECT 1 AS there FROM memories WHERE space = :space AND person = :person
    AND (CAST(:kinds AS TEXT) IS NULL OR kind IN (:kinds...)) LIMIT 1

-- name: contradiction
-- When something else was said, if a memory no longer holds.
SELECT s.valid_to FROM memories s
WHERE s.space = :space AND s.id = :id AND s.kind IN (:kinds...) AND s.deleted_at IS NULL
    AND s.superseded_by IS NOT NULL AND s.restates IS NULL AND s.valid_to > s.valid_from
        AND s.category <> 'todo'

-- name: places_about
SELECT channel, coalesce(seq, first_seq) AS seq FROM memories
WHERE space = :space AND person = :person AND deleted_at IS NULL AND channel IN (:channels...)

-- name: repeated
-- A memory and its repetitions while it is valid.
SELECT * FROM memories WHERE space = :space AND (id = :head OR restates = :head)
    AND deleted_at IS NULL

-- name: ended_in
-- What no longer holds of what the messages of some channels say.
SELECT m.* FROM memories m JOIN memories l ON l.space = m.space AND l.id = m.superseded_by
WHERE m.space = :space AND m.kind = :kind AND m.channel IN (:channels...)
    AND m.valid_to IS NOT NULL AND m.superseded_by IS NOT NULL AND m.deleted_at IS NULL
    AND l.deleted_at IS NULL

-- name: ended_of
-- What no longer holds of what some people said, or of what was said about them.
SELECT m.* FROM memories m JOIN memories l ON l.space = m.space AND l.id = m.superseded_by
WHERE m.space = :space AND m.kind = :kind
    AND (m.person IN (:people...) OR m.said_by IN (:people...))
    AND m.valid_to IS NOT NULL AND m.superseded_by IS NOT NULL AND m.deleted_at IS NULL
    AND l.deleted_at IS NULL

-- name: valid
-- Memories valid at a time, newest first, without repetitions. A statement that something ended is
-- never valid.
SELECT * FROM memories WHERE space = :space AND kind = :kind AND deleted_at IS NULL
    AND restates IS NULL
    AND (CAST(:person AS TEXT) IS NULL OR person = :person)
        AND (CAST(:type AS TEXT) IS NULL OR category = :type)
    AND valid_from <= :at AND (valid_to IS NULL OR valid_to > :at)
ORDER BY at DESC, channel, seq DESC, position LIMIT :limit

-- name: ever
-- Memories valid at any time; with `open`, those that nothing has ended.
SELECT * FROM memories WHERE space = :space AND kind = :kind AND deleted_at IS NULL
    AND restates IS NULL
    AND (CAST(:person AS TEXT) IS NULL OR person = :person)
        AND (CAST(:type AS TEXT) IS NULL OR category = :type)
    AND (CAST(:open AS INTEGER) = 0 OR valid_to IS NULL)
ORDER BY at DESC, channel, seq DESC, position LIMIT :limit

-- name: replaced_by_others
-- Memories that another one replaced, in the order they ended. A todo that is done is no such
-- change.
SELECT * FROM memories WHERE space = :space AND kind = :kind AND deleted_at IS NULL
    AND superseded_by IS NOT NULL
    AND restates IS NULL AND valid_to > valid_from AND category <> 'todo'
        AND (CAST(:person AS TEXT) IS NULL OR person = :person)
ORDER BY valid_to, id

-- name: messages_of_repeated
-- The messages of each memory and of its repetitions, in the order they were said.
SELECT coalesce(s.restates, s.id) AS id, s.id AS own, m.id AS message FROM memories s
JOIN messages m ON m.space = s.space AND m.channel = s.channel AND m.seq = s.seq
WHERE s.space = :space AND (s.id IN (:ids...) OR s.restates IN (:ids...)) AND s.deleted_at IS NULL
ORDER BY s.at, s.channel, s.seq

-- name: latest_shown
SELECT id, channel, coalesce(nullif(first_seq, 0), 1) AS first_seq,
    coalesce(last_seq, 0) AS last_seq, seq, person, text, draft
FROM memories WHERE space = :space AND kind = :kind AND channel = :channel AND deleted_at IS NULL
ORDER BY memories.first_seq DESC, position DESC LIMIT :limit

-- name: newest_about
SELECT * FROM memories WHERE space = :space AND person = :person AND kind IN (:kinds...)
    AND deleted_at IS NULL ORDER BY at DESC, id LIMIT :limit

-- name: undocumented
SELECT * FROM memories WHERE space = :space AND deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.space = memories.space AND d.id = memories.id)

-- name: everything
SELECT * FROM memories WHERE space = :space AND deleted_at IS NULL ORDER BY created_at, id

-- name: erased_of
SELECT m.id FROM memories m JOIN erasing e ON e.space = m.space AND e.id = m.id
    WHERE m.space = :space AND m.kind = :kind ORDER BY m.id

-- name: remove_deleter
UPDATE memories SET deleted_by = 'erasure' WHERE space = :space AND deleted_by = :person

-- name: add_source
INSERT INTO memory_sources (space, id, source) VALUES (:space, :id, :source)
    ON CONFLICT (space, id, source) DO NOTHING

-- name: deleted
SELECT v.id FROM versions v WHERE v.space = :space AND v.id IN (:ids...) AND v.action = 'deleted'
    AND v.writer <> 'retention'
    AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.space = v.space AND n.id = v.id
        AND n.version > v.version)

-- name: hold_memory
-- Locks a memory until the commit.
SELECT id FROM memories WHERE space = :space AND id = :id FOR UPDATE

-- name: by_ids
SELECT * FROM memories WHERE space = :space AND id IN (:ids...) AND deleted_at IS NULL

-- name: drop
DELETE FROM memories WHERE space = :space AND id IN (:ids...)

-- name: drop_sources
DELETE FROM memory_sources WHERE space = :space AND id IN (:ids...)

-- name: count_in
SELECT channel, count(*) AS memories FROM memories
WHERE space = :space AND kind = :kind AND channel IN (:channels...) AND text <> '' AND deleted_at IS NULL
GROUP BY channel

-- name: empty_kinds
DELETE FROM memories WHERE space = :space AND kind IN (:kinds...) AND text <> '' AND edited_at IS NULL
    AND deleted_at IS NULL AND (
    SELECT count(*) FROM messages m
    WHERE m.space = memories.space AND m.channel = memories.channel
        AND m.seq BETWEEN memories.first_seq AND memories.last_seq
) > memories.last_seq - memories.first_seq

-- name: settle
UPDATE memories SET draft = 0 WHERE space = :space AND kind IN (:kinds...) AND channel = :channel
    AND draft = 1
    AND first_seq <= :last AND last_seq >= :first AND (
    SELECT count(*) FROM messages m
    WHERE m.space = memories.space AND m.channel = memories.channel
        AND m.seq BETWEEN memories.first_seq AND memories.last_seq
) <= memories.last_seq - memories.first_seq

-- name: list_erased
-- What a person edited stays, unless its own message is erased.
INSERT INTO erasing (space, id)
SELECT m.space, m.id FROM memories m WHERE m.space = :space AND m.kind IN (:kinds...) AND (
    m.person = :person OR m.said_by = :person OR m.edited_by = :person
    OR ((m.edited_at IS NULL OR m.seq IS NULL) AND EXISTS (
        SELECT 1 FROM erasing e WHERE e.space = m.space AND e.channel = m.channel
            AND e.seq BETWEEN m.first_seq AND m.last_seq))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = m.space AND e.channel = m.channel
        AND (e.seq IS NULL OR e.seq = m.seq)))
ON CONFLICT (space, id) DO NOTHING

-- name: sources_of
-- In the order of their times.
SELECT s.id, s.source FROM memory_sources s JOIN memories m ON m.space = s.space AND m.id = s.source
    AND m.deleted_at IS NULL
WHERE s.space = :space AND s.id IN (:ids...) ORDER BY s.id, m.at, m.first_seq, s.source

-- name: made_from
-- In no order, so that it goes by the index on `source`.
SELECT id FROM memory_sources WHERE space = :space AND source IN (:ids...)

-- name: ids_from
SELECT DISTINCT id FROM versions WHERE space = :space AND id >= :first AND id <= :last ORDER BY id LIMIT :limit

-- Expiring

-- name: old
-- Also what someone deleted, while it still has words.
SELECT * FROM memories WHERE space = :space AND kind = :kind AND text <> '' AND at < :before ORDER BY at, id LIMIT :limit

-- name: count_old
SELECT count(*) AS number FROM memories WHERE space = :space AND kind = :kind AND text <> '' AND at < :before

-- name: stubs
-- Without words, and nothing rests on them. `held`: its messages, or what it was made from, are still there: it would be made again.
SELECT n.* FROM (
    SELECT m.*, CASE WHEN EXISTS (
        SELECT 1 FROM messages g WHERE g.space = m.space AND g.channel = m.channel AND g.seq BETWEEN m.first_seq AND m.last_seq
    ) OR EXISTS (
        SELECT 1 FROM memory_sources s JOIN memories o ON o.space = s.space AND o.id = s.source AND o.text <> ''
        WHERE s.space = m.space AND s.id = m.id
    ) THEN 1 ELSE 0 END AS held
    FROM memories m WHERE m.space = :space AND m.kind IN (:kinds...) AND m.text = ''
) AS n WHERE (n.title <> '' OR n.held = 0)
    AND NOT EXISTS (
        SELECT 1 FROM memory_sources s JOIN memories t ON t.space = s.space AND t.id = s.id
        WHERE s.space = n.space AND s.source = n.id)
ORDER BY n.id LIMIT :limit

-- name: old_words
-- Of memories that are no more, because they were replaced or deleted: what the history still quotes.
SELECT DISTINCT v.id FROM versions v
WHERE v.space = :space AND v.id >= :first AND v.id < :last AND (v.text IS NULL OR v.text <> '') AND v.at < :before
    AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.space = v.space AND n.id = v.id AND n.at >= :before)
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.space = v.space AND m.id = v.id AND m.deleted_at IS NULL)
ORDER BY v.id LIMIT :limit

-- Selecting

-- name: of_kinds
SELECT * FROM memories WHERE space = :space AND kind IN (:kinds...) AND draft >= :draft
ORDER BY kind, channel, first_seq, id

-- name: times
-- The times that the memories of a kind cover.
SELECT id, category, channel, from_at, to_at FROM memories WHERE space = :space AND kind = :kind
    ORDER BY category, id

-- name: hold_all
-- Until the commit, in one order for everybody. Not what was deleted meanwhile.
SELECT * FROM memories WHERE space = :space AND id IN (:ids...) AND deleted_at IS NULL
ORDER BY id FOR UPDATE

-- name: places_in
-- Also of what someone deleted, whose place stays.
SELECT id, first_seq, last_seq FROM memories WHERE space = :space AND kind = :kind
    AND channel = :channel ORDER BY first_seq

-- name: made_with
-- Memories of a kind that rest on these; also deleted ones.
SELECT s.source AS id, t.id AS made, t.deleted_at FROM memory_sources s
JOIN memories t ON t.space = s.space AND t.id = s.id AND t.kind = :kind
WHERE s.space = :space AND s.source IN (:ids...)

-- name: latest_notes
-- By the index of days, which has notes and topics only.
SELECT * FROM memories WHERE space = :space AND kind = 'note' AND text <> '' AND deleted_at IS NULL
ORDER BY category DESC, at DESC, id LIMIT :limit

-- name: loose_notes
-- Notes that are in no topic yet; with `redo`, also those in a draft of one.
SELECT n.id, n.channel, n.first_seq, n.day, n.draft, n.topic FROM (
    SELECT m.space, m.id, m.channel, m.first_seq, m.category AS day, m.draft, m.at, (
        SELECT t.id FROM memory_sources s JOIN memories t ON t.space = s.space AND t.id = s.id
            AND t.kind = 'topic'
        WHERE s.space = m.space AND s.source = m.id LIMIT 1) AS topic
    FROM memories m
    WHERE m.space = :space AND m.kind = 'note' AND m.text <> '' AND m.deleted_at IS NULL
        AND m.category <= :day
) AS n WHERE n.topic IS NULL OR (CAST(:redo AS INTEGER) = 1 AND EXISTS (
    SELECT 1 FROM memories t WHERE t.space = n.space AND t.id = n.topic AND t.draft = 1
        AND t.edited_at IS NULL AND t.deleted_at IS NULL))
ORDER BY n.day, n.at, n.id

-- name: topics_with
-- Topics that everyone may hear, with notes of a channel in them. One whose words have gone has
-- nothing to tell.
SELECT DISTINCT t.id FROM memories n JOIN memory_sources s ON s.space = n.space AND s.source = n.id
JOIN memories t ON t.space = s.space AND t.id = s.id AND t.kind = 'topic'
WHERE n.space = :space AND n.kind = 'note' AND n.channel = :channel AND t.channel = ''
    AND t.text <> '' AND t.deleted_at IS NULL ORDER BY t.id

-- name: listed
SELECT n.* FROM memories n JOIN erasing e ON e.space = n.space AND e.id = n.id
WHERE n.space = :space AND n.kind = :kind ORDER BY n.channel, n.first_seq, n.id

-- name: listed_categories
SELECT DISTINCT n.category FROM memories n JOIN erasing e ON e.space = n.space AND e.id = n.id
WHERE n.space = :space AND n.kind = :kind ORDER BY n.category

-- name: starting_at
SELECT * FROM memories
WHERE space = :space AND kind = :kind AND channel = :channel AND first_seq = :first
    AND deleted_at IS NULL

-- name: first_draft
SELECT n.id FROM (:rows...) AS r (channel TEXT, first_seq BIGINT)
JOIN memories n ON n.space = :space AND n.kind = :kind AND n.channel = r.channel
    AND n.first_seq = r.first_seq
WHERE n.draft = 1 AND n.deleted_at IS NULL AND n.category <= :category LIMIT 1

-- name: in_category
SELECT * FROM memories WHERE space = :space AND kind = :kind AND at BETWEEN :since AND :until
    AND category = :category AND channel = :channel
ORDER BY person

-- name: of_person_since
SELECT * FROM memories WHERE space = :space AND kind = :kind AND person = :person
    AND category >= :category ORDER BY category, channel

-- name: before_category
SELECT * FROM memories WHERE space = :space AND kind = :kind AND category < :category ORDER BY category,
    id LIMIT :limit

-- name: count_before_category
SELECT count(*) AS number FROM memories WHERE space = :space AND kind = :kind AND category < :category

-- Erasing

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

-- name: made_of_listed
-- Whether a memory was made of a listed message.
SELECT 1 AS there FROM erasing e WHERE e.space = :space AND e.seq IS NOT NULL AND EXISTS (
    SELECT 1 FROM memories f WHERE f.space = e.space AND f.channel = e.channel
        AND (f.seq = e.seq OR e.seq BETWEEN f.first_seq AND f.last_seq)) LIMIT 1

-- name: listed_times
SELECT DISTINCT d.category, d.channel FROM memories d WHERE d.space = :space
    AND d.kind = :kind AND (d.person = :person
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = d.space AND e.at >= d.from_at
        AND e.at < d.to_at AND (d.channel = '' OR d.channel = e.channel))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = d.space AND e.channel = d.channel
        AND e.seq IS NULL))
ORDER BY d.category, d.channel

-- name: listed_times_made_of
-- The same for messages alone: not those made before the message was stored. `slack`: how far clocks
-- may differ.
SELECT DISTINCT d.category, d.channel FROM erasing e
JOIN messages m ON m.space = e.space AND m.channel = e.channel AND m.seq = e.seq
JOIN memories d ON d.space = e.space AND d.kind = :kind AND e.at >= d.from_at AND e.at < d.to_at
    AND (d.channel = '' OR d.channel = e.channel)
WHERE e.space = :space AND e.at IS NOT NULL AND m.created_at <= d.created_at + :slack
ORDER BY d.category, d.channel

-- name: covers_listed
-- Whether a memory of a kind covers the time of a listed message.
SELECT 1 AS one FROM erasing e WHERE e.space = :space AND e.seq IS NOT NULL AND EXISTS (
    SELECT 1 FROM memories d WHERE d.space = e.space AND d.kind = :kind
        AND e.at >= d.from_at AND e.at < d.to_at) LIMIT 1

-- name: old_unedited
-- Neither said nor restated for long enough; what people wrote stays.
SELECT id, person FROM memories WHERE space = :space AND kind = :kind AND at < :before AND coalesce(to_at, at) < :before
    AND edited_at IS NULL AND deleted_at IS NULL
ORDER BY person, at, id LIMIT :limit

-- name: count_old_unedited
SELECT count(*) AS number FROM memories WHERE space = :space AND kind = :kind AND at < :before AND coalesce(to_at, at) < :before
    AND edited_at IS NULL AND deleted_at IS NULL

-- name: people_of_listed
-- Whose memories are listed to be erased, or rest on what is; in one order, so that nobody waits for each other.
SELECT f.person FROM erasing e JOIN memories f ON f.space = e.space AND f.id = e.id
WHERE e.space = :space AND f.kind = :kind AND f.deleted_at IS NULL
UNION
SELECT f.person FROM erasing e JOIN memory_sources s ON s.space = e.space AND s.source = e.id
JOIN memories f ON f.space = s.space AND f.id = s.id
WHERE e.space = :space AND f.kind = :kind AND f.deleted_at IS NULL
ORDER BY person

-- name: list_deleted_with_sources
-- What someone deleted goes with what it was made from.
INSERT INTO erasing (space, id)
SELECT DISTINCT f.space, f.id FROM erasing e JOIN memory_sources s ON s.space = e.space AND s.source = e.id
JOIN memories f ON f.space = s.space AND f.id = s.id
WHERE e.space = :space AND f.kind = :kind AND f.deleted_at IS NOT NULL
ON CONFLICT (space, id) DO NOTHING

-- name: people_of_listed_messages
SELECT DISTINCT f.person FROM memories f JOIN erasing e ON e.space = f.space AND e.channel = f.channel AND e.seq = f.seq
WHERE f.space = :space AND f.kind = :kind AND f.deleted_at IS NULL
