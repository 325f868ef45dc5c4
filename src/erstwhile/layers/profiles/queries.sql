-- name: hold
-- Until the commit: whoever changes a person's profile takes turns on this row.
INSERT INTO profiles (space, person, changed_at, consolidated_at) VALUES (:space, :person, 0, 0)
ON CONFLICT (space, person) DO UPDATE SET changed_at = profiles.changed_at

-- name: touch
-- Always later than before, also when two changes fall into one moment.
UPDATE profiles SET changed_at = CASE WHEN changed_at >= :now THEN changed_at + 1 ELSE :now END
WHERE space = :space AND person = :person

-- name: profile
SELECT changed_at FROM profiles WHERE space = :space AND person = :person

-- name: changed
SELECT person FROM profiles WHERE space = :space AND changed_at > consolidated_at

-- name: consolidated
UPDATE profiles SET consolidated_at = :seen WHERE space = :space AND person = :person

-- name: drop_profile
DELETE FROM profiles WHERE space = :space AND person = :person

-- name: people
SELECT DISTINCT person FROM memories WHERE space = :space AND kind = 'profile' AND deleted_at IS NULL ORDER BY person

-- name: erased
-- Whose facts are listed to be erased, or rest on notes that are; in one order, so that nobody waits for each other.
SELECT f.person FROM erasing e JOIN memories f ON f.space = e.space AND f.id = e.id
WHERE e.space = :space AND f.kind = 'profile' AND f.deleted_at IS NULL
UNION
SELECT f.person FROM erasing e JOIN memory_sources s ON s.space = e.space AND s.source = e.id
JOIN memories f ON f.space = s.space AND f.id = s.id
WHERE e.space = :space AND f.kind = 'profile' AND f.deleted_at IS NULL
ORDER BY person

-- name: list_deleted
-- Facts that someone deleted go with their notes.
INSERT INTO erasing (space, id)
SELECT DISTINCT f.space, f.id FROM erasing e JOIN memory_sources s ON s.space = e.space AND s.source = e.id
JOIN memories f ON f.space = s.space AND f.id = s.id
WHERE e.space = :space AND f.kind = 'profile' AND f.deleted_at IS NOT NULL
ON CONFLICT (space, id) DO NOTHING

-- name: said_in_erased
SELECT DISTINCT f.person FROM memories f JOIN erasing e ON e.space = f.space AND e.channel = f.channel AND e.seq = f.seq
WHERE f.space = :space AND f.kind = 'profile' AND f.deleted_at IS NULL

-- name: old
-- Neither said nor restated for long enough; what people wrote stays.
SELECT id, person FROM memories WHERE space = :space AND kind = 'profile' AND at < :before AND coalesce(to_at, at) < :before
    AND edited_at IS NULL AND deleted_at IS NULL
ORDER BY person, at, id LIMIT :limit

-- name: count_old
SELECT count(*) AS number FROM memories WHERE space = :space AND kind = 'profile' AND at < :before AND coalesce(to_at, at) < :before
    AND edited_at IS NULL AND deleted_at IS NULL
