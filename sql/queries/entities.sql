-- name: insert
-- Add an entity; an existing one of that kind and name stays as it is.
INSERT INTO entities (id, kind, name, created_at) VALUES (:id, :kind, :name, :created_at) ON CONFLICT DO NOTHING;

-- name: find
-- An entity by kind and name, case ignored; an unmerged one comes before a merged one.
SELECT * FROM entities WHERE kind = :kind AND name = :name COLLATE NOCASE ORDER BY merged_into IS NOT NULL, id LIMIT 1;

-- name: exactly
-- The entity of exactly that kind and name.
SELECT * FROM entities WHERE kind = :kind AND name = :name;

-- name: get
-- One entity by its id.
SELECT * FROM entities WHERE id = :id;

-- name: by_alias
-- Unmerged entities known by an alias, and since when.
SELECT e.*, a.created_at AS since FROM entity_aliases AS a JOIN entities AS e ON e.id = a.entity_id
WHERE a.alias = :alias AND e.merged_into IS NULL ORDER BY a.created_at, e.id;

-- name: add_alias
-- Add an alias of an entity.
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at) VALUES (:alias, :entity_id, :source_ref, :created_at)
ON CONFLICT DO NOTHING;

-- name: attach
-- Note that a record mentions an entity.
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
-- The records that mention one entity, and by which name.
SELECT memory_id, name FROM memory_entities WHERE entity_id = :entity_id ORDER BY memory_id, name;

-- name: names_in_record
-- By which names one record mentions one entity.
SELECT name FROM memory_entities WHERE memory_id = :memory_id AND entity_id = :entity_id ORDER BY name;

-- name: detach
-- Remove the mention of an entity by that name from a record.
DELETE FROM memory_entities WHERE memory_id = :memory_id AND entity_id = :entity_id AND name = :name;

-- name: names_of_memories
-- Every name of the entities of the records in a JSON array of ids. A record is found by any of
-- them. A role belongs to its last holder.
SELECT m.memory_id, e.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id
WHERE m.memory_id IN (SELECT value FROM json_each(:ids))
UNION
SELECT m.memory_id, a.alias FROM memory_entities AS m
JOIN entities AS e ON e.id = m.entity_id JOIN entity_aliases AS a ON a.entity_id = m.entity_id
WHERE m.memory_id IN (SELECT value FROM json_each(:ids)) AND a.alias <> lower(e.name)
  AND ((a.alias NOT LIKE 'my %' AND a.alias NOT LIKE 'our %')
    OR NOT EXISTS (SELECT 1 FROM entity_aliases AS b WHERE b.alias = a.alias AND b.created_at > a.created_at))
ORDER BY 1, 2;

-- name: observed
-- When the content of a record was said.
SELECT observed_at FROM memories WHERE id = :id;

-- name: numbered
-- The index numbers of the records in a JSON array of ids.
SELECT n, id FROM memories WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: by_prefix
-- Up to nine ids that begin with a prefix (`upper` is the prefix followed by the highest
-- character).
SELECT id FROM entities WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: called
-- Entities of that name, case ignored, merged ones too.
SELECT * FROM entities WHERE name = :name COLLATE NOCASE ORDER BY merged_into IS NOT NULL, id;

-- name: by_ids
-- The entities in a JSON array of ids.
SELECT * FROM entities WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: aliases_of
-- The other names of the entities in a JSON array of ids.
SELECT * FROM entity_aliases WHERE entity_id IN (SELECT value FROM json_each(:ids)) ORDER BY entity_id, created_at, alias;

-- name: holders
-- Every entity that is known to hold a role, and since when.
SELECT entity_id, created_at FROM entity_aliases WHERE alias = :alias ORDER BY created_at, entity_id;

-- name: drop_alias
-- Remove an alias of an entity.
DELETE FROM entity_aliases WHERE alias = :alias AND entity_id = :entity_id;

-- name: set_merged
-- Set which entity one was merged into, or NULL.
UPDATE entities SET merged_into = :merged_into WHERE id = :id;

-- name: merged_of
-- The entities that were merged into one, newest first.
SELECT * FROM entities WHERE merged_into = :id ORDER BY id DESC;

-- name: mentions_by_name
-- The records that mention one of the entities in a JSON array by a name, with their time.
SELECT a.memory_id, a.entity_id, a.name, m.observed_at FROM memory_entities AS a JOIN memories AS m ON m.id = a.memory_id
WHERE a.entity_id IN (SELECT value FROM json_each(:ids)) AND a.name = :name COLLATE NOCASE ORDER BY a.memory_id;

-- name: records
-- The records that mention one entity, newest first.
SELECT DISTINCT m.* FROM memory_entities AS a JOIN memories AS m ON m.id = a.memory_id
WHERE a.entity_id = :entity_id ORDER BY m.observed_at DESC, m.id DESC;

-- name: beside
-- Which other entities the records in a JSON array mention, most often first.
SELECT e.id, e.kind, e.name, count(DISTINCT a.memory_id) AS records FROM memory_entities AS a JOIN entities AS e ON e.id = a.entity_id
WHERE a.memory_id IN (SELECT value FROM json_each(:ids)) AND a.entity_id <> :entity_id AND NOT (e.kind = 'concept' AND substr(e.name, 1, 1) = '#')
GROUP BY e.id ORDER BY records DESC, e.kind, e.name LIMIT :limit;

-- name: names_used
-- By which names the records in a JSON array mention one entity, and how many of them.
SELECT name, count(*) AS records FROM memory_entities
WHERE entity_id = :entity_id AND memory_id IN (SELECT value FROM json_each(:ids)) GROUP BY name ORDER BY records DESC, name;

-- name: listed
-- Unmerged entities that are mentioned, most often first, by kind and project.
SELECT e.id, e.kind, e.name, count(DISTINCT m.id) AS records, min(m.observed_at) AS first_seen, max(m.observed_at) AS last_seen
FROM entities AS e JOIN memory_entities AS a ON a.entity_id = e.id JOIN memories AS m ON m.id = a.memory_id
WHERE e.merged_into IS NULL AND NOT (e.kind = 'concept' AND substr(e.name, 1, 1) = '#') AND m.status <> 'archived' AND (m.scope NOT IN ('agent', 'session') OR :agent IS NULL OR m.agent_id = :agent)
  AND (:kind IS NULL OR e.kind = :kind) AND (:project_id IS NULL OR m.project_id = :project_id)
GROUP BY e.id ORDER BY records DESC, last_seen DESC, e.id;

-- name: known_names
-- Which of a JSON array of casefolded names people, projects and organisations are known by.
SELECT a.alias AS name, e.kind, e.id FROM entity_aliases AS a JOIN entities AS e ON e.id = a.entity_id
WHERE a.alias IN (SELECT value FROM json_each(:names)) AND e.merged_into IS NULL AND e.kind IN ('person', 'project', 'org')
UNION
SELECT lower(e.name), e.kind, e.id FROM entities AS e
WHERE e.merged_into IS NULL AND e.kind IN ('person', 'project', 'org') AND e.name IN (SELECT value FROM json_each(:spelled))
ORDER BY 1, 3;

-- name: of_kind
-- Unmerged entities of one kind, by name.
SELECT * FROM entities WHERE kind = :kind AND merged_into IS NULL ORDER BY name, id;

-- name: spoken_of
-- Unmerged entities of one kind that some record mentions, oldest first.
SELECT * FROM entities AS e WHERE e.kind = :kind AND e.merged_into IS NULL
  AND EXISTS (SELECT 1 FROM memory_entities AS a WHERE a.entity_id = e.id) ORDER BY e.id;

-- name: holding
-- Records that an FTS5 expression finds, up to a limit.
SELECT m.id, m.title, m.content, m.rationale FROM memories_fts JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match AND m.status <> 'archived' ORDER BY m.id DESC LIMIT :limit;

-- name: to_read
-- Records after an index number, oldest first, whose text may name somebody.
SELECT n, id, title, content, rationale FROM memories WHERE n > :n AND status <> 'archived' ORDER BY n LIMIT :limit;

-- name: newly_named
-- Entities and aliases created after an event, oldest first.
SELECT seq, topic, memory_id, after FROM memory_events
WHERE seq > :seq AND topic IN ('entity', 'alias') AND before IS NULL AND after IS NOT NULL ORDER BY seq LIMIT :limit;

-- name: mentions_of
-- Which entities one record mentions, and by which names.
SELECT entity_id, name FROM memory_entities WHERE memory_id = :memory_id ORDER BY entity_id, name;

-- name: newest_change
-- The number of the newest change.
SELECT coalesce(max(seq), 0) FROM memory_events;

-- name: unread
-- How many records came after an index number.
SELECT count(*) FROM memories WHERE n > :n;

-- name: unnamed
-- How many entities and aliases were created after an event.
SELECT count(*) FROM memory_events WHERE seq > :seq AND topic IN ('entity', 'alias') AND before IS NULL AND after IS NOT NULL;
