-- name: of_memory
-- What one record cites, and whether it was there when last looked for.
SELECT * FROM citations WHERE memory_id = :memory_id ORDER BY kind, value;

-- name: put
-- Note whether something that a record cites is there.
INSERT INTO citations (memory_id, kind, value, state, checked_at) VALUES (:memory_id, :kind, :value, :state, :checked_at)
ON CONFLICT (memory_id, kind, value) DO UPDATE SET state = excluded.state, checked_at = excluded.checked_at;

-- name: drop
-- Forget something that a record does not cite any more.
DELETE FROM citations WHERE memory_id = :memory_id AND kind = :kind AND value = :value;

-- name: with_missing
-- The living records that cite what is missing.
SELECT DISTINCT c.memory_id FROM citations AS c JOIN memories AS m ON m.id = c.memory_id
WHERE c.state = 'missing' AND m.status IN ('active', 'contradicted') ORDER BY c.memory_id;

-- name: due
-- The next records in force whose project has a known folder, by id after a given id, each with
-- that folder.
SELECT m.*, coalesce(r.root_path, p.root_path) AS root FROM memories AS m
JOIN projects AS p ON p.id = m.project_id LEFT JOIN repos AS r ON r.id = m.repo_id
WHERE m.id > :after AND m.status IN ('active', 'contradicted') AND coalesce(r.root_path, p.root_path) IS NOT NULL
ORDER BY m.id LIMIT :limit;
