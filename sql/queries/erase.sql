-- Erasure of words from the store for good, also from history. Only these statements may do this.
-- They read each row and rewrite it in place.

-- name: allow_rewriting
-- Lift the guard of the event log against changes, inside the one transaction that erases.
DROP TRIGGER IF EXISTS memory_events_no_update;

-- name: guard_again
-- Restore the guard of the event log.
CREATE TRIGGER IF NOT EXISTS memory_events_no_update BEFORE UPDATE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;

-- name: empty_history
-- Remove the words from the history of one record. What stays is that something happened, when and
-- by whom.
UPDATE memory_events SET before = NULL, after = NULL, cause = 'purged' WHERE memory_id = :memory_id;

-- name: read_stream
-- The whole event log, oldest first.
SELECT * FROM memory_events ORDER BY seq;

-- name: update_stream
-- Rewrite one change.
UPDATE memory_events SET before = :before, after = :after, actor = :actor, cause = :cause, item = :item, chain = :chain
WHERE seq = :seq;

-- name: forget_links
-- Drop every link of one record.
DELETE FROM memory_links WHERE from_id = :memory_id OR to_id = :memory_id;

-- name: forget_vault_notes
-- Drop what is known of the notes of one record.
DELETE FROM vault_notes WHERE memory_id = :memory_id;

-- name: forget_entities
-- Delete the mentions of one record.
DELETE FROM memory_entities WHERE memory_id = :memory_id;

-- name: forget_record
-- Drop one record.
DELETE FROM memories WHERE id = :memory_id;

-- name: forget_entity_aliases
-- Drop the other names of one entity.
DELETE FROM entity_aliases WHERE entity_id = :id;

-- name: forget_entity
-- Drop one entity.
DELETE FROM entities WHERE id = :id;

-- name: forget_jobs
-- Drop the ingestions of one source.
DELETE FROM ingestion_events WHERE source_id = :source_id;

-- name: forget_parts
-- Drop the turns of one source.
DELETE FROM source_parts WHERE source_id = :source_id;

-- name: part_with
-- Remove the references of later captures to one source.
UPDATE sources SET previous_id = NULL WHERE previous_id = :source_id;

-- name: forget_evidence_of_source
-- Drop the quotes of one source.
DELETE FROM evidence WHERE source_id = :source_id;

-- name: forget_source
-- Drop one source.
DELETE FROM sources WHERE id = :source_id;

-- name: forget_logs_of_session
-- Drop the retrievals of one session.
DELETE FROM retrieval_logs WHERE session_id = :session_id;

-- name: forget_logs_naming
-- Drop the retrievals that looked at one record.
DELETE FROM retrieval_logs WHERE instr(candidates, :memory_id) > 0 OR instr(returned, :memory_id) > 0 OR instr(filters, :memory_id) > 0;

-- name: forget_project_links
-- Drop every link of one project.
DELETE FROM project_links WHERE from_project = :project_id OR to_project = :project_id;

-- name: forget_project_aliases
-- Drop every name of one project.
DELETE FROM project_aliases WHERE project_id = :project_id;

-- name: forget_repos
-- Drop the repositories of one project.
DELETE FROM repos WHERE project_id = :project_id;

-- name: orphan_projects
-- Remove the references of adopted projects to a project that is erased.
UPDATE projects SET adopted_into = NULL WHERE adopted_into = :project_id;

-- name: forget_project
-- Drop one project.
DELETE FROM projects WHERE id = :project_id;

-- name: evidence_of_source
-- The quotes of one source.
SELECT * FROM evidence WHERE source_id = :source_id ORDER BY id;

-- name: sources_of_session
-- The captures of one session, whichever agent held it.
SELECT * FROM sources WHERE session_id = :session_id ORDER BY id;

-- name: sources_of_project
-- The captures that belong to one project.
SELECT * FROM sources WHERE project_id = :project_id ORDER BY id;

-- name: records_of_project
-- The records that belong to one project.
SELECT * FROM memories WHERE project_id = :project_id ORDER BY id;

-- name: vacuum
-- Rewrite the file without its free pages; this cannot run inside a transaction.
VACUUM;

-- name: checkpoint
-- Copy the write-ahead log into the file and empty it.
PRAGMA wal_checkpoint (TRUNCATE);

-- name: read_evidence
-- All evidence.
SELECT id, source_id, turn, span_start, span_end, quote, speaker FROM evidence ORDER BY id;

-- name: update_evidence
-- Rewrite one piece of evidence.
UPDATE evidence SET span_start = :span_start, span_end = :span_end, quote = :quote, quote_hash = :quote_hash, speaker = :speaker WHERE id = :id;

-- name: read_sources
-- All sources.
SELECT * FROM sources ORDER BY id;

-- name: update_source
-- Rewrite the fields of one source.
UPDATE sources SET agent = :agent, session_id = :session_id, parent_session_id = :parent_session_id, path = :path, title = :title, cwd = :cwd,
  git_branch = :git_branch, unknown = :unknown, raw = :raw, turns_hash = :turns_hash
WHERE id = :id;

-- name: read_parts
-- The turns of one source, in order.
SELECT part, turns FROM source_parts WHERE source_id = :source_id ORDER BY part;

-- name: update_part
-- Rewrite some turns of a source.
UPDATE source_parts SET turns = :turns WHERE source_id = :source_id AND part = :part;

-- name: read_jobs
-- All ingestions.
SELECT id, trigger, actor, requested_scope, error, outcome FROM ingestion_events ORDER BY id;

-- name: update_jobs
-- Rewrite one ingestion.
UPDATE ingestion_events SET trigger = :trigger, actor = :actor, requested_scope = :requested_scope, error = :error, outcome = :outcome
WHERE id = :id;

-- name: read_links
-- All links between records.
SELECT id, reason, actor FROM memory_links ORDER BY id;

-- name: update_links
-- Rewrite one link.
UPDATE memory_links SET reason = :reason, actor = :actor WHERE id = :id;

-- name: read_entities
-- All entities.
SELECT id, name FROM entities ORDER BY id;

-- name: update_entities
-- Rename one entity.
UPDATE OR IGNORE entities SET name = :name WHERE id = :id;

-- name: records_of_entity
-- The records that mention one entity.
SELECT memory_id FROM memory_entities WHERE entity_id = :id;

-- name: read_entity_aliases
-- All other names of entities.
SELECT alias AS id, entity_id, alias, source_ref FROM entity_aliases ORDER BY alias, entity_id;

-- name: update_entity_aliases
-- Rewrite one other name.
UPDATE OR REPLACE entity_aliases SET alias = :alias, source_ref = :source_ref WHERE alias = :id AND entity_id = :entity_id;

-- name: read_projects
-- All projects.
SELECT id, name, root_path FROM projects ORDER BY id;

-- name: update_projects
-- Rewrite one project.
UPDATE projects SET name = :name, root_path = :root_path WHERE id = :id;

-- name: read_project_aliases
-- All aliases of projects.
SELECT value AS id, kind, value FROM project_aliases ORDER BY kind, value;

-- name: update_project_aliases
-- Rewrite one of them.
UPDATE OR REPLACE project_aliases SET value = :value WHERE kind = :kind AND value = :id;

-- name: read_project_links
-- All links between projects.
SELECT from_project AS id, to_project, reason FROM project_links ORDER BY from_project, to_project;

-- name: update_project_links
-- Rewrite one of them.
UPDATE project_links SET reason = :reason WHERE from_project = :id AND to_project = :to_project;

-- name: read_repos
-- All repositories.
SELECT id, name, root_path, git_common_dir, remote_url FROM repos ORDER BY id;

-- name: update_repos
-- Rewrite one repository.
UPDATE OR IGNORE repos SET name = :name, root_path = :root_path, git_common_dir = :git_common_dir, remote_url = :remote_url WHERE id = :id;

-- name: read_tombstones
-- All tombstones.
SELECT memory_id AS id, fingerprint, reason, actor FROM tombstones ORDER BY fingerprint, memory_id;

-- name: update_tombstones
-- Rewrite one of them.
UPDATE tombstones SET reason = :reason, actor = :actor WHERE memory_id = :id AND fingerprint = :fingerprint;

-- name: read_logs
-- All retrievals.
SELECT id, query, actor, session_id, filters, candidates, returned, flags FROM retrieval_logs ORDER BY id;

-- name: update_logs
-- Rewrite one retrieval.
UPDATE retrieval_logs SET query = :query, actor = :actor, session_id = :session_id, filters = :filters, candidates = :candidates,
  returned = :returned, flags = :flags
WHERE id = :id;

-- name: read_views
-- All saved views.
SELECT name AS id, name, definition FROM saved_views ORDER BY name;

-- name: update_views
-- Rewrite one of them.
UPDATE OR REPLACE saved_views SET name = :name, definition = :definition WHERE name = :id;

-- name: read_documents
-- All versions of MEMORY.md.
SELECT id, actor, lines, diary FROM memory_documents ORDER BY id;

-- name: one_documents
-- One version of MEMORY.md.
SELECT id, actor, lines, diary FROM memory_documents WHERE id = :id;

-- name: update_documents
-- Rewrite one of them.
UPDATE memory_documents SET actor = :actor, lines = :lines, diary = :diary WHERE id = :id;

-- name: read_vaults
-- All folders of notes.
SELECT id, path FROM vaults ORDER BY id;

-- name: update_vaults
-- Rewrite one of them.
UPDATE vaults SET path = :path WHERE id = :id;

-- name: one_vaults
-- One folder of notes.
SELECT id, path FROM vaults WHERE id = :id;

-- name: empty_link_history
-- Remove the words from the history of one link.
UPDATE memory_events SET before = NULL, after = NULL, cause = 'purged' WHERE memory_id = :memory_id AND topic = 'link' AND item = :item;

-- name: forget_citations
-- Drop what one record cites.
DELETE FROM citations WHERE memory_id = :memory_id;

-- name: forget_outcomes
-- Drop the feedback on one record.
DELETE FROM outcomes WHERE memory_id = :memory_id;

-- name: read_outcomes
-- All feedback on records.
SELECT id, reason, actor FROM outcomes ORDER BY id;

-- name: update_outcomes
-- Rewrite one of them.
UPDATE outcomes SET reason = :reason, actor = :actor WHERE id = :id;

-- name: read_proposals
-- All proposals.
SELECT id, reason, actor, data FROM proposals ORDER BY id;

-- name: update_proposals
-- Rewrite one of them.
UPDATE proposals SET reason = :reason, actor = :actor, data = :data WHERE id = :id;

-- name: read_mutes
-- All muted rules.
SELECT rule AS id, reason, actor FROM muted_rules ORDER BY rule;

-- name: update_mutes
-- Rewrite one of them.
UPDATE muted_rules SET reason = :reason, actor = :actor WHERE rule = :id;

-- name: read_model_calls
-- What models answered.
SELECT id, output, error FROM model_calls WHERE output IS NOT NULL OR error IS NOT NULL ORDER BY id;

-- name: update_model_calls
-- Rewrite one answer.
UPDATE model_calls SET output = :output, error = :error WHERE id = :id;

-- name: empty_model_calls
-- Remove the words from what models were asked about one record or source. What stays is that they
-- were asked and what it cost.
UPDATE model_calls SET about = NULL, input_hash = 'purged', output = NULL, error = NULL WHERE instr(about, :about) > 0;

-- name: read_mentions
-- By which names records mention entities.
SELECT memory_id AS id, entity_id, name, name AS old FROM memory_entities ORDER BY memory_id, entity_id, name;

-- name: update_mentions
-- Rewrite one of these names.
UPDATE OR REPLACE memory_entities SET name = :name WHERE memory_id = :id AND entity_id = :entity_id AND name = :old;

-- name: one_jobs
-- One ingestion.
SELECT id, trigger, actor, requested_scope, error, outcome FROM ingestion_events WHERE id = :id;

-- name: one_links
-- One link between records.
SELECT id, reason, actor FROM memory_links WHERE id = :id;

-- name: one_entities
-- One entity.
SELECT id, name FROM entities WHERE id = :id;

-- name: one_entity_aliases
-- One other name of an entity.
SELECT alias AS id, entity_id, alias, source_ref FROM entity_aliases WHERE alias = :id AND entity_id = :entity_id;

-- name: one_mentions
-- One name by which a record mentions an entity.
SELECT memory_id AS id, entity_id, name, name AS old FROM memory_entities
WHERE memory_id = :id AND entity_id = :entity_id AND name = :old;

-- name: one_projects
-- One project.
SELECT id, name, root_path FROM projects WHERE id = :id;

-- name: one_project_aliases
-- One alias of a project.
SELECT value AS id, kind, value FROM project_aliases WHERE kind = :kind AND value = :id;

-- name: one_project_links
-- One link between projects.
SELECT from_project AS id, to_project, reason FROM project_links WHERE from_project = :id AND to_project = :to_project;

-- name: one_repos
-- One repository.
SELECT id, name, root_path, git_common_dir, remote_url FROM repos WHERE id = :id;

-- name: one_tombstones
-- One tombstone.
SELECT memory_id AS id, fingerprint, reason, actor FROM tombstones WHERE memory_id = :id AND fingerprint = :fingerprint;

-- name: one_logs
-- One retrieval.
SELECT id, query, actor, session_id, filters, candidates, returned, flags FROM retrieval_logs WHERE id = :id;

-- name: one_views
-- One saved view.
SELECT name AS id, name, definition FROM saved_views WHERE name = :id;

-- name: one_outcomes
-- One vote on a record.
SELECT id, reason, actor FROM outcomes WHERE id = :id;

-- name: one_proposals
-- One proposal.
SELECT id, reason, actor, data FROM proposals WHERE id = :id;

-- name: one_mutes
-- One muted rule.
SELECT rule AS id, reason, actor FROM muted_rules WHERE rule = :id;

-- name: one_model_calls
-- What a model answered once.
SELECT id, output, error FROM model_calls WHERE id = :id;

-- name: one_evidence
-- One piece of evidence, as far as it can be rewritten.
SELECT id, source_id, turn, span_start, span_end, quote, speaker FROM evidence WHERE id = :id;

-- name: one_source
-- One source as it is stored.
SELECT * FROM sources WHERE id = :id;

-- name: set_chain
-- Set the chain hash of one change.
UPDATE memory_events SET chain = :chain WHERE seq = :seq;

-- name: stream_after
-- The changes after a number, oldest first.
SELECT * FROM memory_events WHERE seq > :seq ORDER BY seq;

-- name: mentioned_of
-- The entities that one record mentions.
SELECT DISTINCT entity_id FROM memory_entities WHERE memory_id = :memory_id;

-- name: is_idle
-- Whether no record mentions an entity that is there.
SELECT EXISTS (SELECT 1 FROM entities WHERE id = :id) AND NOT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = :id);
