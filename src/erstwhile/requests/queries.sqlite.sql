-- name: times
-- SQLite has no percentiles, and sorting by window functions took two to three times as long as
-- sorting in Python (200,000 rows).
SELECT (at - :since) / 86400000000 AS day, retrieval_ms, model_ms FROM requests WHERE space = :space AND at >= :since AND at <= :until AND trial = 0
