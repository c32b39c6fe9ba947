-- What hung on records at a time: what is there now, less what came since, with what went since.

-- name: changed_since
-- The records that were changed after a time, or came to be.
SELECT DISTINCT memory_id FROM memory_events WHERE at > :at AND topic = 'record' ORDER BY memory_id;

-- name: known_before
-- Which of the records in a JSON array came to be by a time.
SELECT value AS id FROM json_each(:ids) WHERE EXISTS (SELECT 1 FROM memory_events WHERE memory_id = value AND topic = 'record' AND at <= :at);

-- name: sets
-- What came to and went from sets of one topic after a time, newest first; what was only recorded late had been there before.
SELECT memory_id, before, after FROM memory_events
WHERE at > :at AND topic = :topic AND verb <> 'recorded' AND (before IS NOT NULL OR after IS NOT NULL) ORDER BY seq DESC;

-- name: sets_of
-- The same of one record.
SELECT memory_id, before, after FROM memory_events
WHERE memory_id = :memory_id AND at > :at AND topic = :topic AND verb <> 'recorded' AND (before IS NOT NULL OR after IS NOT NULL)
ORDER BY seq DESC;

-- name: rows
-- What was changed of rows of one topic after a time, newest first.
SELECT item, before, after FROM memory_events
WHERE at > :at AND topic = :topic AND verb <> 'recorded' AND (before IS NOT NULL OR after IS NOT NULL) ORDER BY seq DESC;

-- name: links
-- Every link.
SELECT * FROM memory_links ORDER BY id;
