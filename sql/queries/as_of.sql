-- What belonged to records at a time: what is there now, without what was added since, with what
-- was removed since.

-- name: changed_since
-- The records that were changed or created after a time.
SELECT DISTINCT memory_id FROM memory_events WHERE at > :at AND topic = 'record' ORDER BY memory_id;

-- name: sets
-- What was added to or removed from sets of one topic after a time, newest first. What was only
-- recorded late had been there before.
SELECT memory_id, before, after FROM memory_events
WHERE at > :at AND topic = :topic AND verb <> 'recorded' AND (before IS NOT NULL OR after IS NOT NULL) ORDER BY seq DESC;

-- name: sets_of
-- The same of one record.
SELECT memory_id, before, after FROM memory_events
WHERE memory_id = :memory_id AND at > :at AND topic = :topic AND verb <> 'recorded' AND (before IS NOT NULL OR after IS NOT NULL)
ORDER BY seq DESC;

-- name: rows
-- The changes to rows of one topic after a time, newest first.
SELECT item, before, after FROM memory_events
WHERE at > :at AND topic = :topic AND verb <> 'recorded' AND (before IS NOT NULL OR after IS NOT NULL) ORDER BY seq DESC;

-- name: links
-- Every link.
SELECT * FROM memory_links ORDER BY id;

-- name: counts
-- How many projects and captured originals there were at a time.
SELECT (SELECT count(*) FROM projects WHERE created_at <= :at) AS projects, count(*) AS sources,
  coalesce(sum(size_bytes), 0) AS original_bytes,
  (SELECT coalesce(sum(length(p.turns)), 0) FROM source_parts AS p JOIN sources AS s ON s.id = p.source_id WHERE s.observed_at <= :at)
    AS stored_bytes
FROM sources WHERE observed_at <= :at;
