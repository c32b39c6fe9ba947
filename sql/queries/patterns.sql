-- name: projects
-- The projects with a session that was captured, grew or lost its project since a time; without a
-- time, all of them.
SELECT DISTINCT project_id FROM sources
WHERE project_id IS NOT NULL AND is_chat = 0 AND (:since IS NULL OR updated_at >= :since) ORDER BY project_id;

-- name: sessions
-- The newest sessions of a project that have an episode which nobody rejected or forgot, with that
-- episode.
SELECT s.id AS source, s.agent, s.session_id, s.parent_session_id, s.cwd, coalesce(s.started_at, m.observed_at) AS at,
  m.id AS episode, m.trust, m.evidence_ref
FROM sources AS s JOIN memories AS m ON m.source_ref = s.id AND m.type = 'episode'
WHERE s.project_id = :project_id AND s.is_chat = 0
  AND m.status IN ('active', 'inbox', 'contradicted', 'archived')
  AND NOT EXISTS (SELECT 1 FROM tombstones AS t WHERE t.memory_id = m.id)
ORDER BY at DESC, s.id LIMIT :limit;

-- name: derived
-- Everything ever derived in a project by one of the rules in a JSON array, oldest first.
SELECT * FROM memories WHERE rule IN (SELECT value FROM json_each(:rules)) AND project_id = :project_id ORDER BY id;

-- name: told
-- The records of a project except its episodes: waiting, in force or archived.
SELECT content FROM memories
WHERE status IN ('active', 'contradicted', 'inbox', 'superseded', 'archived') AND project_id = :project_id AND type <> 'episode';

-- name: weeks
-- Project and time of every episode of a session that changed since a time; without a time, of
-- every session.
SELECT project_id, observed_at FROM memories
WHERE type = 'episode' AND project_id IS NOT NULL AND rule IS NOT :digest AND (:since IS NULL OR updated_at >= :since);

-- name: episodes
-- The episodes of a project's sessions between two times which nobody rejected or forgot, in order,
-- with the agent of each.
SELECT m.*, s.agent AS agent FROM memories AS m LEFT JOIN sources AS s ON s.id = m.source_ref
WHERE m.type = 'episode' AND m.project_id = :project_id AND m.rule IS NOT :digest AND m.observed_at >= :first AND m.observed_at < :last
  AND m.status IN ('active', 'inbox', 'contradicted', 'archived')
  AND NOT EXISTS (SELECT 1 FROM tombstones AS t WHERE t.memory_id = m.id)
ORDER BY m.observed_at, m.id;
