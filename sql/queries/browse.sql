-- Records, conversations and entities as entries of a tree of folders.

-- name: records
-- What says where each record lies, newest first; nothing that is private to others than a viewer.
SELECT id, type, kind, scope, status, project_id, agent_id, session_id, title FROM memories
WHERE (:viewer IS NULL OR scope NOT IN ('agent', 'session') OR (scope = 'agent' AND agent_id IS :viewer)
  OR (scope = 'session' AND session_id IS :session))
ORDER BY id DESC;

-- name: entities
-- Every entity that was not merged into another one.
SELECT id, kind, name FROM entities WHERE merged_into IS NULL AND substr(name, 1, 1) <> '#' ORDER BY kind, name;
