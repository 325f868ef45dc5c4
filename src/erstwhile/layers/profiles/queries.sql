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
