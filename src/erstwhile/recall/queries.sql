-- name: to_embed
-- across spaces: the worker asks which spaces have something to embed, and no job for it yet. One that is parked stays so until someone looks.
SELECT s.space FROM spaces s WHERE EXISTS (SELECT 1 FROM unembedded u WHERE u.space = s.space) AND NOT EXISTS (
    SELECT 1 FROM jobs j WHERE j.space = s.space AND j.kind = :kind AND j.key = '' AND j.state IN ('waiting', 'running', 'parked'))
