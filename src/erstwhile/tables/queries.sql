-- What is erased is first listed in `erasing`: messages with their place, memories by their id, a whole channel as a row
-- without a number.

-- name: clear
DELETE FROM erasing WHERE space = :space

-- name: list_channel
INSERT INTO erasing (space, id, channel) VALUES (:space, 'channel:' || CAST(:channel AS TEXT), :channel) ON CONFLICT (space, id) DO NOTHING

-- name: list_message
INSERT INTO erasing (space, id, channel, seq, at) VALUES (:space, :id, :channel, :seq, :at) ON CONFLICT (space, id) DO NOTHING

-- name: places
SELECT id, channel, seq FROM erasing WHERE space = :space AND seq IS NOT NULL ORDER BY channel, seq

-- name: spans
-- Of what is listed, by channel.
SELECT channel, min(seq) AS first, max(seq) AS last FROM erasing WHERE space = :space AND at IS NOT NULL GROUP BY channel ORDER BY channel

-- name: listed
SELECT id FROM erasing WHERE space = :space

-- name: channels_with
SELECT DISTINCT channel FROM erasing WHERE space = :space AND seq IS NOT NULL ORDER BY channel

-- name: listed_in
SELECT id FROM erasing WHERE space = :space AND channel = :channel AND seq IS NOT NULL

-- name: count_listed
SELECT count(*) AS number FROM erasing WHERE space = :space

-- name: list_id
INSERT INTO erasing (space, id) VALUES (:space, :id) ON CONFLICT (space, id) DO NOTHING
