-- name: created
-- How many records were made on each day, by whether they still wait, without what is private to others.
SELECT substr(created_at, 1, 10) AS day, count(*) AS count, sum(status = 'inbox') AS waiting FROM memories
WHERE :viewer IS NULL OR scope NOT IN ('agent', 'session') OR (scope = 'agent' AND agent_id IS :viewer)
GROUP BY day ORDER BY day;

-- name: decisions
-- How many records were approved, and how many turned down or forgotten, on each day.
SELECT substr(at, 1, 10) AS day, sum(verb = 'promoted') AS approved,
  sum(verb = 'archived' AND json_extract(before, '$.status') = 'inbox') AS rejected
FROM memory_events WHERE topic = 'record' AND verb IN ('promoted', 'archived')
GROUP BY day HAVING approved + rejected > 0 ORDER BY day;

-- name: retrievals
-- The latest searches and contexts: for whom, how long they took, and how many records they gave.
SELECT command, actor, duration_ms, json_array_length(returned) AS given FROM retrieval_logs
WHERE command <> 'compaction' ORDER BY at DESC LIMIT :limit;

-- name: ages
-- On which day each record in force was last seen to be true, counted by day.
SELECT substr(coalesce(confirmed_at, observed_at), 1, 10) AS day, count(*) AS count FROM memories
WHERE status IN ('active', 'contradicted')
  AND (:viewer IS NULL OR scope NOT IN ('agent', 'session') OR (scope = 'agent' AND agent_id IS :viewer))
GROUP BY day;

-- name: links
-- The newest links between records in force, without what is private to others.
SELECT l.relation, a.id AS from_id, a.title AS from_title, b.id AS to_id, b.title AS to_title
FROM memory_links AS l JOIN memories AS a ON a.id = l.from_id JOIN memories AS b ON b.id = l.to_id
WHERE a.status <> 'archived' AND b.status <> 'archived'
  AND (:viewer IS NULL OR ((a.scope NOT IN ('agent', 'session') OR (a.scope = 'agent' AND a.agent_id IS :viewer))
    AND (b.scope NOT IN ('agent', 'session') OR (b.scope = 'agent' AND b.agent_id IS :viewer))))
ORDER BY l.created_at DESC, l.id LIMIT :limit;

-- name: mentions
-- The records in force that mention the most mentioned entities, without what is private to others.
WITH busy AS (
  SELECT me.entity_id, count(*) AS count FROM memory_entities AS me JOIN memories AS m ON m.id = me.memory_id
  WHERE m.status IN ('active', 'contradicted')
    AND (:viewer IS NULL OR m.scope NOT IN ('agent', 'session') OR (m.scope = 'agent' AND m.agent_id IS :viewer))
  GROUP BY me.entity_id ORDER BY count DESC, me.entity_id LIMIT :entities
)
SELECT e.id AS entity_id, e.name, m.id, m.title FROM busy JOIN entities AS e ON e.id = busy.entity_id
JOIN memory_entities AS me ON me.entity_id = e.id JOIN memories AS m ON m.id = me.memory_id
WHERE m.status IN ('active', 'contradicted') AND e.merged_into IS NULL
  AND (:viewer IS NULL OR m.scope NOT IN ('agent', 'session') OR (m.scope = 'agent' AND m.agent_id IS :viewer))
ORDER BY busy.count DESC, e.id, m.updated_at DESC, m.id LIMIT :limit;

-- name: conflicts
-- Open contradictions between records in force, without what is private to others.
SELECT a.id AS from_id, a.title AS from_title, b.id AS to_id, b.title AS to_title, l.created_at AS since
FROM memory_links AS l JOIN memories AS a ON a.id = l.from_id JOIN memories AS b ON b.id = l.to_id
WHERE l.relation = 'contradicts' AND l.resolved_at IS NULL
  AND a.status IN ('active', 'contradicted') AND b.status IN ('active', 'contradicted')
  AND (:viewer IS NULL OR ((a.scope NOT IN ('agent', 'session') OR (a.scope = 'agent' AND a.agent_id IS :viewer))
    AND (b.scope NOT IN ('agent', 'session') OR (b.scope = 'agent' AND b.agent_id IS :viewer))))
ORDER BY l.created_at, l.id LIMIT :limit;
