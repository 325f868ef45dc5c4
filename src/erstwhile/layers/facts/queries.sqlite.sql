-- name: drop_links
-- Both ways. The table leads with `id`, so the other way is found through the facts it leads to.
DELETE FROM fact_links WHERE space = :space AND (id IN (SELECT value FROM json_each(:ids))
    OR (id, other) IN (SELECT l.other, l.id FROM fact_links l WHERE l.space = :space AND l.id IN (SELECT value FROM json_each(:ids))))

-- name: hold_person
-- SQLite has one writer: nothing to hold.
SELECT person FROM people WHERE space = :space AND person = :person
