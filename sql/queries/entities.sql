-- name: insert
-- Add an entity; one of that kind and name is left as it is.
INSERT INTO entities (id, kind, name, created_at) VALUES (:id, :kind, :name, :created_at) ON CONFLICT DO NOTHING;

-- name: find
-- An entity by kind and name (case does not count).
SELECT * FROM entities WHERE kind = :kind AND name = :name COLLATE NOCASE ORDER BY id LIMIT 1;

-- name: by_alias
-- Entities known by an alias.
SELECT e.* FROM entity_aliases AS a JOIN entities AS e ON e.id = a.entity_id WHERE a.alias = :alias ORDER BY e.id;

-- name: add_alias
-- Let an entity be known by another name.
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at) VALUES (:alias, :entity_id, :source_ref, :created_at)
ON CONFLICT DO NOTHING;

-- name: attach
-- Note that a record speaks of an entity.
INSERT INTO memory_entities (memory_id, entity_id, name) VALUES (:memory_id, :entity_id, :name) ON CONFLICT DO NOTHING;

-- name: of_memories
-- The entities of the records in a JSON array of ids.
SELECT DISTINCT m.memory_id, e.id, e.kind, e.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id
WHERE m.memory_id IN (SELECT value FROM json_each(:ids)) ORDER BY m.memory_id, e.kind, e.name;

-- name: everything
-- All entities.
SELECT * FROM entities ORDER BY id;

-- name: all_aliases
-- All aliases of entities.
SELECT * FROM entity_aliases ORDER BY alias, entity_id;

-- name: mentions
-- The records that speak of one entity, and by which name.
SELECT memory_id, name FROM memory_entities WHERE entity_id = :entity_id ORDER BY memory_id, name;

-- name: detach
-- Let a record not speak of an entity by that name any more.
DELETE FROM memory_entities WHERE memory_id = :memory_id AND entity_id = :entity_id AND name = :name;
