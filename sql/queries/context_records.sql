-- name: always
-- Living records that every context begins with, as one location sees them. The most trusted come
-- first, so that many claims cannot push out what the operator said. The caller checks whom a
-- private record belongs to.
SELECT * FROM memories
WHERE always_load = 1 AND status IN ('active', 'contradicted') AND (:since IS NULL OR updated_at >= :since)
  AND (project_id IS NULL OR scope = 'global' OR project_id = :project_id)
ORDER BY trust DESC, observed_at DESC, id DESC LIMIT :limit;

-- name: newest
-- The newest living records of one type in one project (or, with no project, of those that belong
-- to none), changed since a time.
SELECT * FROM memories
WHERE project_id IS :project_id AND type = :type AND status IN ('active', 'contradicted')
  AND (:since IS NULL OR updated_at >= :since)
ORDER BY observed_at DESC LIMIT :limit;

-- name: newest_of_kind
-- The newest living records of one kind in one project (or, with no project, of those that belong
-- to none), changed since a time.
SELECT * FROM memories
WHERE project_id IS :project_id AND kind = :kind AND status IN ('active', 'contradicted')
  AND (:since IS NULL OR updated_at >= :since)
ORDER BY observed_at DESC LIMIT :limit;

-- name: count_of_kind
-- How many living records of one kind there are in one project (or, with no project, among those
-- that belong to none).
SELECT count(*) FROM memories
WHERE project_id IS :project_id AND kind = :kind AND status IN ('active', 'contradicted');

-- name: disputed
-- The newest records of one project (or, with no project, of those that belong to none) that
-- another one contradicts, changed since a time.
SELECT * FROM memories
WHERE status = 'contradicted' AND project_id IS :project_id AND (:since IS NULL OR updated_at >= :since)
ORDER BY observed_at DESC LIMIT :limit;

-- name: neighbours
-- For each id in a JSON array the ids just before and just after it, to find its shortest unique
-- prefix.
SELECT wanted.value AS id,
  (SELECT max(m.id) FROM memories AS m WHERE m.id < wanted.value) AS before,
  (SELECT min(m.id) FROM memories AS m WHERE m.id > wanted.value) AS after
FROM json_each(:ids) AS wanted;

-- name: changed_since_told
-- Of the records in a JSON object of ids, each with the time it was told, those that changed since
-- then and by now, or whose validity has ended.
SELECT m.* FROM json_each(:told) AS t JOIN memories AS m ON m.id = t.key
WHERE (m.updated_at >= t.value AND m.updated_at < :now) OR m.valid_until <= :now
ORDER BY m.id;

-- name: changed_after
-- Records whose words were changed after a time (a record that was created later has no earlier
-- words).
SELECT DISTINCT memory_id FROM memory_events
WHERE at > :at AND before IS NOT NULL
  AND (json_type(before, '$.content') IS NOT NULL OR json_type(before, '$.title') IS NOT NULL OR json_type(before, '$.summary') IS NOT NULL)
ORDER BY memory_id;

-- name: project_name
-- The name of one project.
SELECT name FROM projects WHERE id = :id;

-- name: newer_of
-- The newer records that the records in a JSON array of ids are marked with, while both are in
-- force.
SELECT k.memory_id AS older_id, k.nearness, m.* FROM json_each(:ids) AS wanted
CROSS JOIN newer_marks AS k ON k.memory_id = wanted.value AND k.nearness <> 0
CROSS JOIN memories AS m ON m.id = k.newer_id CROSS JOIN memories AS o ON o.id = k.memory_id
WHERE m.status IN ('active', 'contradicted') AND o.status IN ('active', 'contradicted');
