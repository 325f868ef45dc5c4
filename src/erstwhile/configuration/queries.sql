-- name: prompt_in_force
-- The prompt of the one person who said everything in the range, else the space's; no row: ours. A
-- message by nobody in particular counts as another person's.
SELECT instructions FROM prompts WHERE space = :space AND name = :name AND person IN ('', (
    SELECT min(coalesce(messages.person, '')) FROM messages
    WHERE space = :space AND channel = :channel AND seq BETWEEN :first AND :last AND role = 'user'
    HAVING count(DISTINCT coalesce(messages.person, '')) = 1))
ORDER BY person DESC LIMIT 1

-- name: prompts_of
-- The space's, then the person's.
SELECT person, name, instructions FROM prompts WHERE space = :space
    AND person IN ('', :person) ORDER BY person

-- name: put_prompt
INSERT INTO prompts (space, person, name, instructions, set_at)
    VALUES (:space, :person, :name, :instructions, :now)
ON CONFLICT (space, person, name) DO UPDATE
    SET instructions = excluded.instructions, set_at = excluded.set_at

-- name: drop_prompt
DELETE FROM prompts WHERE space = :space AND person = :person AND name = :name

-- name: settings_of
SELECT name, value FROM space_settings WHERE space = :space

-- name: setting
SELECT value FROM space_settings WHERE space = :space AND name = :name

-- name: put_setting
INSERT INTO space_settings (space, name, value, secret, set_at)
    VALUES (:space, :name, :value, :secret, :now)
ON CONFLICT (space, name) DO UPDATE
    SET value = excluded.value, secret = excluded.secret, set_at = excluded.set_at

-- name: drop_setting
DELETE FROM space_settings WHERE space = :space AND name = :name

-- name: spaces_with_a_model
-- across spaces: drafts are asked for again wherever a model has become available
SELECT space FROM space_settings WHERE name = 'model' ORDER BY space

-- name: people_with_prompts
-- Who has one of their own, by prompt.
SELECT name, person FROM prompts WHERE space = :space AND person <> ''
    ORDER BY name, person LIMIT 1000

-- name: all_prompts
SELECT person, name, instructions FROM prompts WHERE space = :space ORDER BY person, name
