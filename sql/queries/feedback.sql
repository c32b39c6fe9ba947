-- name: insert
-- Store somebody's vote on a record.
INSERT INTO outcomes (id, memory_id, retrieval_id, verdict, reason, actor, created_at)
VALUES (:id, :memory_id, :retrieval_id, :verdict, :reason, :actor, :created_at);

-- name: update
-- Replace an earlier vote of somebody.
UPDATE outcomes SET retrieval_id = :retrieval_id, verdict = :verdict, reason = :reason, created_at = :created_at WHERE id = :id;

-- name: of_actor
-- The votes of one actor on one record, oldest first, each with the session of the retrieval that
-- it was about.
SELECT o.*, r.session_id FROM outcomes AS o LEFT JOIN retrieval_logs AS r ON r.id = o.retrieval_id
WHERE o.memory_id = :memory_id AND o.actor = :actor ORDER BY o.created_at, o.id;

-- name: of_memory
-- The votes on one record, newest first.
SELECT * FROM outcomes WHERE memory_id = :memory_id ORDER BY created_at DESC, id DESC;

-- name: count
-- Count the votes on a record again.
UPDATE memories SET
  good = (SELECT count(*) FROM outcomes WHERE memory_id = :memory_id AND verdict = 'good'),
  bad = (SELECT count(*) FROM outcomes WHERE memory_id = :memory_id AND verdict = 'bad')
WHERE id = :memory_id;

-- name: miscounted
-- Records whose counts of votes are not those of the votes.
SELECT id FROM memories AS m
WHERE m.good <> (SELECT count(*) FROM outcomes AS o WHERE o.memory_id = m.id AND o.verdict = 'good')
  OR m.bad <> (SELECT count(*) FROM outcomes AS o WHERE o.memory_id = m.id AND o.verdict = 'bad')
ORDER BY id LIMIT 20;
