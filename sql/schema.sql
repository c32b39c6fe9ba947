-- Generated from sql/migrations by scripts/schema: what a store looks like now. Do not edit.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
, checksum INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  root_path TEXT,
  adopted_into TEXT REFERENCES projects (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, checksum INTEGER) STRICT;

CREATE TABLE project_aliases (
  kind TEXT NOT NULL CHECK (kind IN ('path', 'git_common_dir', 'remote', 'root_commit', 'marker', 'name')),
  value TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  created_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (kind, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_aliases_project ON project_aliases (project_id);

CREATE TABLE project_links (
  from_project TEXT NOT NULL REFERENCES projects (id),
  to_project TEXT NOT NULL REFERENCES projects (id),
  reason TEXT,
  created_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (from_project, to_project)
) STRICT, WITHOUT ROWID;

CREATE TABLE repos (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  root_path TEXT,
  git_common_dir TEXT,
  remote_url TEXT,
  root_commit TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, checksum INTEGER) STRICT;

CREATE INDEX repos_project ON repos (project_id);

CREATE UNIQUE INDEX repos_common_dir ON repos (git_common_dir) WHERE git_common_dir IS NOT NULL;

CREATE TABLE sources (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('manual', 'conversation', 'run', 'document', 'import')),
  format TEXT NOT NULL,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  parent_session_id TEXT,
  previous_id TEXT REFERENCES sources (id),
  path TEXT,
  title TEXT,
  cwd TEXT,
  git_branch TEXT,
  project_id TEXT REFERENCES projects (id),
  repo_id TEXT REFERENCES repos (id),
  is_chat INTEGER NOT NULL DEFAULT 0 CHECK (is_chat IN (0, 1)),
  size_bytes INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  turn_count INTEGER NOT NULL,
  turns_hash TEXT NOT NULL,
  unknown TEXT NOT NULL DEFAULT '{}',
  raw BLOB,
  trust INTEGER NOT NULL CHECK (trust BETWEEN 1 AND 5),
  started_at TEXT,
  ended_at TEXT,
  observed_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, checksum INTEGER) STRICT;

CREATE INDEX sources_session ON sources (agent, session_id);

CREATE INDEX sources_hash ON sources (content_hash);

CREATE TABLE source_parts (
  source_id TEXT NOT NULL REFERENCES sources (id),
  part INTEGER NOT NULL,
  first_turn INTEGER NOT NULL,
  turn_count INTEGER NOT NULL,
  turns BLOB NOT NULL,
  created_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (source_id, part)
) STRICT;

CREATE TABLE ingestion_events (
  id TEXT PRIMARY KEY,
  trigger TEXT NOT NULL,
  actor TEXT NOT NULL,
  source_id TEXT REFERENCES sources (id),
  requested_scope TEXT,
  state TEXT NOT NULL CHECK (state IN ('queued', 'leased', 'done', 'failed', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT NOT NULL,
  lease_owner TEXT,
  lease_until TEXT,
  processor TEXT,
  processor_version TEXT,
  outcome TEXT NOT NULL DEFAULT '{}',
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, checksum INTEGER) STRICT;

CREATE INDEX ingestion_events_due ON ingestion_events (not_before) WHERE state IN ('queued', 'failed', 'leased');

CREATE INDEX ingestion_events_source ON ingestion_events (source_id);

CREATE TABLE memories (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('profile', 'project', 'decision', 'artifact', 'episode', 'task_hint')),
  kind TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('global', 'project', 'repo', 'agent', 'session')),
  status TEXT NOT NULL CHECK (status IN ('inbox', 'active', 'superseded', 'contradicted', 'archived')),
  status_reason TEXT,
  project_id TEXT REFERENCES projects (id),
  repo_id TEXT REFERENCES repos (id),
  agent_id TEXT,
  session_id TEXT,
  owner TEXT NOT NULL CHECK (owner IN ('operator', 'shared', 'agent')),
  source_kind TEXT NOT NULL CHECK (source_kind IN ('manual', 'conversation', 'run', 'document', 'import')),
  title TEXT NOT NULL,
  content TEXT NOT NULL CHECK (length(content) > 0),
  summary TEXT NOT NULL,
  subject TEXT,
  rationale TEXT,
  alternatives TEXT NOT NULL DEFAULT '[]',
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  trust INTEGER NOT NULL CHECK (trust BETWEEN 1 AND 5),
  observed_at TEXT NOT NULL,
  last_accessed_at TEXT,
  access_count INTEGER NOT NULL DEFAULT 0,
  decay_rate REAL NOT NULL DEFAULT 0 CHECK (decay_rate >= 0),
  protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  always_load INTEGER NOT NULL DEFAULT 0 CHECK (always_load IN (0, 1)),
  valid_from TEXT,
  valid_until TEXT,
  fingerprint TEXT NOT NULL,
  source_ref TEXT,
  evidence_ref TEXT,
  row_hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, rule TEXT, confirmed_at TEXT, never_load INTEGER NOT NULL DEFAULT 0 CHECK (never_load IN (0, 1)), good INTEGER NOT NULL DEFAULT 0, bad INTEGER NOT NULL DEFAULT 0, origin TEXT,
  CHECK (scope NOT IN ('project', 'repo') OR project_id IS NOT NULL),
  CHECK (scope <> 'agent' OR agent_id IS NOT NULL),
  CHECK (scope <> 'session' OR session_id IS NOT NULL)
) STRICT;

CREATE INDEX memories_place ON memories (status, project_id, type);

CREATE INDEX memories_fingerprint ON memories (fingerprint);

CREATE INDEX memories_subject ON memories (subject) WHERE subject IS NOT NULL;

CREATE INDEX memories_source ON memories (source_ref) WHERE source_ref IS NOT NULL;

CREATE INDEX memories_always ON memories (status) WHERE always_load = 1;

CREATE INDEX memories_newest ON memories (project_id, type, observed_at) WHERE status IN ('active', 'contradicted');

CREATE INDEX memories_newest_kind ON memories (project_id, kind, observed_at) WHERE status IN ('active', 'contradicted');

CREATE INDEX memories_expiry ON memories (valid_until) WHERE valid_until IS NOT NULL;

CREATE TABLE evidence (
  id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL REFERENCES memories (id),
  source_id TEXT REFERENCES sources (id),
  turn INTEGER,
  span_start INTEGER,
  span_end INTEGER,
  quote TEXT NOT NULL,
  quote_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  speaker TEXT,
  trust INTEGER NOT NULL CHECK (trust BETWEEN 1 AND 5),
  observed_at TEXT NOT NULL,
  created_at TEXT NOT NULL
, withdrawn_at TEXT, checksum INTEGER) STRICT;

CREATE INDEX evidence_memory ON evidence (memory_id);

CREATE INDEX evidence_quote ON evidence (quote_hash);

CREATE INDEX evidence_source ON evidence (source_id);

CREATE TABLE memory_links (
  id TEXT PRIMARY KEY,
  from_id TEXT NOT NULL REFERENCES memories (id),
  relation TEXT NOT NULL CHECK (relation IN ('supports', 'contradicts', 'supersedes', 'applies_to', 'derived_from', 'related_to')),
  to_id TEXT NOT NULL REFERENCES memories (id),
  reason TEXT,
  confidence REAL NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  actor TEXT NOT NULL,
  resolved_at TEXT,
  created_at TEXT NOT NULL, checksum INTEGER,
  UNIQUE (from_id, relation, to_id),
  CHECK (from_id <> to_id)
) STRICT;

CREATE INDEX memory_links_to ON memory_links (to_id);

CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'project', 'org', 'concept', 'tool')),
  name TEXT NOT NULL,
  created_at TEXT NOT NULL, merged_into TEXT REFERENCES entities (id), checksum INTEGER,
  UNIQUE (kind, name)
) STRICT;

CREATE TABLE entity_aliases (
  alias TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entities (id),
  source_ref TEXT,
  created_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (alias, entity_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_id TEXT NOT NULL,
  verb TEXT NOT NULL,
  before TEXT,
  after TEXT,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  at TEXT NOT NULL,
  chain TEXT NOT NULL
, topic TEXT NOT NULL DEFAULT 'record'
  CHECK (topic IN ('record', 'link', 'evidence', 'entity', 'alias', 'mention', 'tombstone', 'outcome', 'proposal', 'mute')), item TEXT, operation TEXT) STRICT;

CREATE INDEX memory_events_memory ON memory_events (memory_id);

CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;

CREATE TRIGGER memory_events_no_delete BEFORE DELETE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;

CREATE TABLE tombstones (
  fingerprint TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('rejected', 'forgotten', 'purged')),
  quote_hash TEXT,
  memory_id TEXT NOT NULL,
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (fingerprint, memory_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstones_quote ON tombstones (quote_hash) WHERE quote_hash IS NOT NULL;

CREATE INDEX tombstones_memory ON tombstones (memory_id);

CREATE TABLE retrieval_logs (
  id TEXT PRIMARY KEY,
  command TEXT NOT NULL,
  query TEXT NOT NULL,
  filters TEXT NOT NULL,
  candidates TEXT NOT NULL,
  returned TEXT NOT NULL,
  actor TEXT NOT NULL,
  flags TEXT NOT NULL DEFAULT '[]',
  duration_ms REAL NOT NULL,
  at TEXT NOT NULL
, session_id TEXT, checksum INTEGER) STRICT;

CREATE INDEX retrieval_logs_at ON retrieval_logs (at);

CREATE TABLE saved_views (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('search', 'context')),
  definition TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, checksum INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  fingerprint TEXT NOT NULL,
  created_at TEXT NOT NULL, checksum INTEGER,
  UNIQUE (name, dimensions, fingerprint)
) STRICT;

CREATE VIRTUAL TABLE memories_fts USING fts5 (
  title, summary, content, extra, place,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE embeddings (
  model_id INTEGER NOT NULL REFERENCES embedding_models (id),
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  indexed INTEGER NOT NULL DEFAULT 0 CHECK (indexed IN (0, 1)), checksum INTEGER,
  PRIMARY KEY (model_id, memory_n)
) STRICT, WITHOUT ROWID;

CREATE INDEX embeddings_memory ON embeddings (memory_n);

CREATE INDEX embeddings_unindexed ON embeddings (model_id, memory_n) WHERE indexed = 0;

CREATE INDEX retrieval_logs_session ON retrieval_logs (session_id, at) WHERE session_id IS NOT NULL;

CREATE INDEX memories_rule ON memories (rule) WHERE rule IS NOT NULL;

CREATE INDEX memory_events_operation ON memory_events (operation) WHERE operation IS NOT NULL;

CREATE INDEX memory_events_at ON memory_events (at);

CREATE INDEX entities_called ON entities (name COLLATE NOCASE);

CREATE TABLE "memory_entities" (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  entity_id TEXT NOT NULL REFERENCES entities (id),
  name TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (memory_id, entity_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_entities_entity ON memory_entities (entity_id);

CREATE TABLE citations (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  kind TEXT NOT NULL CHECK (kind IN ('path', 'command')),
  value TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('here', 'missing', 'unknown')),
  checked_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (memory_id, kind, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX citations_missing ON citations (memory_id) WHERE state = 'missing';

CREATE TABLE outcomes (
  id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL REFERENCES memories (id),
  retrieval_id TEXT,
  verdict TEXT NOT NULL CHECK (verdict IN ('good', 'bad')),
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL
, checksum INTEGER) STRICT;

CREATE INDEX outcomes_memory ON outcomes (memory_id);

CREATE TABLE muted_rules (
  rule TEXT PRIMARY KEY,
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL
, checksum INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE maintenance_steps (
  run_id TEXT NOT NULL,
  step TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'unfinished', 'skipped')),
  position TEXT,
  outcome TEXT NOT NULL DEFAULT '{}',
  error TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT, checksum INTEGER,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX maintenance_steps_step ON maintenance_steps (step, started_at);

CREATE TABLE model_calls (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL,
  model TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  about TEXT,
  state TEXT NOT NULL CHECK (state IN ('done', 'failed')),
  output TEXT,
  tokens_in INTEGER,
  tokens_out INTEGER,
  cost REAL,
  duration_ms REAL NOT NULL,
  error TEXT,
  at TEXT NOT NULL
, checksum INTEGER) STRICT;

CREATE INDEX model_calls_input ON model_calls (purpose, model, prompt_version, input_hash);

CREATE INDEX model_calls_at ON model_calls (at);

CREATE TABLE unfinished_operations (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('import', 'ingest', 'revert', 'purge', 'adopt', 'upgrade')),
  -- What the kind needs to go on, as JSON: what was asked for, and how far it came.
  data TEXT NOT NULL DEFAULT '{}',
  actor TEXT NOT NULL,
  started_at TEXT NOT NULL,
  -- When the last chunk was committed, and by which process: one that is alive is left alone.
  touched_at TEXT NOT NULL,
  worker TEXT NOT NULL,
  -- How often it was taken over.
  claims INTEGER NOT NULL DEFAULT 0
, checksum INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE newer_marks (
  memory_id TEXT PRIMARY KEY,
  newer_id TEXT NOT NULL,
  -- How near the two are, -1 to 1.
  nearness REAL NOT NULL,
  created_at TEXT NOT NULL,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX newer_marks_newer ON newer_marks (newer_id);

CREATE TABLE "proposals" (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('archive', 'mute', 'merge_entities', 'resolve')),
  about TEXT NOT NULL,
  data TEXT NOT NULL DEFAULT '{}',
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'withdrawn')),
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  checksum INTEGER
) STRICT;

CREATE INDEX proposals_about ON proposals (kind, about);

CREATE INDEX proposals_open ON proposals (created_at) WHERE state = 'open';

CREATE TABLE vaults (
  -- Stands in a file of the folder too, so the folder may be moved.
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  created_at TEXT NOT NULL,
  synced_at TEXT,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE vault_notes (
  vault_id TEXT NOT NULL REFERENCES vaults (id),
  memory_id TEXT NOT NULL,
  base_hash TEXT NOT NULL,
  -- Of the path within the folder that memctl gave it; a note elsewhere was moved by a person.
  place_hash TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (vault_id, memory_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX vault_notes_memory ON vault_notes (memory_id);

CREATE TABLE memory_documents (
  id TEXT PRIMARY KEY,
  place TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('staged', 'current', 'past', 'rejected', 'withdrawn')),
  -- Lists of objects; `ids` of each names every record whose words it has.
  lines TEXT NOT NULL,
  diary TEXT NOT NULL,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_documents_place ON memory_documents (place, state);

CREATE TABLE turn_sources (
  n INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL UNIQUE,
  -- Turns from the first on; `turns_hash` is that of its source when they were read.
  indexed INTEGER NOT NULL,
  turns_hash TEXT NOT NULL,
  checksum INTEGER
) STRICT;

CREATE VIRTUAL TABLE turns_fts USING fts5 (
  text, content = '', detail = none,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE sync_replicas (
  id TEXT PRIMARY KEY,
  member TEXT NOT NULL,
  is_own INTEGER NOT NULL CHECK (is_own IN (0, 1)),
  -- Signed, as it stands at the place.
  card TEXT NOT NULL,
  -- The signed removal of its member, and from which numbers on its changes are refused (JSON).
  removal TEXT,
  created_at TEXT NOT NULL,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_places (
  -- A path, or an address without a password.
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('folder', 'postgres')),
  is_encrypted INTEGER NOT NULL CHECK (is_encrypted IN (0, 1)),
  tried_at TEXT,
  done_at TEXT,
  -- Why the last try did not end, since when, and what it moved (JSON).
  error TEXT,
  failing_since TEXT,
  outcome TEXT NOT NULL DEFAULT '{}',
  created_at TEXT NOT NULL,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_shares (
  project TEXT PRIMARY KEY,
  audience TEXT NOT NULL CHECK (audience IN ('group', 'own', 'never')),
  -- Types of records, JSON list or null for all; whether candidates and conversations travel too.
  types TEXT,
  with_candidates INTEGER NOT NULL DEFAULT 0 CHECK (with_candidates IN (0, 1)),
  with_turns INTEGER NOT NULL DEFAULT 0 CHECK (with_turns IN (0, 1)),
  created_at TEXT NOT NULL,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_changes (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  replica TEXT NOT NULL,
  member TEXT NOT NULL,
  subject TEXT NOT NULL,
  stamp INTEGER NOT NULL,
  parents TEXT NOT NULL,
  is_head INTEGER NOT NULL CHECK (is_head IN (0, 1)),
  -- Waiting: a parent has not come yet. Derived: follows from two others, and travels with them.
  state TEXT NOT NULL CHECK (state IN ('taken', 'waiting', 'derived', 'refused')),
  body BLOB,
  checksum INTEGER
) STRICT;

CREATE INDEX sync_changes_subject ON sync_changes (subject);

CREATE INDEX sync_changes_heads ON sync_changes (subject) WHERE is_head = 1;

CREATE INDEX sync_changes_waiting ON sync_changes (n) WHERE state = 'waiting';

CREATE INDEX sync_changes_derived ON sync_changes (replica) WHERE state = 'derived';

CREATE TABLE sync_numbers (
  stream TEXT NOT NULL,
  replica TEXT NOT NULL,
  number INTEGER NOT NULL,
  change_n INTEGER NOT NULL REFERENCES sync_changes (n),
  checksum INTEGER,
  PRIMARY KEY (stream, replica, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_numbers_change ON sync_numbers (change_n);

CREATE TABLE sync_vector (
  stream TEXT NOT NULL,
  replica TEXT NOT NULL,
  last INTEGER NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (stream, replica)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_subjects (
  subject TEXT NOT NULL,
  stream TEXT NOT NULL,
  member TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (subject, stream)
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_subjects_stream ON sync_subjects (stream);

CREATE TABLE sync_sets (
  place TEXT NOT NULL REFERENCES sync_places (name),
  stream TEXT NOT NULL,
  replica TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  digest TEXT NOT NULL,
  problem TEXT,
  seen_at TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (place, stream, replica, first, last, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_projects (
  there TEXT PRIMARY KEY,
  here TEXT NOT NULL REFERENCES projects (id),
  checksum INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_awaited (
  awaited TEXT NOT NULL,
  subject TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (awaited, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX sync_awaited_subject ON sync_awaited (subject);

CREATE TABLE sync_rewritten (
  subject TEXT PRIMARY KEY,
  checksum INTEGER
) STRICT, WITHOUT ROWID;
