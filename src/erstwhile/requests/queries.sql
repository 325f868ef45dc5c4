-- name: add_requests
INSERT INTO requests (space, id, at, op, channel, person, query, searched, hits_summaries, hits_words, hits_trigram, hits_meaning, hits_recent,
    path, fallback, scope, widened, time_words, items, tokens, budget, truncated, retrieval_ms, model_ms, model,
    input_tokens, output_tokens, cached_tokens, error_stage, trial, recipe, detail)
VALUES (:space, :id, :at, :op, :channel, :person, :query, :searched, :hits_summaries, :hits_words, :hits_trigram, :hits_meaning,
    :hits_recent, :path, :fallback, :scope, :widened, :time_words, :items, :tokens, :budget, :truncated, :retrieval_ms, :model_ms, :model,
    :input_tokens, :output_tokens, :cached_tokens, :error_stage, :trial, :recipe, :detail)
ON CONFLICT (space, id) DO NOTHING

-- name: add_usage
INSERT INTO usage (space, day, task, model, calls, input_tokens, output_tokens, cached_tokens, failed, unborne)
VALUES (:space, :day, :task, :model, :calls, :input_tokens, :output_tokens, :cached_tokens, :failed, :unborne)
ON CONFLICT (space, day, task, model) DO UPDATE SET calls = usage.calls + excluded.calls,
    input_tokens = usage.input_tokens + excluded.input_tokens, output_tokens = usage.output_tokens + excluded.output_tokens,
    cached_tokens = usage.cached_tokens + excluded.cached_tokens, failed = usage.failed + excluded.failed,
    unborne = usage.unborne + excluded.unborne

-- name: get
SELECT r.*, c.note FROM requests r LEFT JOIN feedback c ON c.space = r.space AND c.request = r.id WHERE r.space = :space AND r.id = :id

-- name: latest
-- Without the detail, which is the largest part of a row. `before` is the id of the last one seen,
-- and `until` its moment. The id breaks ties: it sorts by the moment it was given.
SELECT r.id, r.at, r.op, r.channel, r.person, r.query, r.searched, r.hits_summaries, r.hits_words, r.hits_trigram, r.hits_meaning,
    r.hits_recent, r.path, r.fallback, r.scope, r.widened, r.time_words, r.items, r.tokens, r.budget, r.truncated, r.retrieval_ms, r.model_ms,
    r.model, r.input_tokens, r.output_tokens, r.cached_tokens, r.error_stage, r.trial, r.recipe, c.note
FROM requests r LEFT JOIN feedback c ON c.space = r.space AND c.request = r.id
WHERE r.space = :space AND r.at <= :until AND (r.at < :until OR r.id < :before)
    AND (CAST(:channel AS TEXT) IS NULL OR r.channel = :channel) AND (CAST(:person AS TEXT) IS NULL OR r.person = :person)
    AND (CAST(:op AS TEXT) IS NULL OR r.op = :op)
    AND (CAST(:words AS TEXT) = '' OR replace(lower(r.query), lower(CAST(:words AS TEXT)), '') <> lower(r.query))
    AND (CAST(:kind AS TEXT) = '' OR (:kind = 'feedback' AND c.note IS NOT NULL) OR (:kind = 'failed' AND r.error_stage IS NOT NULL)
        OR (:kind = 'truncated' AND r.truncated = 1) OR (:kind = 'empty' AND r.items = 0) OR (:kind = 'trial' AND r.trial = 1)
        OR (:kind = 'real' AND r.trial = 0))
ORDER BY r.at DESC, r.id DESC LIMIT :limit

-- name: latest_failed
-- The same, of those that failed, which have an index of their own.
SELECT r.id, r.at, r.op, r.channel, r.person, r.query, r.searched, r.hits_summaries, r.hits_words, r.hits_trigram, r.hits_meaning,
    r.hits_recent, r.path, r.fallback, r.scope, r.widened, r.time_words, r.items, r.tokens, r.budget, r.truncated, r.retrieval_ms, r.model_ms,
    r.model, r.input_tokens, r.output_tokens, r.cached_tokens, r.error_stage, r.trial, r.recipe, c.note
FROM requests r LEFT JOIN feedback c ON c.space = r.space AND c.request = r.id
WHERE r.space = :space AND r.error_stage IS NOT NULL AND (CAST(:channel AS TEXT) IS NULL OR r.channel = :channel)
ORDER BY r.at DESC, r.id DESC LIMIT :limit

-- name: lately
-- across spaces: whose index a new server fills first. The last moment of each is at the end of its stretch of the index.
SELECT s.space, coalesce((SELECT max(r.at) FROM requests r WHERE r.space = s.space), 0) AS asked_at FROM spaces s
ORDER BY asked_at DESC, s.space LIMIT :limit

-- name: put_feedback
INSERT INTO feedback (space, request, at, note) VALUES (:space, :request, :at, :note)
ON CONFLICT (space, request) DO UPDATE SET note = excluded.note

-- name: counts
-- By day and operation. What was shown without searching says nothing about the search, so hits are
-- counted where there was one; a trial says nothing about what people ask.
WITH asked AS (
    SELECT (at - :since) / 86400000000 AS day, CASE WHEN op = 'search' THEN 0 ELSE 1 END AS for_context, requests.*
    FROM requests WHERE space = :space AND at >= :since AND at <= :until AND trial = 0
)
SELECT day, op, count(*) AS requests, sum(searched) AS queries, sum(for_context) AS contexts,
    sum(CASE WHEN hits_summaries > 0 THEN searched ELSE 0 END) AS summaries,
    sum(CASE WHEN hits_words > 0 THEN searched ELSE 0 END) AS words,
    sum(CASE WHEN hits_trigram > 0 THEN searched ELSE 0 END) AS trigram,
    sum(CASE WHEN hits_meaning > 0 THEN searched ELSE 0 END) AS meaning,
    sum(CASE WHEN hits_recent > 0 THEN searched ELSE 0 END) AS recent,
    sum(CASE WHEN hits_words < 3 THEN searched ELSE 0 END) AS thin,
    sum(CASE WHEN fallback = 1 THEN searched ELSE 0 END) AS fallback,
    sum(CASE WHEN widened <> '' THEN searched ELSE 0 END) AS widened,
    sum(CASE WHEN path = 'summaries' THEN searched ELSE 0 END) AS summaries_only,
    sum(CASE WHEN truncated = 1 THEN for_context ELSE 0 END) AS truncated,
    sum(CASE WHEN items = 0 AND coalesce(error_stage, '') <> 'retrieval' THEN 1 ELSE 0 END) AS empty,
    sum(for_context * tokens) AS tokens,
    sum(CASE WHEN error_stage = 'retrieval' THEN 1 ELSE 0 END) AS retrieval_errors,
    sum(CASE WHEN error_stage = 'model' THEN 1 ELSE 0 END) AS model_errors,
    sum(CASE WHEN error_stage = 'log' THEN 1 ELSE 0 END) AS log_errors
FROM asked GROUP BY day, op ORDER BY day, op

-- name: spent_on_chat
SELECT (at - :since) / 86400000000 AS day, 'chat' AS task, model, count(*) AS calls, sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens, sum(cached_tokens) AS cached_tokens,
    sum(CASE WHEN error_stage = 'model' THEN 1 ELSE 0 END) AS failed, 0 AS unborne
FROM requests WHERE space = :space AND at >= :since AND at <= :until AND op = 'ask' AND model IS NOT NULL GROUP BY 1, model ORDER BY model, 1

-- name: spent_on_memory
SELECT day - :first AS day, task, model, calls, input_tokens, output_tokens, cached_tokens, failed, unborne
FROM usage WHERE space = :space AND day >= :first AND day <= :last ORDER BY task, model, day

-- name: feedback_by_day
-- By day; `missed` are those of requests that words and trigrams found next to nothing for: where
-- only meaning could have helped.
WITH told AS (
    SELECT (c.at - :since) / 86400000000 AS day,
        CASE WHEN r.searched = 1 AND r.hits_words < 2 AND r.hits_trigram = 0 AND r.error_stage IS NULL THEN 1 ELSE 0 END AS missed
    FROM feedback c JOIN requests r ON r.space = c.space AND r.id = c.request
    WHERE c.space = :space AND c.at >= :since AND c.at <= :until AND r.trial = 0
)
SELECT day, count(*) AS feedback, sum(missed) AS missed FROM told GROUP BY day ORDER BY day

-- name: forget_requests
-- across spaces: housekeeping, of all that is older than the setting allows.
DELETE FROM requests WHERE at < :before

-- name: forget_feedback
-- across spaces: housekeeping; feedback goes with its request.
DELETE FROM feedback WHERE at < :before
    AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.space = feedback.space AND r.id = feedback.request)

-- name: forget_usage
-- across spaces: housekeeping.
DELETE FROM usage WHERE day < :before

-- name: ids_from
SELECT id FROM requests WHERE space = :space AND id >= :first AND id <= :last ORDER BY id LIMIT :limit

-- Erasing

-- name: drop_requests
-- Their own; what nobody asked by name in channels where they spoke; what names them; and those of a channel that goes.
DELETE FROM requests WHERE space = :space AND (person = :person OR (person IS NULL AND channel IN (:channels...))
    OR EXISTS (SELECT 1 FROM erasing e WHERE e.space = requests.space AND e.channel = requests.channel AND e.seq IS NULL))

-- name: drop_requests_in_words
-- What was asked in the very words of a message that goes, unless someone else asked it under their own name.
DELETE FROM requests WHERE space = :space AND ((person IS NULL AND query IN (
        SELECT m.text FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id WHERE m.space = :space))
    OR (person, query) IN (
        SELECT m.person, m.text FROM messages m JOIN erasing e ON e.space = m.space AND e.id = m.id WHERE m.space = :space AND m.person IS NOT NULL))

-- name: feedback_after
SELECT request AS id, note AS text FROM feedback WHERE space = :space AND request > :id
ORDER BY request LIMIT :limit

-- name: requests_after
SELECT id, query AS text FROM requests WHERE space = :space AND id > :id ORDER BY id LIMIT :limit

-- name: drop_feedback_of
DELETE FROM feedback WHERE space = :space AND request IN (:ids...)

-- name: drop_requests_of
DELETE FROM requests WHERE space = :space AND id IN (:ids...)

-- name: drop_loose_feedback
DELETE FROM feedback WHERE space = :space AND NOT EXISTS (
    SELECT 1 FROM requests r WHERE r.space = feedback.space AND r.id = feedback.request)

-- name: drop_requests_saying
-- What was asked in just these words, when they were said. `since`: a little before.
DELETE FROM requests WHERE space = :space AND at >= :since AND query = :text

-- name: asked_by
SELECT 1 AS there FROM requests WHERE space = :space AND person = :person LIMIT 1
