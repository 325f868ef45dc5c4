-- name: latest_notes
SELECT id, kind, channel, first_seq, last_seq, day, title, text, writer, to_at FROM notes
WHERE space = :space AND kind = 'note' AND expired = 0 ORDER BY day DESC, to_at DESC, id LIMIT :limit
