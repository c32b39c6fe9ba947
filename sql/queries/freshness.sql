-- name: untouched
-- Active records of some types that nothing protects and that were not observed, confirmed or used
-- since a time, oldest first.
SELECT * FROM memories
WHERE status = 'active' AND protected = 0 AND always_load = 0 AND type IN (SELECT value FROM json_each(:types))
  AND max(observed_at, ifnull(confirmed_at, ''), ifnull(last_accessed_at, '')) < :before
ORDER BY observed_at, id;

-- name: crowded
-- Places where more than a given number of records of a type or scope, or of both, are active, by
-- project, and for private records by agent.
SELECT project_id, iif(scope IN ('agent', 'session'), agent_id, NULL) AS holder, count(*) AS active FROM memories
WHERE status = 'active' AND (:type IS NULL OR type = :type) AND (:scope IS NULL OR scope = :scope)
GROUP BY 1, 2 HAVING count(*) > :most;

-- name: crowd
-- Records of one such place that may be archived without asking. They are unprotected, and the
-- operator did not say them.
SELECT * FROM memories
WHERE status = 'active' AND (:type IS NULL OR type = :type) AND (:scope IS NULL OR scope = :scope)
  AND project_id IS :project_id AND iif(scope IN ('agent', 'session'), agent_id, NULL) IS :holder
  AND protected = 0 AND always_load = 0 AND owner <> 'operator' AND trust < :operator
ORDER BY id;
