-- name: count_unheard
SELECT count(*) AS memories FROM (
    SELECT audience AS place FROM told WHERE space = :space AND person = :person
    UNION ALL SELECT audience FROM days WHERE space = :space AND person = :person
    UNION ALL SELECT channel FROM memories WHERE space = :space AND person = :person AND deleted_at IS NULL
    UNION ALL SELECT channel FROM structured WHERE space = :space AND person = :person
    UNION ALL SELECT channel FROM profile_facts WHERE space = :space AND person = :person
) AS m WHERE m.place IN (SELECT value FROM json_each(:keys))
