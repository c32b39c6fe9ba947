-- Marks: which record in force a newer one may replace. Derived from records and vectors. A row
-- whose nearness is 0 says that the mark has to be made (again); nobody is told of it.

-- name: of
-- The mark of one record, made or still to be made.
SELECT memory_id, newer_id, nearness, created_at FROM newer_marks WHERE memory_id = :memory_id;

-- name: standing
-- All marks between records in force, of one project or of all, the latest newer record first.
SELECT k.memory_id, k.newer_id, k.nearness, k.created_at FROM newer_marks AS k
JOIN memories AS m ON m.id = k.newer_id JOIN memories AS o ON o.id = k.memory_id
WHERE k.nearness <> 0 AND m.status IN ('active', 'contradicted') AND o.status IN ('active', 'contradicted')
  AND (:project_id IS NULL OR o.project_id = :project_id)
ORDER BY m.observed_at DESC, k.memory_id;

-- name: naming
-- The marks that were made and name one newer record.
SELECT memory_id, newer_id, nearness, created_at FROM newer_marks
WHERE newer_id = :newer_id AND nearness <> 0 ORDER BY memory_id LIMIT :limit;

-- name: put
-- Mark one record; another mark of it is replaced.
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at) VALUES (:memory_id, :newer_id, :nearness, :created_at)
ON CONFLICT (memory_id) DO UPDATE SET newer_id = excluded.newer_id, nearness = excluded.nearness, created_at = excluded.created_at;

-- name: request
-- Let the marks of the records in a JSON array of ids be made (again).
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at)
SELECT value, value, 0, :created_at FROM json_each(:ids) WHERE true
ON CONFLICT (memory_id) DO UPDATE SET newer_id = excluded.newer_id, nearness = 0, created_at = excluded.created_at;

-- name: request_newer_of
-- Let the marks that name one newer record be made again.
UPDATE newer_marks SET newer_id = memory_id, nearness = 0 WHERE newer_id = :newer_id AND newer_id <> memory_id;

-- name: request_next
-- Let the marks of records in force be made again, between two index numbers.
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at)
SELECT id, id, 0, :created_at FROM memories
WHERE n > :after AND n <= :last AND status IN ('active', 'contradicted') AND type <> 'episode'
ON CONFLICT (memory_id) DO UPDATE SET newer_id = excluded.newer_id, nearness = 0, created_at = excluded.created_at;

-- name: newest_number
-- The highest index number of a record.
SELECT coalesce(max(n), 0) FROM memories;

-- name: drop
-- Drop the mark of one record.
DELETE FROM newer_marks WHERE memory_id = :memory_id;

-- name: waiting
-- The records whose mark has to be made, after a given one.
SELECT memory_id FROM newer_marks WHERE nearness = 0 AND memory_id > :after ORDER BY memory_id LIMIT :limit;

-- name: waiting_count
-- How many marks have to be made.
SELECT count(*) FROM newer_marks WHERE nearness = 0;

-- name: is_there
-- Whether the table of the marks is there.
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'newer_marks');
