-- A space for which something was chosen before anyone spoke in it was not among the spaces: work across spaces, such as a backup, passed it over.
INSERT INTO spaces (space, created_at)
SELECT space, min(at) FROM (
    SELECT space, set_at AS at FROM space_settings UNION ALL SELECT space, set_at FROM prompts
    UNION ALL SELECT space, created_at FROM people UNION ALL SELECT space, at FROM listening
) chosen WHERE space NOT IN (SELECT space FROM spaces) GROUP BY space;
