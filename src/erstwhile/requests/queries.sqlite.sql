-- name: times
-- SQLite has no percentiles, and sorting by window functions took two to three times as long as
-- sorting in Python (200,000 rows).
SELECT (at - :since) / 86400000000 AS day, retrieval_ms, model_ms FROM requests WHERE space = :space AND at >= :since AND at <= :until AND trial = 0

-- name: drop_requests_showing
-- Requests whose candidates come from a channel, whoever asked.
DELETE FROM requests WHERE space = :space AND EXISTS (
    SELECT 1 FROM json_each(requests.detail, '$.candidates.channel.values') c WHERE c.value = :channel)
