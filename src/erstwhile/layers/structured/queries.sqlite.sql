-- name: hold_thread
-- SQLite has one writer: there is nothing to lock.
SELECT :space AS space, :thread AS thread
