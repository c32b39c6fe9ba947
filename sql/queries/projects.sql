-- name: insert
-- Add a project.
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at)
VALUES (:id, :name, :root_path, :adopted_into, :created_at, :updated_at)
ON CONFLICT (id) DO NOTHING;

-- name: get
-- One project.
SELECT * FROM projects WHERE id = :id;

-- name: by_name
-- Projects of that name (case ignored) or whose id begins with it, without those that were adopted
-- into another.
SELECT * FROM projects
WHERE adopted_into IS NULL AND (name = :text COLLATE NOCASE OR id LIKE :prefix)
ORDER BY id;

-- name: everything
-- All projects, by id.
SELECT * FROM projects ORDER BY id;

-- name: rename
-- Give a project another name or folder.
UPDATE projects SET name = :name, root_path = :root_path, updated_at = :now WHERE id = :id;

-- name: adopt
-- Note that one project was adopted into another.
UPDATE projects SET adopted_into = :into, updated_at = :now WHERE id = :id;

-- name: find_alias
-- The project that an alias points at.
SELECT p.* FROM project_aliases AS a JOIN projects AS p ON p.id = a.project_id WHERE a.kind = :kind AND a.value = :value;

-- name: add_alias
-- Let an alias point at a project; an existing alias stays where it is.
INSERT INTO project_aliases (kind, value, project_id, created_at) VALUES (:kind, :value, :project_id, :created_at)
ON CONFLICT (kind, value) DO NOTHING;

-- name: drop_alias
-- Remove an alias.
DELETE FROM project_aliases WHERE kind = :kind AND value = :value AND project_id = :project_id;

-- name: aliases
-- The aliases of one project.
SELECT kind, value, created_at FROM project_aliases WHERE project_id = :project_id ORDER BY kind, value;

-- name: move_aliases
-- Let the aliases of one project point at another.
UPDATE project_aliases SET project_id = :into WHERE project_id = :id;

-- name: move_repos
-- Move the repos of one project to another.
UPDATE repos SET project_id = :into WHERE project_id = :id;

-- name: move_sources
-- Move the sources of one project to another.
UPDATE sources SET project_id = :into WHERE project_id = :id;

-- name: link
-- Let two projects use each other's memories.
INSERT INTO project_links (from_project, to_project, reason, created_at) VALUES (:from_project, :to_project, :reason, :created_at)
ON CONFLICT (from_project, to_project) DO NOTHING;

-- name: unlink
-- Remove the link between two projects.
DELETE FROM project_links WHERE (from_project = :a AND to_project = :b) OR (from_project = :b AND to_project = :a);

-- name: linked
-- The projects linked with one, in either direction.
SELECT to_project AS id FROM project_links WHERE from_project = :id
UNION
SELECT from_project FROM project_links WHERE to_project = :id;

-- name: insert_repo
-- Add a repo.
INSERT INTO repos (id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at)
VALUES (:id, :project_id, :name, :root_path, :git_common_dir, :remote_url, :root_commit, :created_at, :updated_at)
ON CONFLICT DO NOTHING;

-- name: repo_by_dir
-- The repo with that common git folder.
SELECT * FROM repos WHERE git_common_dir = :git_common_dir;

-- name: update_repo
-- Update a repo's first commit and remote.
UPDATE repos SET root_commit = coalesce(:root_commit, root_commit), remote_url = coalesce(:remote_url, remote_url), updated_at = :now
WHERE id = :id;

-- name: unplace_repo
-- Note that another repository is now where this one was.
UPDATE repos SET git_common_dir = NULL WHERE git_common_dir = :git_common_dir;

-- name: all_repos
-- All repositories.
SELECT * FROM repos ORDER BY id;

-- name: repos_of
-- The repos of one project.
SELECT * FROM repos WHERE project_id = :project_id ORDER BY id;

-- name: names
-- The name of every project by id.
SELECT id, name FROM projects;
