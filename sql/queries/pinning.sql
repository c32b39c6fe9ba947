-- name: pinned
-- Pinned records, by project.
SELECT m.*, p.name AS project_name FROM memories AS m LEFT JOIN projects AS p ON p.id = m.project_id
WHERE m.always_load = 1 AND m.status IN ('active', 'contradicted') ORDER BY m.project_id, m.id;

-- name: candidates
-- What contexts of one project (or, with no project, of all) may begin with: pinned records, what
-- the operator stated, and what is used.
SELECT * FROM memories
WHERE project_id IS :project_id AND status = 'active' AND scope IN ('global', 'project', 'repo')
  AND (always_load = 1 OR (trust >= :implied AND (access_count > 0 OR kind IN ('constraint', 'correction', 'convention', 'preference'))))
ORDER BY id;

-- name: projects
-- The projects that have records in force.
SELECT DISTINCT project_id FROM memories WHERE project_id IS NOT NULL AND status = 'active' ORDER BY project_id;
