-- name: hold
-- Until the commit: whoever changes a person's profile takes turns on this row.
INSERT INTO profiles (space, person, changed_at, consolidated_at) VALUES (:space, :person, 0, 0)
ON CONFLICT (space, person) DO UPDATE SET changed_at = profiles.changed_at

-- name: touch
-- Always later than before, also when two changes fall into one moment.
UPDATE profiles SET changed_at = CASE WHEN changed_at >= :now THEN changed_at + 1 ELSE :now END WHERE space = :space AND person = :person

-- name: profile
SELECT changed_at, consolidated_at FROM profiles WHERE space = :space AND person = :person

-- name: changed
SELECT person FROM profiles WHERE space = :space AND changed_at > consolidated_at

-- name: consolidated
UPDATE profiles SET consolidated_at = :seen WHERE space = :space AND person = :person

-- name: drop_profile
DELETE FROM profiles WHERE space = :space AND person = :person

-- name: of_person
SELECT * FROM profile_facts WHERE space = :space AND person = :person ORDER BY at, id

-- name: sources_of_person
-- The further notes of a person's facts, and when their conversations began.
SELECT s.fact, s.note, n.from_at FROM profile_sources s
JOIN profile_facts f ON f.space = s.space AND f.id = s.fact
LEFT JOIN memories n ON n.space = s.space AND n.id = s.note
WHERE s.space = :space AND f.person = :person ORDER BY n.from_at, s.note

-- name: get
SELECT * FROM profile_facts WHERE space = :space AND id = :id

-- name: people
SELECT DISTINCT person FROM profile_facts WHERE space = :space ORDER BY person

-- name: drafted_of
-- Whose facts a note's draft stated.
SELECT DISTINCT person FROM profile_facts WHERE space = :space AND note = :note AND draft = 1

-- name: stated_in
-- Whose facts stand on a note; in one order, so that nobody waits for each other.
SELECT person FROM profile_facts WHERE space = :space AND note = :note
UNION
SELECT f.person FROM profile_sources s JOIN profile_facts f ON f.space = s.space AND f.id = s.fact WHERE s.space = :space AND s.note = :note
ORDER BY person

-- name: add
INSERT INTO profile_facts (space, id, person, section, text, note, said_by, channel, seq, slot, value, flag, at, valid_to, superseded_by,
    writer, draft, created_at)
VALUES (:space, :id, :person, :section, :text, :note, :said_by, :channel, :seq, :slot, :value, :flag, :at, :valid_to, :superseded_by,
    :writer, :draft, :now)

-- name: change
UPDATE profile_facts SET section = :section, text = :text, note = :note, said_by = :said_by, channel = :channel, seq = :seq, slot = :slot, value = :value, flag = :flag,
    at = :at, valid_to = :valid_to, superseded_by = :superseded_by, writer = :writer, draft = :draft
WHERE space = :space AND id = :id

-- name: sign
UPDATE profile_facts SET edited_at = :now, edited_by = :by WHERE space = :space AND id = :id

-- name: edit
-- Whoever edits it has looked at it: it is no longer only a quotation.
UPDATE profile_facts SET text = :text, value = :value, flag = '', draft = 0, edited_at = :now, edited_by = :by
WHERE space = :space AND id = :id

-- name: delete
DELETE FROM profile_facts WHERE space = :space AND id = :id

-- name: add_source
INSERT INTO profile_sources (space, fact, note) VALUES (:space, :fact, :note) ON CONFLICT (space, fact, note) DO NOTHING

-- name: drop_sources
DELETE FROM profile_sources WHERE space = :space AND fact = :fact

-- name: standing_on
-- Facts of other channels that also stand on notes of this one.
SELECT f.id, f.person, f.channel FROM profile_facts f WHERE f.space = :space AND f.channel <> :channel AND (
    EXISTS (SELECT 1 FROM memories n WHERE n.space = f.space AND n.id = f.note AND n.channel = :channel)
    OR EXISTS (SELECT 1 FROM profile_sources s JOIN memories n ON n.space = s.space AND n.id = s.note
        WHERE s.space = f.space AND s.fact = f.id AND n.channel = :channel))
ORDER BY f.person, f.id

-- name: drop_source
DELETE FROM profile_sources WHERE space = :space AND fact = :fact AND note = :note

-- name: took_part
-- The notes of a day that a person took part in.
SELECT n.id, n.channel, n.first_seq, n.last_seq, n.category AS day, n.title, n.text FROM memories n
JOIN note_people p ON p.space = n.space AND p.id = n.id
WHERE n.space = :space AND n.kind = 'note' AND n.category = :day AND n.text <> '' AND n.deleted_at IS NULL AND p.person = :person
ORDER BY n.from_at, n.id LIMIT :limit

-- name: standing
SELECT * FROM profile_facts WHERE space = :space AND valid_to IS NULL

-- name: empty
-- What people wrote, edited or imported stays, and what comes from a note that stays.
DELETE FROM profile_facts WHERE space = :space AND edited_at IS NULL AND writer NOT LIKE 'import:%'
    AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = profile_facts.space AND n.id = profile_facts.note)

-- name: empty_sources
DELETE FROM profile_sources WHERE space = :space
    AND NOT EXISTS (SELECT 1 FROM profile_facts f WHERE f.space = profile_sources.space AND f.id = profile_sources.fact)

-- name: put_back
INSERT INTO profile_facts (space, id, person, section, text, note, said_by, channel, seq, slot, value, flag, at, valid_to, superseded_by,
    writer, draft, created_at, edited_at, edited_by)
VALUES (:space, :id, :person, :section, :text, :note, :said_by, :channel, :seq, :slot, :value, :flag, :at, :valid_to, :superseded_by,
    :writer, :draft, :created_at, :edited_at, :edited_by)

-- name: source_note
-- Whether the note is there, or has expired; not what was left empty.
SELECT 1 AS one FROM memories WHERE space = :space AND id = :id AND deleted_at IS NULL AND (text <> '' OR writer <> '')

-- name: of_note
SELECT f.id FROM profile_facts f WHERE f.space = :space AND f.text <> '' AND f.id IN (
    SELECT g.id FROM profile_facts g WHERE g.space = :space AND g.note = :note
    UNION SELECT s.fact FROM profile_sources s WHERE s.space = :space AND s.note = :note)
ORDER BY f.at, f.id
