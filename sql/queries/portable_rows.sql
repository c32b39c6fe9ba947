-- name: evidence
-- One piece of evidence.
SELECT * FROM evidence WHERE id = :id;

-- name: votes
-- The votes on one record.
SELECT * FROM outcomes WHERE memory_id = :memory_id ORDER BY id;

-- name: repo
-- One repository.
SELECT * FROM repos WHERE id = :id;

-- name: history_of_item
-- The changes of one row that belongs to a record or entity, oldest first.
SELECT * FROM memory_events WHERE memory_id = :memory_id AND topic = :topic AND coalesce(item, memory_id) = :item ORDER BY seq;

-- name: next_records
-- The next records by their index number.
SELECT n, id FROM memories WHERE n > :n ORDER BY n LIMIT :limit;

-- name: next_events
-- The next changes after one of them.
SELECT * FROM memory_events WHERE seq > :seq ORDER BY seq LIMIT :limit;

-- name: entity_history
-- The changes of entities and their names, up to one change.
SELECT * FROM memory_events INDEXED BY memory_events_memory WHERE memory_id = :memory_id AND seq <= :until AND topic IN ('entity', 'alias') ORDER BY seq;

-- name: next_entities
-- The next entities by id.
SELECT id, kind, name FROM entities WHERE id > :after ORDER BY id LIMIT :limit;

-- name: sources
-- The captured conversations after one of them, by id.
SELECT id, project_id, turns_hash, updated_at FROM sources WHERE id > :after ORDER BY id;

-- name: parts
-- The turns of a captured conversation, part by part.
SELECT part, first_turn, turn_count, turns, created_at FROM source_parts WHERE source_id = :source_id ORDER BY part;
