-- name: begin
-- Note that an operation of several transactions begins.
INSERT INTO unfinished_operations (id, kind, data, actor, started_at, touched_at, worker)
VALUES (:id, :kind, :data, :actor, :at, :at, :worker);

-- name: note
-- Note how far an operation came; this also shows that it is still being worked on.
UPDATE unfinished_operations SET data = :data, touched_at = :at, worker = :worker WHERE id = :id;

-- name: end
-- Note that an operation is done.
DELETE FROM unfinished_operations WHERE id = :id;

-- name: list
-- The operations that were begun and not ended, oldest first; only one kind if it is named.
SELECT * FROM unfinished_operations WHERE (:kind IS NULL OR kind = :kind) ORDER BY started_at, id;

-- name: claim
-- Take over an operation that was not touched or taken over since it was read.
UPDATE unfinished_operations SET touched_at = :at, worker = :worker, claims = claims + 1 WHERE id = :id AND touched_at = :touched_at AND claims = :claims;

-- name: is_purge_begun
-- Whether an erasure was begun and not ended.
SELECT EXISTS (SELECT 1 FROM unfinished_operations WHERE kind = 'purge');
