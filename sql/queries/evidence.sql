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
