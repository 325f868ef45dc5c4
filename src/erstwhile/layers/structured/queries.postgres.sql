-- name: hold_thread
-- Locks a thread until the commit, so that a change of one memory sees and updates all others.
SELECT pg_advisory_xact_lock(hashtextextended(CAST(:space AS TEXT),
    hashtextextended(CAST(:thread AS TEXT), 0))) IS NULL AS held
