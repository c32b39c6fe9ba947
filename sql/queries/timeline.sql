-- name: events
-- What became of the records of a project, newest first: made, approved, replaced, archived, edited. Episodes and what was never approved are left out.
SELECT e.at, e.verb, e.actor, m.id, m.type, m.title, m.status_reason AS reason
FROM memories AS m JOIN memory_events AS e ON e.memory_id = m.id
WHERE m.project_id = :project_id AND e.topic = 'record' AND m.type <> 'episode' AND m.status <> 'inbox'
  AND (e.verb IN ('promoted', 'superseded', 'archived', 'restored', 'edited', 'confirmed', 'merged')
    OR (e.verb = 'created' AND json_extract(e.after, '$.status') <> 'inbox'))
  AND (:viewer IS NULL OR m.scope NOT IN ('agent', 'session') OR (m.scope = 'agent' AND m.agent_id IS :viewer))
ORDER BY e.seq DESC LIMIT :limit;
