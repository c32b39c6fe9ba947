-- name: append
-- Add one change to the stream.
INSERT INTO memory_events (memory_id, verb, before, after, actor, cause, at, topic, item, operation, chain)
VALUES (:memory_id, :verb, :before, :after, :actor, :cause, :at, :topic, :item, :operation, :chain);

-- name: head
-- The chain value of the newest change.
SELECT chain FROM memory_events ORDER BY seq DESC LIMIT 1;

-- name: of_memory
-- The history of one record, oldest first: of the record itself, or of all that hangs on it.
SELECT * FROM memory_events WHERE memory_id = :memory_id AND (:whole OR topic = 'record') ORDER BY seq;

-- name: everything
-- The whole stream, oldest first.
SELECT * FROM memory_events ORDER BY seq;

-- name: recent
-- The newest changes to records, newest first.
SELECT * FROM memory_events WHERE (:since IS NULL OR at >= :since) AND topic = 'record' ORDER BY seq DESC LIMIT :limit;

-- name: status_at
-- What the stream says a record was at a time: the changes up to then, oldest first.
SELECT * FROM memory_events WHERE memory_id = :memory_id AND at <= :at AND topic = 'record' ORDER BY seq;

-- name: by_seq
-- One change by its number.
SELECT * FROM memory_events WHERE seq = :seq;

-- name: of_records
-- What the stream tells of the records themselves, oldest first.
SELECT * FROM memory_events WHERE topic = 'record' ORDER BY seq;

-- name: of_operation
-- The changes that were made as one, oldest first.
SELECT * FROM memory_events WHERE operation = :operation ORDER BY seq;
