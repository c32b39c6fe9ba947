-- name: insert
-- Add one piece of evidence.
INSERT INTO evidence (
  id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at
) VALUES (
  :id, :memory_id, :source_id, :turn, :span_start, :span_end, :quote, :quote_hash, :role, :speaker, :trust, :observed_at, :created_at,
  :withdrawn_at
);

-- name: of_memories
-- The evidence of the records in a JSON array of ids, strongest first.
SELECT * FROM evidence WHERE memory_id IN (SELECT value FROM json_each(:ids)) AND withdrawn_at IS NULL ORDER BY memory_id, trust DESC, id;

-- name: places
-- Source and turn of every quote of the records in a JSON array of ids.
SELECT memory_id, source_id, turn FROM evidence
WHERE memory_id IN (SELECT value FROM json_each(:ids)) AND source_id IS NOT NULL AND turn IS NOT NULL AND withdrawn_at IS NULL;

-- name: has_files
-- Whether any file of the kinds in a JSON array was ever imported.
SELECT 1 FROM json_each(:kinds) AS k WHERE EXISTS (SELECT 1 FROM sources WHERE agent = k.value);

-- name: in_files
-- The quotes from documents of the formats in a JSON array, with their paths, of the records in a
-- JSON array of ids whose words have not changed since they were quoted.
SELECT e.memory_id, e.quote, s.path, s.format FROM evidence AS e JOIN sources AS s ON s.id = e.source_id
WHERE e.memory_id IN (SELECT value FROM json_each(:ids)) AND e.withdrawn_at IS NULL
  AND s.kind = 'document' AND s.path IS NOT NULL AND s.format IN (SELECT value FROM json_each(:formats))
  AND NOT EXISTS (
    SELECT 1 FROM memory_events AS c
    WHERE c.memory_id = e.memory_id AND c.at > e.created_at AND c.before IS NOT NULL AND json_valid(c.before)
      AND (json_type(c.before, '$.content') IS NOT NULL OR json_type(c.before, '$.rationale') IS NOT NULL)
  )
ORDER BY e.memory_id, s.path, e.id;

-- name: by_quote
-- The records with exactly this quote from one source.
SELECT memory_id FROM evidence WHERE quote_hash = :quote_hash AND source_id IS :source_id;

-- name: by_moment
-- The records with exactly this quote, spoken at one moment in other sessions of an agent.
SELECT DISTINCT evidence.memory_id FROM evidence JOIN sources ON sources.id = evidence.source_id
WHERE evidence.quote_hash = :quote_hash AND evidence.observed_at = :at AND sources.agent = :agent AND sources.session_id <> :beside
ORDER BY evidence.memory_id;

-- name: delete_of_memory
-- Delete the evidence of one record, to replace it by what its source says now.
DELETE FROM evidence WHERE memory_id = :memory_id;

-- name: get
-- One piece of evidence.
SELECT * FROM evidence WHERE id = :id;

-- name: set_withdrawn
-- Withdraw a piece of evidence at a time, or restore it (null).
UPDATE evidence SET withdrawn_at = :withdrawn_at WHERE id = :id;

-- name: every
-- The evidence of one record, withdrawn evidence included.
SELECT * FROM evidence WHERE memory_id = :memory_id ORDER BY id;

-- name: of_sources
-- The evidence from the sources in a JSON array of ids, in the order of its turns.
SELECT * FROM evidence WHERE source_id IN (SELECT value FROM json_each(:ids)) AND withdrawn_at IS NULL ORDER BY source_id, turn, id;
