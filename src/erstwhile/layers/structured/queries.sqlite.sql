-- name: hold_thread
-- SQLite has one writer: nothing to hold.
SELECT :space AS space, :thread AS thread
