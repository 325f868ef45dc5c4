-- name: percentiles
-- The value at the nearest rank, per stretch of `width` microseconds: a day, or the whole period.
WITH measured AS (
    SELECT (at - :since) / :width AS stretch, retrieval_ms, model_ms, retrieval_ms + coalesce(model_ms, 0) AS whole_ms
    FROM requests WHERE space = :space AND at >= :since AND at <= :until AND trial = 0
)
SELECT stretch,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY retrieval_ms) AS retrieval_p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY retrieval_ms) AS retrieval_p95,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY model_ms) AS model_p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY model_ms) AS model_p95,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY whole_ms) AS whole_p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY whole_ms) AS whole_p95
FROM measured GROUP BY stretch

-- name: drop_requests_showing
-- Requests whose candidates come from a channel, whoever asked.
DELETE FROM requests WHERE space = :space AND EXISTS (
    SELECT 1 FROM jsonb_array_elements_text(requests.detail::jsonb#>'{candidates,channel,values}') c WHERE c = :channel)
