-- Tags: concepts whose name begins with `#`, which records mention.

-- name: holders
-- The records that have every tag in a JSON array of names.
SELECT m.memory_id FROM entities AS e JOIN memory_entities AS m ON m.entity_id = e.id
WHERE e.kind = 'concept' AND e.name IN (SELECT value FROM json_each(:names))
GROUP BY m.memory_id HAVING count(DISTINCT e.id) = :count;

-- name: numbers
-- The index numbers of the records that have every tag in a JSON array of names, newest first.
SELECT r.n FROM memories AS r WHERE r.id IN (
  SELECT m.memory_id FROM entities AS e JOIN memory_entities AS m ON m.entity_id = e.id
  WHERE e.kind = 'concept' AND e.name IN (SELECT value FROM json_each(:names))
  GROUP BY m.memory_id HAVING count(DISTINCT e.id) = :count
) ORDER BY r.n DESC LIMIT :limit;

-- name: of_memory
-- The tags of one record, each with the name by which it was given.
SELECT e.id AS entity_id, e.name AS tag, m.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id
WHERE m.memory_id = :memory_id AND e.kind = 'concept' AND substr(e.name, 1, 1) = '#' ORDER BY e.name, m.name;

-- name: counted
-- The tags in use, the most used first; private records of other agents than `agent` do not count (NULL: the operator).
SELECT substr(e.name, 2) AS tag, count(DISTINCT m.id) AS records
FROM entities AS e JOIN memory_entities AS a ON a.entity_id = e.id JOIN memories AS m ON m.id = a.memory_id
WHERE e.kind = 'concept' AND e.name >= '#' AND e.name < '$' AND (m.status IN (SELECT value FROM json_each(:statuses)))
  AND (m.scope NOT IN ('agent', 'session') OR :agent IS NULL OR m.agent_id = :agent)
  AND (:project_id IS NULL OR m.project_id = :project_id)
GROUP BY e.name ORDER BY records DESC, tag;
