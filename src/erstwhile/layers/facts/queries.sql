-- name: add_link
INSERT INTO fact_links (space, id, other)
SELECT f.space, f.id, o.id FROM memories f, memories o
WHERE f.space = :space AND f.id = :id AND f.deleted_at IS NULL AND o.space = :space
    AND o.id = :other AND o.deleted_at IS NULL
ON CONFLICT (space, id, other) DO NOTHING

-- name: links_in
SELECT l.id, l.other FROM memories f JOIN fact_links l ON l.space = f.space AND l.id = f.id
JOIN memories o ON o.space = l.space AND o.id = l.other AND o.deleted_at IS NULL
WHERE f.space = :space AND f.kind = 'fact' AND f.channel = :channel AND f.first_seq BETWEEN :first
    AND :last AND f.deleted_at IS NULL
ORDER BY l.id, l.other

-- name: drop_loose_links
DELETE FROM fact_links WHERE space = :space AND NOT (
    EXISTS (SELECT 1 FROM memories f WHERE f.space = fact_links.space AND f.id = fact_links.id)
    AND EXISTS (SELECT 1 FROM memories o WHERE o.space = fact_links.space
        AND o.id = fact_links.other))

-- name: links_of
SELECT other FROM fact_links WHERE space = :space AND id = :id ORDER BY other

-- name: drop_links
-- In both directions. The key begins with `id`, so the other direction is found through the linked
-- facts.
DELETE FROM fact_links WHERE space = :space AND (id IN (:ids...)
    OR (id, other) IN (SELECT l.other, l.id FROM fact_links l WHERE l.space = :space AND l.id
        IN (:ids...)))
