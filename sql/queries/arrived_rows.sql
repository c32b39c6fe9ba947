-- What belongs to a record, and what waits for one: read where changes of other machines come in.

-- name: links_from
-- The links that lead from a record.
SELECT id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at FROM memory_links
WHERE from_id = :memory_id ORDER BY relation, to_id;

-- name: links_to
-- The links of one relation that lead to a record.
SELECT id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at FROM memory_links
WHERE to_id = :memory_id AND relation = :relation ORDER BY from_id;

-- name: outcomes
-- The votes on a record.
SELECT id, memory_id, retrieval_id, verdict, reason, actor, created_at FROM outcomes WHERE memory_id = :memory_id ORDER BY id;

-- name: evidence
-- The evidence of a record, withdrawn evidence included.
SELECT id, memory_id, source_id, turn, span_start, span_end, quote, role, speaker, trust, observed_at, created_at, withdrawn_at
FROM evidence WHERE memory_id = :memory_id ORDER BY id;

-- name: mentions
-- By which names a record mentions entities, with their kinds and names.
SELECT e.kind, e.name AS entity, m.entity_id, m.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id
WHERE m.memory_id = :memory_id ORDER BY e.kind, e.name, m.name;

-- name: put_awaited
-- Note that a subject waits for something.
INSERT INTO sync_awaited (awaited, subject) VALUES (:awaited, :subject) ON CONFLICT DO NOTHING;

-- name: awaiting
-- The subjects that wait for something.
SELECT subject FROM sync_awaited WHERE awaited = :awaited ORDER BY subject;

-- name: drop_awaited
-- Note that it is here.
DELETE FROM sync_awaited WHERE awaited = :awaited;

-- name: subjects
-- The next subjects of which there are changes, in order.
SELECT DISTINCT subject FROM sync_changes WHERE subject > :after ORDER BY subject LIMIT :limit;

-- name: set_created
-- Set when a record was created: two machines may have made the same one.
UPDATE memories SET created_at = :created_at WHERE id = :id;

-- name: subjects_of
-- The subjects with derived changes of some makers.
SELECT DISTINCT c.subject FROM json_each(:makers) AS m CROSS JOIN sync_changes AS c
WHERE c.replica = m.value AND c.state = 'derived' ORDER BY c.subject;
