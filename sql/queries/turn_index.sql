-- The full-text index of captured turns, and how much of each conversation it holds.

-- name: create
-- Make the index, empty.
CREATE VIRTUAL TABLE turns_fts USING fts5 (
  text, content = '', detail = none,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

-- name: is_usable
-- Whether the index has all its parts; one that is gone is an error.
SELECT EXISTS (SELECT 1 FROM turns_fts_data WHERE id = 1) AND EXISTS (SELECT 1 FROM turns_fts_data WHERE id = 10)
  AND EXISTS (SELECT 1 FROM turns_fts_config WHERE k = 'version') AND coalesce((SELECT 1 FROM turns_fts_idx LIMIT 1), 1)
  AND (NOT EXISTS (SELECT 1 FROM turns_fts_docsize) OR (SELECT substr(block, 1, 1) FROM turns_fts_data WHERE id = 1) <> x'00')
  AND (NOT EXISTS (SELECT 1 FROM turn_sources WHERE indexed > 0) OR EXISTS (SELECT 1 FROM turns_fts_docsize));

-- name: add
-- Index the words of one turn.
INSERT INTO turns_fts (rowid, text) VALUES (:n, :text);

-- name: remove
-- Take the words of one turn out of the index; they must be those that were put in.
INSERT INTO turns_fts (turns_fts, rowid, text) VALUES ('delete', :n, :text);

-- name: merge
-- Merge some pages of the index.
INSERT INTO turns_fts (turns_fts, rank) VALUES ('merge', :pages);

-- name: begin_flush
-- Write the entries of this transaction out, so that a damaged index is met before the commit.
SAVEPOINT turn_entries;

-- name: end_flush
-- Keep them.
RELEASE turn_entries;

-- name: holding
-- The turns that hold a word, as an FTS5 expression, by their numbers in the index.
SELECT rowid AS n FROM turns_fts WHERE turns_fts MATCH :match;

-- name: entry
-- How much of a conversation is in the index.
SELECT n, indexed, turns_hash FROM turn_sources WHERE source_id = :source_id;

-- name: entries
-- How much of every conversation is in the index.
SELECT source_id, n, indexed FROM turn_sources;

-- name: put_entry
-- Note how much of a conversation is in the index.
INSERT INTO turn_sources (n, source_id, indexed, turns_hash) VALUES (:n, :source_id, :indexed, :turns_hash)
ON CONFLICT (n) DO UPDATE SET indexed = :indexed, turns_hash = :turns_hash;

-- name: next_number
-- The number of the next conversation.
SELECT coalesce(max(n), 0) + 1 FROM turn_sources;

-- name: forget_entry
-- Drop what is noted of a conversation.
DELETE FROM turn_sources WHERE source_id = :source_id;

-- name: forget_entries
-- Drop what is noted of all conversations.
DELETE FROM turn_sources;

-- name: waiting
-- Conversations that are not wholly in the index, newest first, and what is noted of each.
SELECT s.id, s.turn_count, s.turns_hash FROM sources AS s LEFT JOIN turn_sources AS t ON t.source_id = s.id
WHERE s.turn_count > 0 AND (t.indexed IS NULL OR t.indexed < s.turn_count OR t.turns_hash <> s.turns_hash)
ORDER BY s.id DESC;

-- name: waiting_count
-- How many conversations are not wholly in the index.
SELECT count(*) FROM sources AS s LEFT JOIN turn_sources AS t ON t.source_id = s.id
WHERE s.turn_count > 0 AND (t.indexed IS NULL OR t.indexed < s.turn_count OR t.turns_hash <> s.turns_hash);

-- name: surplus
-- Entries of conversations that are not there.
SELECT source_id FROM turn_sources WHERE source_id NOT IN (SELECT id FROM sources);

-- name: indexed_count
-- How many turns the index should hold, and how many it holds.
SELECT (SELECT coalesce(sum(indexed), 0) FROM turn_sources) AS wanted, (SELECT count(*) FROM turns_fts_docsize) AS held;

-- name: parts_after
-- The parts of a conversation that hold turns from a number on.
SELECT first_turn, turn_count, turns FROM source_parts
WHERE source_id = :source_id AND first_turn + turn_count > :first ORDER BY part;

-- name: parts_holding
-- The parts of a conversation that hold some turns, a JSON array of their numbers.
SELECT first_turn, turn_count, turns FROM source_parts AS p
WHERE source_id = :source_id
  AND EXISTS (SELECT 1 FROM json_each(:turns) WHERE value >= p.first_turn AND value < p.first_turn + p.turn_count)
ORDER BY part;

-- name: conversations
-- The captured conversations that pass some filters, newest first.
SELECT s.id, s.agent, s.session_id, s.project_id, s.title, s.observed_at, s.kind, s.format, s.started_at, s.ended_at,
  coalesce(s.started_at, s.observed_at) AS began,
  coalesce(s.ended_at, s.updated_at) AS ended, s.turn_count,
  (SELECT requested_scope FROM ingestion_events AS e WHERE e.source_id = s.id AND e.requested_scope IS NOT NULL ORDER BY e.id DESC LIMIT 1) AS requested_scope
FROM sources AS s
WHERE s.turn_count > 0
  AND (:projects IS NULL OR s.project_id IS NULL OR s.project_id IN (SELECT value FROM json_each(:projects)))
  AND (:agent IS NULL OR s.agent = :agent)
  AND (:since IS NULL OR max(coalesce(s.ended_at, ''), s.updated_at) >= :since)
  AND (:until IS NULL OR coalesce(s.started_at, s.observed_at) < :until)
ORDER BY coalesce(s.ended_at, s.updated_at) DESC, s.id DESC;

-- name: neighbours
-- For each id in a JSON array the ids just before and just after it, to find its shortest unique
-- prefix.
SELECT wanted.value AS id,
  (SELECT max(s.id) FROM sources AS s WHERE s.id < wanted.value) AS before,
  (SELECT min(s.id) FROM sources AS s WHERE s.id > wanted.value) AS after
FROM json_each(:ids) AS wanted;

-- name: conversation
-- One conversation as `conversations` lists them.
SELECT s.id, s.agent, s.session_id, s.project_id, s.title, s.observed_at, s.kind, s.format, s.turn_count, s.started_at, s.ended_at,
  (SELECT requested_scope FROM ingestion_events AS e WHERE e.source_id = s.id AND e.requested_scope IS NOT NULL ORDER BY e.id DESC LIMIT 1) AS requested_scope
FROM sources AS s WHERE s.id = :source_id;

-- name: quote_counts
-- How many records quote each conversation of a JSON array of ids.
SELECT e.source_id, count(DISTINCT e.memory_id) AS records FROM evidence AS e
WHERE e.source_id IN (SELECT value FROM json_each(:ids)) AND e.withdrawn_at IS NULL GROUP BY e.source_id;

-- name: quotes
-- What is quoted from one conversation, with what says whose record it is.
SELECT e.turn, e.quote, m.id, m.title, m.status, m.scope, m.agent_id, m.session_id
FROM evidence AS e JOIN memories AS m ON m.id = e.memory_id
WHERE e.source_id = :source_id AND e.withdrawn_at IS NULL ORDER BY e.turn, m.id;

-- name: of_session
-- The conversations of a session, newest first.
SELECT id, agent FROM sources WHERE session_id = :session_id AND turn_count > 0 ORDER BY id DESC;
