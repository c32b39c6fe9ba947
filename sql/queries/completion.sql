-- name: ids
-- The newest ids that begin with a prefix (`upper` is the prefix followed by the highest letter), without what is private to others.
SELECT id FROM memories
WHERE id >= :prefix AND id < :upper
  AND (:viewer IS NULL OR scope NOT IN ('agent', 'session') OR (scope = 'agent' AND agent_id IS :viewer))
ORDER BY id DESC LIMIT :limit;

-- name: projects
-- Names of projects that begin with a prefix, the last used first.
SELECT name AS word FROM projects
WHERE adopted_into IS NULL AND substr(name, 1, length(:prefix)) = :prefix COLLATE NOCASE
ORDER BY updated_at DESC, name LIMIT :limit;

-- name: views
-- Names of saved views that begin with a prefix.
SELECT name AS word FROM saved_views WHERE substr(name, 1, length(:prefix)) = :prefix ORDER BY name LIMIT :limit;
