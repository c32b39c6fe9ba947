-- name: insert
-- Record one captured original.
INSERT INTO sources (
  id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat,
  size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at
) VALUES (
  :id, :kind, :format, :agent, :session_id, :parent_session_id, :previous_id, :path, :title, :cwd, :git_branch, :project_id, :repo_id,
  :is_chat, :size_bytes, :content_hash, :turn_count, :turns_hash, :unknown, :raw, :trust, :started_at, :ended_at, :observed_at, :updated_at
);

-- name: grow
-- Update a source from a longer capture of the same session.
UPDATE sources SET
  size_bytes = :size_bytes, content_hash = :content_hash, turn_count = :turn_count, turns_hash = :turns_hash, unknown = :unknown,
  title = coalesce(:title, title), cwd = coalesce(:cwd, cwd), git_branch = coalesce(:git_branch, git_branch),
  project_id = coalesce(:project_id, project_id), repo_id = coalesce(:repo_id, repo_id), path = coalesce(:path, path),
  raw = coalesce(:raw, raw), ended_at = coalesce(:ended_at, ended_at), updated_at = :updated_at
WHERE id = :id;

-- name: place
-- Say which project a source without one belongs to.
UPDATE sources SET project_id = :project_id, repo_id = :repo_id, updated_at = :now WHERE id = :id AND project_id IS NULL;

-- name: get
-- One source without its raw text.
SELECT * FROM sources WHERE id = :id;

-- name: by_prefix
-- Up to nine ids that begin with a prefix.
SELECT id FROM sources WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: by_session
-- The captures of one session, newest first.
SELECT * FROM sources WHERE agent = :agent AND session_id = :session_id ORDER BY id DESC;

-- name: of_size
-- Whether a session whose id lies in a range was captured at this size.
SELECT 1 FROM sources WHERE agent = :agent AND session_id >= :low AND session_id < :high AND size_bytes = :size LIMIT 1;

-- name: by_hash
-- Sources made from exactly this original.
SELECT * FROM sources WHERE content_hash = :content_hash ORDER BY id;

-- name: raw
-- The kept original of a source, compressed.
SELECT raw FROM sources WHERE id = :id;

-- name: add_part
-- Append turns to a source.
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at)
VALUES (:source_id, (SELECT count(*) FROM source_parts WHERE source_id = :source_id), :first_turn, :turn_count, :turns, :created_at);

-- name: parts
-- The turns of a source, in order.
SELECT * FROM source_parts WHERE source_id = :source_id ORDER BY part;

-- name: everything
-- All sources in the order of their ids.
SELECT * FROM sources ORDER BY id;

-- name: sizes
-- The size of the captured originals, and of what is kept of them.
SELECT count(*) AS sources, coalesce(sum(size_bytes), 0) AS original_bytes,
  (SELECT coalesce(sum(length(turns)), 0) FROM source_parts) AS stored_bytes
FROM sources;

-- name: set_seen
-- Note that a file was seen as it was stored: its size, its hash and the time.
UPDATE sources SET size_bytes = :size_bytes, content_hash = :content_hash, updated_at = :at WHERE id = :id;

-- name: newest_of_agents
-- The newest source of each session of the agents in a JSON array that was read from a file.
SELECT * FROM sources AS one WHERE agent IN (SELECT value FROM json_each(:agents)) AND kind = 'document' AND path IS NOT NULL
  AND id = (SELECT max(id) FROM sources AS same WHERE same.agent = one.agent AND same.session_id = one.session_id) ORDER BY id;

-- name: captured_between
-- How many sessions of each agent were captured from one moment until before another, by project,
-- and how many turns they have now.
SELECT project_id, agent, count(DISTINCT session_id) AS sessions, sum(turn_count) AS turns FROM sources
WHERE observed_at >= :start AND observed_at < :until GROUP BY project_id, agent ORDER BY project_id, agent;
