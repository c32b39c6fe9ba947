-- name: insert
-- Add a link; an existing one stays as it is.
INSERT INTO memory_links (id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at)
VALUES (:id, :from_id, :relation, :to_id, :reason, :confidence, :actor, :resolved_at, :created_at)
ON CONFLICT (from_id, relation, to_id) DO NOTHING;

-- name: of_memories
-- Links that touch the records in a JSON array of ids, in either direction.
SELECT * FROM memory_links WHERE from_id IN (SELECT value FROM json_each(:ids))
UNION
SELECT * FROM memory_links WHERE to_id IN (SELECT value FROM json_each(:ids))
ORDER BY id;

-- name: open_contradictions
-- Unsettled contradictions between living records.
SELECT l.* FROM memory_links AS l
JOIN memories AS a ON a.id = l.from_id
JOIN memories AS b ON b.id = l.to_id
WHERE l.relation = 'contradicts' AND l.resolved_at IS NULL
  AND a.status IN ('active', 'contradicted', 'inbox') AND b.status IN ('active', 'contradicted', 'inbox')
ORDER BY l.id;

-- name: delete
-- Remove one link.
DELETE FROM memory_links WHERE from_id = :from_id AND relation = :relation AND to_id = :to_id;

-- name: between
-- The link of one record with another.
SELECT * FROM memory_links WHERE from_id = :from_id AND relation = :relation AND to_id = :to_id;

-- name: set
-- Set the fields of a link that may change.
UPDATE memory_links SET reason = :reason, resolved_at = :resolved_at WHERE id = :id;
