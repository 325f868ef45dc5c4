-- name: hold_thread
-- Until the commit: whoever changes a memory of a thread then sees, and sets right, all the others of it.
SELECT pg_advisory_xact_lock(hashtextextended(CAST(:space AS TEXT), hashtextextended(CAST(:thread AS TEXT), 0))) IS NULL AS held
