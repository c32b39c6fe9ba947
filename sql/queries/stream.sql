-- name: append
-- Add one change to the stream.
INSERT INTO memory_events (memory_id, verb, before, after, actor, cause, at, chain)
VALUES (:memory_id, :verb, :before, :after, :actor, :cause, :at, :chain);

-- name: head
-- The chain value of the newest change.
SELECT chain FROM memory_events ORDER BY seq DESC LIMIT 1;

-- name: of_memory
-- The history of one record, oldest first.
SELECT * FROM memory_events WHERE memory_id = :memory_id ORDER BY seq;

-- name: everything
-- The whole stream, oldest first.
SELECT * FROM memory_events ORDER BY seq;

-- name: recent
-- The newest changes, newest first.
SELECT * FROM memory_events WHERE (:since IS NULL OR at >= :since) ORDER BY seq DESC LIMIT :limit;

-- name: status_at
-- What the stream says a record was at a time: the changes up to then, oldest first.
SELECT * FROM memory_events WHERE memory_id = :memory_id AND at <= :at ORDER BY seq;

-- name: by_seq
-- One change by its number.
SELECT * FROM memory_events WHERE seq = :seq;
