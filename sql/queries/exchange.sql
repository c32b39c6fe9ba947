-- Exact bulk reading and writing of everything durable, for export and import.

-- name: is_empty
-- Whether the store holds nothing durable yet.
SELECT NOT (
  EXISTS (SELECT 1 FROM projects) OR EXISTS (SELECT 1 FROM sources) OR EXISTS (SELECT 1 FROM ingestion_events)
  OR EXISTS (SELECT 1 FROM memories) OR EXISTS (SELECT 1 FROM entities) OR EXISTS (SELECT 1 FROM memory_events)
  OR EXISTS (SELECT 1 FROM tombstones) OR EXISTS (SELECT 1 FROM saved_views)
);

-- name: savepoint
-- Begin a step that can be undone without the rest.
SAVEPOINT step;

-- name: release
-- Keep the step.
RELEASE step;

-- name: roll_back
-- Undo the step.
ROLLBACK TO step;

-- name: read_projects
-- All projects, in the order of an export.
SELECT id, name, root_path, adopted_into, created_at, updated_at FROM projects ORDER BY id;

-- name: get_projects
-- One of them, as this store has it.
SELECT id, name, root_path, adopted_into, created_at, updated_at FROM projects WHERE id = :id;

-- name: insert_projects
-- Insert one exactly as it was.
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at)
VALUES (:id, :name, :root_path, :adopted_into, :created_at, :updated_at);

-- name: update_projects
-- Set a project to a newer state of the same one.
UPDATE projects SET
  name = :name, root_path = :root_path, adopted_into = :adopted_into, created_at = :created_at, updated_at = :updated_at
WHERE id = :id;

-- name: read_aliases
-- All aliases of projects, in the order of an export.
SELECT kind, value, project_id, created_at FROM project_aliases ORDER BY kind, value;

-- name: get_aliases
-- One of them, as this store has it.
SELECT kind, value, project_id, created_at FROM project_aliases WHERE kind = :kind AND value = :value;

-- name: insert_aliases
-- Insert one exactly as it was.
INSERT INTO project_aliases (kind, value, project_id, created_at) VALUES (:kind, :value, :project_id, :created_at);

-- name: read_project_links
-- All links between projects, in the order of an export.
SELECT from_project, to_project, reason, created_at FROM project_links ORDER BY from_project, to_project;

-- name: get_project_links
-- One of them, as this store has it.
SELECT from_project, to_project, reason, created_at FROM project_links WHERE from_project = :from_project AND to_project = :to_project;

-- name: insert_project_links
-- Insert one exactly as it was.
INSERT INTO project_links (from_project, to_project, reason, created_at) VALUES (:from_project, :to_project, :reason, :created_at);

-- name: read_repos
-- All repos, in the order of an export.
SELECT
  id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at
FROM repos ORDER BY id;

-- name: get_repos
-- One of them, as this store has it.
SELECT
  id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at
FROM repos WHERE id = :id;

-- name: insert_repos
-- Insert one exactly as it was.
INSERT INTO repos (
  id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at
) VALUES (
  :id, :project_id, :name, :root_path, :git_common_dir, :remote_url, :root_commit, :created_at, :updated_at
);

-- name: update_repos
-- Set a repo to a newer state of the same one.
UPDATE repos SET
  project_id = :project_id, name = :name, root_path = :root_path, git_common_dir = :git_common_dir, remote_url = :remote_url,
  root_commit = :root_commit, created_at = :created_at, updated_at = :updated_at
WHERE id = :id;

-- name: read_sources
-- All captured originals, in the order of an export.
SELECT
  id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat,
  size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at
FROM sources ORDER BY id;

-- name: get_sources
-- One of them, as this store has it.
SELECT
  id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat,
  size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at
FROM sources WHERE id = :id;

-- name: insert_sources
-- Insert one exactly as it was.
INSERT INTO sources (
  id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat,
  size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at
) VALUES (
  :id, :kind, :format, :agent, :session_id, :parent_session_id, :previous_id, :path, :title, :cwd, :git_branch, :project_id,
  :repo_id, :is_chat, :size_bytes, :content_hash, :turn_count, :turns_hash, :unknown, :raw, :trust, :started_at, :ended_at,
  :observed_at, :updated_at
);

-- name: update_sources
-- Set a source to a newer state of the same one.
UPDATE sources SET
  kind = :kind, format = :format, agent = :agent, session_id = :session_id, parent_session_id = :parent_session_id,
  previous_id = :previous_id, path = :path, title = :title, cwd = :cwd, git_branch = :git_branch, project_id = :project_id,
  repo_id = :repo_id, is_chat = :is_chat, size_bytes = :size_bytes, content_hash = :content_hash, turn_count = :turn_count,
  turns_hash = :turns_hash, unknown = :unknown, raw = :raw, trust = :trust, started_at = :started_at, ended_at = :ended_at,
  observed_at = :observed_at, updated_at = :updated_at
WHERE id = :id;

-- name: read_source_parts
-- All parts of sources, in the order of an export.
SELECT source_id, part, first_turn, turn_count, turns, created_at FROM source_parts ORDER BY source_id, part;

-- name: get_source_parts
-- One of them, as this store has it.
SELECT source_id, part, first_turn, turn_count, turns, created_at FROM source_parts WHERE source_id = :source_id AND part = :part;

-- name: insert_source_parts
-- Insert one exactly as it was.
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at)
VALUES (:source_id, :part, :first_turn, :turn_count, :turns, :created_at);

-- name: read_ingestion_events
-- All ingestion events, in the order of an export.
SELECT
  id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor,
  processor_version, outcome, error, created_at, updated_at
FROM ingestion_events ORDER BY id;

-- name: get_ingestion_events
-- One of them, as this store has it.
SELECT
  id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor,
  processor_version, outcome, error, created_at, updated_at
FROM ingestion_events WHERE id = :id;

-- name: insert_ingestion_events
-- Insert one exactly as it was.
INSERT INTO ingestion_events (
  id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor,
  processor_version, outcome, error, created_at, updated_at
) VALUES (
  :id, :trigger, :actor, :source_id, :requested_scope, :state, :attempts, :not_before, :lease_owner, :lease_until, :processor,
  :processor_version, :outcome, :error, :created_at, :updated_at
);

-- name: update_ingestion_events
-- Set an ingestion event to a newer state of the same one.
UPDATE ingestion_events SET
  trigger = :trigger, actor = :actor, source_id = :source_id, requested_scope = :requested_scope, state = :state,
  attempts = :attempts, not_before = :not_before, lease_owner = :lease_owner, lease_until = :lease_until, processor = :processor,
  processor_version = :processor_version, outcome = :outcome, error = :error, created_at = :created_at, updated_at = :updated_at
WHERE id = :id;

-- name: read_memories
-- All records, in the order of an export.
SELECT
  id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content,
  summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate,
  protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, rule, confirmed_at, never_load, origin, good, bad,
  created_at, updated_at, row_hash
FROM memories ORDER BY id;

-- name: get_memories
-- One of them, as this store has it.
SELECT
  id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content,
  summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate,
  protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, rule, confirmed_at, never_load, origin, good, bad,
  created_at, updated_at
FROM memories WHERE id = :id;

-- name: insert_memories
-- Insert one exactly as it was.
INSERT INTO memories (
  id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content,
  summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate,
  protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, rule, confirmed_at, never_load, origin, good, bad,
  created_at, updated_at, row_hash
) VALUES (
  :id, :type, :kind, :scope, :status, :status_reason, :project_id, :repo_id, :agent_id, :session_id, :owner, :source_kind, :title,
  :content, :summary, :subject, :rationale, :alternatives, :confidence, :trust, :observed_at, :last_accessed_at, :access_count,
  :decay_rate, :protected, :always_load, :valid_from, :valid_until, :fingerprint, :source_ref, :evidence_ref, :rule, :confirmed_at,
  :never_load, :origin, :good, :bad, :created_at, :updated_at, :row_hash
);

-- name: read_evidence
-- All evidence, in the order of an export.
SELECT
  id, memory_id, source_id, turn, span_start, span_end, quote, role, speaker, trust, observed_at, created_at, withdrawn_at
FROM evidence ORDER BY id;

-- name: get_evidence
-- One of them, as this store has it.
SELECT
  id, memory_id, source_id, turn, span_start, span_end, quote, role, speaker, trust, observed_at, created_at, withdrawn_at
FROM evidence WHERE id = :id;

-- name: insert_evidence
-- Insert one exactly as it was.
INSERT INTO evidence (
  id, memory_id, source_id, turn, span_start, span_end, quote, role, speaker, trust, observed_at, created_at, withdrawn_at, quote_hash
) VALUES (
  :id, :memory_id, :source_id, :turn, :span_start, :span_end, :quote, :role, :speaker, :trust, :observed_at, :created_at,
  :withdrawn_at, :quote_hash
);

-- name: read_links
-- All links between records, in the order of an export.
SELECT id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at FROM memory_links ORDER BY id;

-- name: get_links
-- One of them, as this store has it.
SELECT id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at FROM memory_links WHERE id = :id;

-- name: insert_links
-- Insert one exactly as it was.
INSERT INTO memory_links (
  id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at
) VALUES (
  :id, :from_id, :relation, :to_id, :reason, :confidence, :actor, :resolved_at, :created_at
);

-- name: read_entities
-- All entities, in the order of an export.
SELECT id, kind, name, merged_into, created_at FROM entities ORDER BY id;

-- name: get_entities
-- One of them, as this store has it.
SELECT id, kind, name, merged_into, created_at FROM entities WHERE id = :id;

-- name: insert_entities
-- Insert one exactly as it was.
INSERT INTO entities (id, kind, name, merged_into, created_at) VALUES (:id, :kind, :name, :merged_into, :created_at);

-- name: read_entity_aliases
-- All aliases of entities, in the order of an export.
SELECT alias, entity_id, source_ref, created_at FROM entity_aliases ORDER BY alias, entity_id;

-- name: get_entity_aliases
-- One of them, as this store has it.
SELECT alias, entity_id, source_ref, created_at FROM entity_aliases WHERE alias = :alias AND entity_id = :entity_id;

-- name: insert_entity_aliases
-- Insert one exactly as it was.
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at) VALUES (:alias, :entity_id, :source_ref, :created_at);

-- name: read_memory_entities
-- All attachments of entities to records, in the order of an export.
SELECT memory_id, entity_id, name FROM memory_entities ORDER BY memory_id, entity_id, name;

-- name: get_memory_entities
-- One of them, as this store has it.
SELECT memory_id, entity_id, name FROM memory_entities WHERE memory_id = :memory_id AND entity_id = :entity_id AND name = :name;

-- name: insert_memory_entities
-- Insert one exactly as it was.
INSERT INTO memory_entities (memory_id, entity_id, name) VALUES (:memory_id, :entity_id, :name);

-- name: read_stream
-- The whole event log, in the order of an export.
SELECT seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation FROM memory_events ORDER BY seq;

-- name: insert_stream
-- Insert one exactly as it was.
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation)
VALUES (:seq, :memory_id, :verb, :before, :after, :actor, :cause, :at, :chain, :topic, :item, :operation);

-- name: read_tombstones
-- All tombstones, in the order of an export.
SELECT fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at FROM tombstones ORDER BY fingerprint, memory_id;

-- name: get_tombstones
-- One of them, as this store has it.
SELECT fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at
FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: insert_tombstones
-- Insert one exactly as it was.
INSERT INTO tombstones (
  fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at
) VALUES (
  :fingerprint, :verdict, :quote_hash, :memory_id, :reason, :actor, :created_at
);

-- name: read_saved_views
-- All saved views, in the order of an export.
SELECT name, kind, definition, created_at, updated_at FROM saved_views ORDER BY name;

-- name: get_saved_views
-- One of them, as this store has it.
SELECT name, kind, definition, created_at, updated_at FROM saved_views WHERE name = :name;

-- name: insert_saved_views
-- Insert one exactly as it was.
INSERT INTO saved_views (name, kind, definition, created_at, updated_at) VALUES (:name, :kind, :definition, :created_at, :updated_at);

-- name: update_saved_views
-- Set a saved view to a newer state of the same one.
UPDATE saved_views SET
  kind = :kind, definition = :definition, created_at = :created_at, updated_at = :updated_at
WHERE name = :name;

-- name: point_projects
-- Set which project one was adopted into, once both are in the store.
UPDATE projects SET adopted_into = :target WHERE id = :id;

-- name: point_entities
-- Set which entity one was merged into, once both are in the store.
UPDATE entities SET merged_into = :target WHERE id = :id;

-- name: point_sources
-- Set which source one continues, once both are in the store.
UPDATE sources SET previous_id = :target WHERE id = :id;

-- name: entity_named
-- The entity of exactly that kind and name.
SELECT id FROM entities WHERE kind = :kind AND name = :name;

-- name: link_between
-- The link between two records, whatever its id.
SELECT id, resolved_at FROM memory_links WHERE from_id = :from_id AND relation = :relation AND to_id = :to_id;

-- name: settle_link
-- Note when a contradiction was settled elsewhere.
UPDATE memory_links SET resolved_at = :resolved_at WHERE id = :id;

-- name: count_accesses
-- Keep the higher of two access counts and the later of two times.
UPDATE memories SET access_count = max(access_count, :access_count),
  last_accessed_at = max(coalesce(last_accessed_at, :last_accessed_at), coalesce(:last_accessed_at, last_accessed_at))
WHERE id = :id;

-- name: copies_of_change
-- How often exactly this change is in the event log.
SELECT count(*) FROM memory_events
WHERE memory_id = :memory_id AND verb = :verb AND before IS :before AND after IS :after AND actor = :actor AND cause = :cause AND at = :at
  AND topic = :topic AND item IS :item AND operation IS :operation;

-- name: holds_part
-- Whether a part of a source is there with the same packed turns.
SELECT EXISTS (
  SELECT 1 FROM source_parts
  WHERE source_id = :source_id AND part = :part AND first_turn = :first_turn AND turn_count = :turn_count
    AND created_at = :created_at AND turns = :turns
);

-- name: count_parts
-- How many parts a source has.
SELECT count(*) FROM source_parts WHERE source_id = :source_id;

-- name: trust_sources
-- Set how far a source is trusted.
UPDATE sources SET trust = :trust WHERE id = :id;

-- name: trust_evidence
-- Set how far a piece of evidence is trusted.
UPDATE evidence SET trust = :trust WHERE id = :id;

-- name: withdraw_links
-- Delete the links of a record that was just inserted.
DELETE FROM memory_links WHERE from_id = :memory_id OR to_id = :memory_id;

-- name: withdraw_entities
-- Delete the entities of a record that was just inserted.
DELETE FROM memory_entities WHERE memory_id = :memory_id;

-- name: withdraw_evidence
-- Delete the evidence of a record that was just inserted.
DELETE FROM evidence WHERE memory_id = :memory_id;

-- name: withdraw_record
-- Delete the record itself.
DELETE FROM memories WHERE id = :memory_id;

-- name: numbered
-- The index numbers of the records in a JSON array of ids.
SELECT n, id FROM memories WHERE id IN (SELECT value FROM json_each(:ids));

-- name: read_outcomes
-- All votes, in the order of an export.
SELECT id, memory_id, retrieval_id, verdict, reason, actor, created_at FROM outcomes ORDER BY id;

-- name: get_outcomes
-- One of them, as this store has it.
SELECT id, memory_id, retrieval_id, verdict, reason, actor, created_at FROM outcomes WHERE id = :id;

-- name: insert_outcomes
-- Insert one exactly as it was.
INSERT INTO outcomes (id, memory_id, retrieval_id, verdict, reason, actor, created_at)
VALUES (:id, :memory_id, :retrieval_id, :verdict, :reason, :actor, :created_at);

-- name: read_proposals
-- All proposals, in the order of an export.
SELECT id, kind, about, data, reason, state, actor, created_at, decided_at FROM proposals ORDER BY id;

-- name: get_proposals
-- One of them, as this store has it.
SELECT id, kind, about, data, reason, state, actor, created_at, decided_at FROM proposals WHERE id = :id;

-- name: insert_proposals
-- Insert one exactly as it was.
INSERT INTO proposals (id, kind, about, data, reason, state, actor, created_at, decided_at)
VALUES (:id, :kind, :about, :data, :reason, :state, :actor, :created_at, :decided_at);

-- name: read_muted_rules
-- All muted rules, in the order of an export.
SELECT rule, reason, actor, created_at FROM muted_rules ORDER BY rule;

-- name: get_muted_rules
-- One of them, as this store has it.
SELECT rule, reason, actor, created_at FROM muted_rules WHERE rule = :rule;

-- name: insert_muted_rules
-- Insert one exactly as it was.
INSERT INTO muted_rules (rule, reason, actor, created_at) VALUES (:rule, :reason, :actor, :created_at);
