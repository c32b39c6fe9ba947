-- name: by_subject
-- The newest living records about one subject in one scope.
SELECT * FROM memories
WHERE subject = :subject AND status IN ('active', 'inbox', 'contradicted') AND type <> 'episode'
  AND scope = :scope AND project_id IS :project_id AND agent_id IS :agent_id
ORDER BY n DESC LIMIT :limit;

-- name: entities
-- The entities that one record mentions.
SELECT DISTINCT entity_id FROM memory_entities WHERE memory_id = :memory_id ORDER BY entity_id LIMIT :limit;

-- name: by_entity
-- Of the newest records that mention one entity, those of one scope.
SELECT m.* FROM (
  SELECT DISTINCT memory_id FROM memory_entities WHERE entity_id = :entity_id ORDER BY memory_id DESC LIMIT :limit
) AS newest CROSS JOIN memories AS m ON m.id = newest.memory_id
WHERE m.status IN ('active', 'inbox', 'contradicted') AND m.type <> 'episode'
  AND m.scope = :scope AND m.project_id IS :project_id AND m.agent_id IS :agent_id;

-- name: elsewhere
-- Records in force that share words with a text, in other projects.
SELECT m.* FROM memories_fts JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match AND m.scope IN ('project', 'repo') AND m.project_id <> :project_id
  AND m.status IN ('active', 'contradicted') AND m.type <> 'episode'
ORDER BY bm25(memories_fts, 2.0, 1.0, 1.0, 0.5, 0.0) LIMIT :limit;

-- name: sessions
-- The agents of the sources in a JSON array of ids, and what each was forked from.
SELECT id, agent, session_id, parent_session_id FROM sources WHERE id IN (SELECT value FROM json_each(:ids));

-- name: above
-- Every record that supersedes one, directly or through others.
WITH RECURSIVE above (id) AS (
  SELECT :id
  UNION
  SELECT l.from_id FROM above JOIN memory_links AS l ON l.to_id = above.id AND l.relation = 'supersedes'
)
SELECT id FROM above WHERE id <> :id;

-- name: chain
-- What supersedes a record, what supersedes that, and so on, nearest first; of several, the newest.
-- What came after a time is left out.
WITH RECURSIVE chain (id, step) AS (
  SELECT :id, 0
  UNION ALL
  SELECT (
    SELECT max(l.from_id) FROM memory_links AS l
    WHERE l.to_id = chain.id AND l.relation = 'supersedes' AND (:at IS NULL OR l.created_at <= :at)
  ), step + 1 FROM chain WHERE id IS NOT NULL AND step < 1000
)
SELECT id FROM chain WHERE id IS NOT NULL AND step > 0 ORDER BY step;

-- name: circling
-- The records that supersede themselves through others, which is an error.
WITH RECURSIVE reach (start, at) AS (
  SELECT to_id, from_id FROM memory_links WHERE relation = 'supersedes'
  UNION
  SELECT reach.start, l.from_id FROM reach JOIN memory_links AS l ON l.to_id = reach.at AND l.relation = 'supersedes'
)
SELECT DISTINCT start AS id FROM reach WHERE start = at ORDER BY start;

-- name: count_on
-- Add the counters of an absorbed record to the record that absorbed it.
UPDATE memories SET
  access_count = access_count + :access_count, good = good + :good, bad = bad + :bad,
  last_accessed_at = nullif(max(coalesce(last_accessed_at, ''), coalesce(:last_accessed_at, '')), '')
WHERE id = :id;

-- name: open_contradictions
-- Contradictions that involve a project (null: any), newest first: the open ones, or with `settled`
-- all of them.
SELECT l.* FROM memory_links AS l
JOIN memories AS a ON a.id = l.from_id
JOIN memories AS b ON b.id = l.to_id
WHERE l.relation = 'contradicts'
  AND (:settled OR (l.resolved_at IS NULL
    AND a.status IN ('active', 'contradicted', 'inbox') AND b.status IN ('active', 'contradicted', 'inbox')))
  AND (:project_id IS NULL OR a.project_id = :project_id OR b.project_id = :project_id)
ORDER BY l.created_at DESC, l.id DESC;

-- name: link
-- Contradictions whose id begins with a prefix.
SELECT id FROM memory_links WHERE id >= :prefix AND id < :upper AND relation = 'contradicts' ORDER BY id LIMIT 9;

-- name: get_link
-- One link by its id.
SELECT * FROM memory_links WHERE id = :id;
