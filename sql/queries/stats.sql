-- name: statuses
-- How many records stand in each status.
SELECT status AS name, count(*) AS count FROM memories GROUP BY status ORDER BY count DESC, name;

-- name: in_force
-- The records in force, counted for each type, kind, scope, trust and project.
SELECT type, kind, scope, trust, project_id, count(*) AS count, sum(access_count = 0) AS unused, sum(good) AS good, sum(bad) AS bad
FROM memories WHERE status IN ('active', 'contradicted') GROUP BY type, kind, scope, trust, project_id;

-- name: evidence
-- How many quotes vouch for records, and how many originals they come from.
SELECT count(*) AS quotes, count(DISTINCT source_id) AS origins FROM evidence WHERE withdrawn_at IS NULL;

-- name: links
-- How many links of each relation there are.
SELECT relation AS name, count(*) AS count FROM memory_links GROUP BY relation ORDER BY count DESC, name;

-- name: entities
-- How many entities of each kind there are.
SELECT kind AS name, count(*) AS count FROM entities WHERE merged_into IS NULL GROUP BY kind ORDER BY count DESC, name;

-- name: sessions
-- How many sessions and conversations of each agent were captured, and their turns.
SELECT agent AS name, count(*) AS count, sum(turn_count) AS turns FROM sources GROUP BY agent ORDER BY count DESC, name;

-- name: recent
-- How many changes, captures and retrievals there were since a time.
SELECT (SELECT count(*) FROM memory_events WHERE at >= :since AND topic = 'record') AS changes,
  (SELECT count(*) FROM ingestion_events WHERE created_at >= :since) AS captures,
  (SELECT count(*) FROM retrieval_logs WHERE at >= :since AND command <> 'compaction') AS retrievals;

-- name: waiting
-- Since when the oldest candidate waits, and how many proposals do.
SELECT (SELECT min(created_at) FROM memories WHERE status = 'inbox') AS oldest,
  (SELECT count(*) FROM proposals WHERE state = 'open') AS proposals;

-- name: waiting_work
-- What waits for the operator and for maintenance: candidates, open contradictions, captures to read.
SELECT
  (SELECT count(*) FROM memories WHERE status = 'inbox') AS candidates,
  (SELECT count(*) FROM memory_links AS l JOIN memories AS a ON a.id = l.from_id JOIN memories AS b ON b.id = l.to_id
   WHERE l.relation = 'contradicts' AND l.resolved_at IS NULL
     AND a.status IN ('active', 'contradicted') AND b.status IN ('active', 'contradicted')) AS conflicts,
  (SELECT count(*) FROM ingestion_events WHERE state IN ('queued', 'failed')) AS sessions;
