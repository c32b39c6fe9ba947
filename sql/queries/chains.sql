-- name: below
-- What the records in a JSON array of ids superseded, directly or through others, as of a time. A
-- merge does not count as a change. `CROSS JOIN` keeps the order: few records have a chain, and many
-- are superseded.
WITH RECURSIVE below (head, id, at, reason, step) AS (
  SELECT l.from_id, l.to_id, l.created_at, l.reason, 1 FROM memory_links AS l
  WHERE l.from_id IN (SELECT value FROM json_each(:ids)) AND l.relation = 'supersedes' AND coalesce(l.reason, '') NOT LIKE 'merged: %'
    AND (:at IS NULL OR l.created_at <= :at)
  UNION
  SELECT below.head, l.to_id, l.created_at, l.reason, below.step + 1 FROM below
  CROSS JOIN memory_links AS l ON l.from_id = below.id AND l.relation = 'supersedes' AND coalesce(l.reason, '') NOT LIKE 'merged: %'
  WHERE below.step < 1000 AND (:at IS NULL OR l.created_at <= :at)
)
SELECT below.head, below.id, below.at, below.reason, below.step, m.title, m.observed_at
FROM below CROSS JOIN memories AS m ON m.id = below.id
WHERE m.status = 'superseded' ORDER BY below.head, below.step, below.at DESC, below.id;
