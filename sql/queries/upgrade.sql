-- Carrying out a migration of an old store without keeping others from writing for long.

-- name: step
-- One step of a migration; its text takes the place of this.
SELECT 0;

-- name: definition
-- How a table or index was made.
SELECT sql FROM sqlite_schema WHERE name = :name AND type IN ('table', 'index');

-- name: redefine
-- Let a table have other columns than it was made with; only where the list of tables is unlocked.
UPDATE sqlite_schema SET sql = :sql WHERE type = 'table' AND name = :name;

-- name: columns
-- The columns of a table as SQLite reads its definition.
SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(:name) ORDER BY cid;

-- name: events_by_time
-- Make the index of events by time, which is the longest to make, before everything else.
CREATE INDEX IF NOT EXISTS memory_events_at ON memory_events (at);

-- name: draft_index
-- Index the draft of what records mention, so that this grows with it.
CREATE INDEX mentions_entity ON mentions (entity_id);

-- name: draft_inserts
-- Let the draft follow what others write meanwhile, whatever their version.
CREATE TRIGGER mentions_inserted AFTER INSERT ON memory_entities BEGIN
  INSERT OR IGNORE INTO mentions (memory_id, entity_id, name)
  SELECT NEW.memory_id, NEW.entity_id, name FROM entities WHERE id = NEW.entity_id;
END;

-- name: draft_deletes
-- Let the draft lose what others delete meanwhile.
CREATE TRIGGER mentions_deleted AFTER DELETE ON memory_entities BEGIN
  DELETE FROM mentions WHERE memory_id = OLD.memory_id AND entity_id = OLD.entity_id;
END;

-- name: draft_updates
-- Let the draft follow what others change meanwhile.
CREATE TRIGGER mentions_updated AFTER UPDATE ON memory_entities BEGIN
  DELETE FROM mentions WHERE memory_id = OLD.memory_id AND entity_id = OLD.entity_id;
  INSERT OR IGNORE INTO mentions (memory_id, entity_id, name)
  SELECT NEW.memory_id, NEW.entity_id, name FROM entities WHERE id = NEW.entity_id;
END;

-- name: draft_names
-- Let the draft follow entities that get another name meanwhile.
CREATE TRIGGER mentions_renamed AFTER UPDATE OF name ON entities BEGIN
  UPDATE OR IGNORE mentions SET name = NEW.name WHERE entity_id = NEW.id;
END;

-- name: end_of_piece
-- The last of the next mentions to be copied.
SELECT memory_id, entity_id FROM (
  SELECT memory_id, entity_id FROM memory_entities
  WHERE (memory_id, entity_id) > (:memory_id, :entity_id)
  ORDER BY memory_id, entity_id LIMIT :many
) ORDER BY memory_id DESC, entity_id DESC LIMIT 1;

-- name: copy_piece
-- Copy mentions into the draft, each with the name of its entity.
INSERT OR IGNORE INTO mentions (memory_id, entity_id, name)
SELECT m.memory_id, m.entity_id, e.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id
WHERE (m.memory_id, m.entity_id) > (:memory_id, :entity_id)
  AND (m.memory_id, m.entity_id) <= (:last_memory_id, :last_entity_id);

-- name: drop_draft_names
-- Let entities change their names alone again.
DROP TRIGGER mentions_renamed;

-- name: rename_draft_index
-- Give the index that grew with the draft the name under which it is known.
UPDATE sqlite_schema SET name = 'memory_entities_entity', sql = :sql
WHERE type = 'index' AND name = 'mentions_entity';

-- name: drop_draft_index
-- Drop the index that grew with the draft, where no name can be changed.
DROP INDEX mentions_entity;

-- name: position
-- How far the draft came: two ids.
SELECT value FROM meta WHERE key = 'upgrade_position';

-- name: note_position
-- Note how far the draft came.
INSERT INTO meta (key, value) VALUES ('upgrade_position', :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: drop_position
-- Forget how far the draft came.
DELETE FROM meta WHERE key = 'upgrade_position';
