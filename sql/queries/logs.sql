-- name: insert
-- Note one retrieval.
INSERT INTO retrieval_logs (id, command, query, filters, candidates, returned, actor, session_id, flags, duration_ms, at)
VALUES (:id, :command, :query, :filters, :candidates, :returned, :actor, :session_id, :flags, :duration_ms, :at)
ON CONFLICT (id) DO NOTHING;

-- name: by_prefix
-- Up to nine retrieval ids that begin with a prefix.
SELECT id FROM retrieval_logs WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: get
-- One retrieval.
SELECT * FROM retrieval_logs WHERE id = :id;

-- name: recent
-- The newest retrievals first.
SELECT * FROM retrieval_logs WHERE (:since IS NULL OR at >= :since) ORDER BY id DESC LIMIT :limit;

-- name: given_to
-- The newest contexts that a session was given, and its compactions, with what each was asked for.
SELECT id, command, returned, duration_ms, at,
  CASE WHEN json_valid(filters) THEN
    json_extract(filters, '$.level', '$.session_start', '$.prompt_only', '$.run.texts', '$.run.withdrawn')
  ELSE 'null' END AS asked
FROM retrieval_logs
WHERE session_id = :session_id AND command IN ('context', 'compaction') ORDER BY at DESC LIMIT :limit;

-- name: given_while
-- What was served to the sessions in a JSON array, or to one actor between two times.
SELECT returned FROM retrieval_logs WHERE session_id IN (SELECT value FROM json_each(:sessions))
UNION ALL
SELECT returned FROM retrieval_logs WHERE at >= :start AND at <= :end AND actor = :actor;

-- name: prune
-- Drop retrievals from before a time.
DELETE FROM retrieval_logs WHERE at < :before;
