-- What an id that a command printed is the id of.

-- name: beginning
-- Up to nine things whose ids begin with a prefix, each with its kind and what it belongs to.
SELECT 'record' AS kind, id, id AS owner FROM memories WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'conversation', id, id FROM sources WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'capture', id, coalesce(source_id, id) FROM ingestion_events WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'retrieval', id, id FROM retrieval_logs WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'entity', id, id FROM entities WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'proposal', id, id FROM proposals WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'project', id, id FROM projects WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'repository', id, project_id FROM repos WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'quote', id, memory_id FROM evidence WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'link', id, from_id FROM memory_links WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'vote', id, memory_id FROM outcomes WHERE id >= :prefix AND id < :upper
UNION ALL SELECT 'run', run_id, run_id FROM (SELECT DISTINCT run_id FROM maintenance_steps WHERE run_id >= :prefix AND run_id < :upper)
LIMIT 9;

-- name: whole
-- What is called by exactly this text: a session, a change, an operation of several changes.
SELECT 'session' AS kind, session_id AS id, id AS owner FROM sources WHERE session_id = :text
UNION ALL SELECT 'change', seq, memory_id FROM memory_events WHERE seq = CAST(:number AS INTEGER)
UNION ALL SELECT 'operation', operation, seq FROM memory_events WHERE operation = :text
LIMIT 9;
