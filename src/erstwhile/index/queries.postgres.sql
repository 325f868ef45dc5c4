-- name: add_documents
-- A message that came while a rebuild was emptying the index has its document already: reindexing leaves it.
INSERT INTO documents (space, id, kind, channel, person, at, terms, size)
SELECT :space, r.id, r.kind, r.channel, r.person, r.at, r.terms::tsvector, r.size
FROM json_to_recordset(:rows::json) AS r (id TEXT, kind TEXT, channel TEXT, person TEXT, at BIGINT, terms TEXT, size INTEGER)
ON CONFLICT (space, id) DO NOTHING

-- name: remove_documents
DELETE FROM documents WHERE space = :space AND id IN (SELECT jsonb_array_elements_text(:ids::jsonb))

-- name: empty_documents
DELETE FROM documents WHERE space = :space

-- name: weigh
-- How many documents there are, how long they are on average, and how many hold each term: what BM25 weighs terms by.
SELECT '' AS term, count(*) AS holding, coalesce(avg(size), 1)::float8 AS length FROM documents WHERE space = :space
UNION ALL
SELECT term, (SELECT count(*) FROM documents d WHERE d.space = :space AND d.terms @@ quote_literal(term)::tsquery), 0
FROM unnest(:terms::text[]) AS term

-- name: match
-- BM25 with the constants of FTS5 (k1 1.2, b 0.75) over the documents that hold any of the terms: Postgres' own ts_rank knows no rarity.
SELECT d.id, d.kind, d.channel, d.person, d.at, (
    SELECT sum(w.weight * t.n * 2.2 / (t.n + 1.2 * (0.25 + 0.75 * d.size / :length::float8)))
    FROM unnest(d.terms) AS u
    CROSS JOIN LATERAL (SELECT cardinality(u.positions)::float8 AS n) AS t
    JOIN unnest(:terms::text[], :weights::float8[]) AS w (term, weight) ON w.term = u.lexeme
) AS score
FROM documents d
WHERE d.space = :space AND d.terms @@ :match::tsquery
    AND (:channel::text IS NULL OR d.channel = :channel::text)
    AND (:person::text IS NULL OR d.person = :person::text)
    AND (:kinds::text[] IS NULL OR d.kind = ANY (:kinds::text[]))
ORDER BY score DESC, d.at DESC, d.id
LIMIT :limit
