-- name: drop_links
-- Both ways. The table leads with `id`, so the other way is found through the facts it leads to.
DELETE FROM fact_links WHERE space = :space AND (id IN (SELECT jsonb_array_elements_text(:ids::jsonb))
    OR (id, other) IN (SELECT l.other, l.id FROM fact_links l WHERE l.space = :space AND l.id IN (SELECT jsonb_array_elements_text(:ids::jsonb))))

-- name: hold_person
-- Readings about one person are kept one after the other, so that the later one finds what the earlier one wrote.
SELECT person FROM people WHERE space = :space AND person = :person FOR UPDATE
