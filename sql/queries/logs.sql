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
-- The newest contexts that a session was given, and its compactions, with what each was asked for;
-- of its newest retrievals those that told something, or before which it was told nothing.
SELECT id, command, returned, duration_ms, at,
  CASE WHEN json_valid(filters) THEN
    json_extract(filters, '$.level', '$.session_start', '$.prompt_only', '$.run.texts', '$.run.withdrawn')
  ELSE 'null' END AS asked
FROM (
  SELECT id, command, returned, duration_ms, at, filters FROM retrieval_logs
  WHERE session_id = :session_id ORDER BY at DESC LIMIT :limit
) AS newest
WHERE command = 'compaction'
  OR (command = 'context' AND (returned <> '[]' OR instr(filters, '"session_start":true') > 0 OR instr(filters, '"withdrawn":[') > 0));

-- name: given_while
-- What was served to the sessions in a JSON array, or to one actor between two times.
SELECT returned FROM retrieval_logs WHERE session_id IN (SELECT value FROM json_each(:sessions))
UNION ALL
SELECT returned FROM retrieval_logs WHERE at >= :start AND at <= :end AND actor = :actor;

-- name: is_hooked
-- Whether a hook was answered in a session: only hooks say that it starts, or what is typed in it.
SELECT 1 FROM retrieval_logs
WHERE session_id = :session_id AND (instr(filters, '"session_start":true') > 0 OR instr(filters, '"prompt_only":true') > 0) LIMIT 1;

-- name: unused_in_session
-- The living records of a JSON array of ids that a session was not given yet. One that was last
-- used before the session's first retrieval was not; of the others its newest retrievals tell.
SELECT m.id FROM memories AS m
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND +m.status IN ('active', 'contradicted')
  AND (
    m.last_accessed_at IS NULL
    OR m.last_accessed_at < (SELECT coalesce(min(+at), '~') FROM retrieval_logs WHERE session_id = :session_id)
    OR NOT EXISTS (
      SELECT 1 FROM (SELECT returned FROM retrieval_logs WHERE session_id = :session_id ORDER BY at DESC LIMIT :most) AS newest
      WHERE instr(newest.returned, m.id) > 0
    )
  );

-- name: unused_in_day
-- The living records of a JSON array of ids that somebody was not given between two times. One that
-- was last used before them was not; of the others the newest retrievals tell.
SELECT m.id FROM memories AS m
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND +m.status IN ('active', 'contradicted')
  AND (
    m.last_accessed_at IS NULL OR m.last_accessed_at < :start
    OR NOT EXISTS (
      SELECT 1 FROM (
        SELECT returned, actor FROM retrieval_logs WHERE at >= :start AND at < :end ORDER BY at DESC LIMIT :most
      ) AS newest
      WHERE newest.actor = :actor AND instr(newest.returned, m.id) > 0
    )
  );

-- name: prune
-- Drop retrievals from before a time.
DELETE FROM retrieval_logs WHERE at < :before;
