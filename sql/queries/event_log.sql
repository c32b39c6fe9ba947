-- name: append
-- Append one change.
INSERT INTO memory_events (memory_id, verb, before, after, actor, cause, at, topic, item, operation, chain)
VALUES (:memory_id, :verb, :before, :after, :actor, :cause, :at, :topic, :item, :operation, :chain);

-- name: head
-- The chain value of the newest change.
SELECT chain FROM memory_events ORDER BY seq DESC LIMIT 1;

-- name: of_memory
-- The history of one record, oldest first: of the record itself, or also of what belongs to it.
SELECT * FROM memory_events WHERE memory_id = :memory_id AND (:whole OR topic = 'record') ORDER BY seq;

-- name: everything
-- The whole event log, oldest first.
SELECT * FROM memory_events ORDER BY seq;

-- name: recent
-- The newest changes to records, newest first.
SELECT * FROM memory_events WHERE (:since IS NULL OR at >= :since) AND topic = 'record' ORDER BY seq DESC LIMIT :limit;

-- name: status_at
-- What a record was at a time: the changes up to then, oldest first.
SELECT * FROM memory_events WHERE memory_id = :memory_id AND at <= :at AND topic = 'record' ORDER BY seq;

-- name: by_seq
-- One change by its number.
SELECT * FROM memory_events WHERE seq = :seq;

-- name: of_operation
-- The changes that were made together, oldest first.
SELECT * FROM memory_events INDEXED BY memory_events_operation WHERE operation = :operation ORDER BY seq;

-- name: about
-- All changes to a record or entity and to what belongs to it, after a number, oldest first.
SELECT * FROM memory_events INDEXED BY memory_events_memory WHERE memory_id = :memory_id AND seq > :seq ORDER BY seq;

-- name: of_links_to
-- The changes to links that lead to a record, after one change, oldest first.
SELECT e.* FROM memory_links AS l JOIN memory_events AS e ON e.memory_id = l.from_id AND e.item = l.id
WHERE l.to_id = :memory_id AND e.topic = 'link' AND e.seq > :seq ORDER BY e.seq;

-- name: chosen
-- The changes since a time, by an actor, or both, oldest first.
SELECT * FROM memory_events WHERE (:since IS NULL OR at >= :since) AND (:actor IS NULL OR actor = :actor) ORDER BY seq;

-- name: latest_of_actor
-- The changes of one actor before a change, or the last of all, newest first.
SELECT * FROM memory_events WHERE actor = :actor AND (:before IS NULL OR seq < :before) ORDER BY seq DESC LIMIT :limit;

-- name: creation
-- The change that created a record.
SELECT * FROM memory_events INDEXED BY memory_events_memory
WHERE memory_id = :memory_id AND topic = 'record' AND before IS NULL AND verb NOT IN ('purged', 'redacted')
ORDER BY seq LIMIT 1;

-- name: children
-- The records that were derived from a record.
SELECT from_id FROM memory_links WHERE to_id = :memory_id AND relation = 'derived_from' ORDER BY id;

-- name: since
-- The changes after one of them, or since a time, oldest first.
SELECT * FROM memory_events WHERE seq > :seq AND (:at IS NULL OR at >= :at) ORDER BY seq;

-- name: last
-- The number of the newest change.
SELECT max(seq) FROM memory_events;

-- name: told_after
-- How many operations on records, proposals and rules came after a change.
SELECT count(DISTINCT coalesce(operation, seq)) FROM memory_events WHERE seq > :seq AND topic IN ('record', 'proposal', 'mute');

-- name: of_item
-- The changes of one row that belongs to a record or entity, oldest first.
SELECT before, after FROM memory_events WHERE memory_id = :memory_id AND topic = :topic AND coalesce(item, memory_id) = :item ORDER BY seq;

-- name: between
-- The changes from one moment until before another, oldest first.
SELECT * FROM memory_events WHERE at >= :start AND at < :until ORDER BY at, seq;

-- name: first_at
-- When the oldest change was made.
SELECT min(at) FROM memory_events;
