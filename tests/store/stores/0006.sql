-- A store as schema 6 left it, as text; `-- version` is the schema it stands at.
-- version 6
PRAGMA application_id = 1835363683;
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
CREATE TABLE "memory_entities" (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  entity_id TEXT NOT NULL REFERENCES entities (id),
  name TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (memory_id, entity_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE citations (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  kind TEXT NOT NULL CHECK (kind IN ('path', 'command')),
  value TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('here', 'missing', 'unknown')),
  checked_at TEXT NOT NULL, checksum INTEGER,
  PRIMARY KEY (memory_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE outcomes (
  id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL REFERENCES memories (id),
  retrieval_id TEXT,
  verdict TEXT NOT NULL CHECK (verdict IN ('good', 'bad')),
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL
, checksum INTEGER) STRICT;
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
INSERT INTO meta (key, value, checksum) VALUES ('analysis', '2', 126483686);
INSERT INTO meta (key, value, checksum) VALUES ('checksums_complete', '1', 3112746258);
INSERT INTO meta (key, value, checksum) VALUES ('history_covers', '3', 1016237598);
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at, checksum) VALUES ('01M8M6K9ZXE8SYRVFZ5RXB3RPT', 'Orrery', '/src/orrery', '01M8M6K9ZXC1TWRE6SS5F365YT', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 1200399471);
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at, checksum) VALUES ('01M8M6K9ZXC1TWRE6SS5F365YT', 'Orrery II', '/src/orrery2', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3435553915);
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at, checksum) VALUES ('01M8M6K9ZZPB5W453EAE4JR9MP', 'Sundial', NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3911005275);
INSERT INTO project_aliases (kind, value, project_id, created_at, checksum) VALUES ('remote', 'example.org/orrery', '01M8M6K9ZXC1TWRE6SS5F365YT', '2026-03-01T10:00:00.000Z', 2573329114);
INSERT INTO project_links (from_project, to_project, reason, created_at, checksum) VALUES ('01M8M6K9ZXC1TWRE6SS5F365YT', '01M8M6K9ZZPB5W453EAE4JR9MP', 'same author', '2026-03-01T10:00:00.000Z', 1409918372);
INSERT INTO repos (id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at, checksum) VALUES ('01M8M6KA00DQQHFAYCHH8D44R2', '01M8M6K9ZXC1TWRE6SS5F365YT', 'orrery', '/src/orrery2', '/src/orrery2/.git', NULL, 'ab12', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 741474653);
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at, checksum) VALUES ('01M8M6KA00KRZ9PM1GJ3AB5BBK', 'conversation', 'plain', 'testpilot', 'session-1', NULL, NULL, NULL, NULL, NULL, NULL, '01M8M6K9ZXC1TWRE6SS5F365YT', '01M8M6KA00DQQHFAYCHH8D44R2', 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', x'789c2b4a2c5748aa2c492d56f8cf00001e8f04b1', 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 2395500202);
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at, checksum) VALUES ('01M8M6KA02RCK90PAVRV6E28D3', 'conversation', 'plain', 'testpilot', 'session-2', NULL, '01M8M6KA00KRZ9PM1GJ3AB5BBK', NULL, NULL, NULL, NULL, NULL, NULL, 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', NULL, 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 2747766346);
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at, checksum) VALUES ('01M8M6KA00KRZ9PM1GJ3AB5BBK', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z', 485806808);
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at, checksum) VALUES ('01M8M6KA02RCK90PAVRV6E28D3', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z', 3769005889);
INSERT INTO ingestion_events (id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor, processor_version, outcome, error, created_at, updated_at, checksum) VALUES ('01M8M6KA02DFV3RZA2JXE345AP', 'test', 'operator', '01M8M6KA00KRZ9PM1GJ3AB5BBK', NULL, 'done', 1, '2026-03-01T10:00:00.000Z', NULL, NULL, NULL, NULL, '{"proposed":2}', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3398719361);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (1, '01M8M6KA09F4SY9NZYMH09FTPQ', 'project', 'fact', 'project', 'active', NULL, '01M8M6K9ZXC1TWRE6SS5F365YT', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', NULL, NULL, '[]', 0.8, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3, 0.0, 0, 0, NULL, NULL, '903fdd97dcd3bda953a6ed2ed59193f2649836a03a09ff043e5ee37ce665615e', NULL, NULL, 'de198759ba37cfb7ef4669b0ea9bad22e816a3784f41c0520a33b8949ddd97df', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, NULL, 0, 1, 0, NULL);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (2, '01M8M6KA09JEC20GZBTSR4M6J4', 'project', 'fact', 'project', 'inbox', NULL, '01M8M6K9ZXC1TWRE6SS5F365YT', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', NULL, NULL, '["zinc","tin"]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, 'f7d95a4a1beebf637cc9a5671a7993f184f31218512b3e50d0ef25d3fff134d0', NULL, NULL, '60a363884d747d4d27f141cb7e7ed5582ebd9fe7d99d0837a403be390d3d8a67', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, NULL, 0, 0, 0, NULL);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (3, '01M8M6KA09BW17SYYFYYP11619', 'profile', 'fact', 'global', 'active', NULL, NULL, NULL, NULL, NULL, 'operator', 'manual', 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', NULL, NULL, '[]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 1, 1, NULL, NULL, 'b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2', NULL, NULL, '13e8b221b605012bc11287fa41f8a28d6813740c21d33e8050b2ae86ad924dac', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, NULL, 0, 0, 0, NULL);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (4, '01M8M6KA09ZY9WKVQJMDNTW4B1', 'project', 'fact', 'global', 'archived', 'rejected', NULL, NULL, NULL, NULL, 'shared', 'manual', 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', NULL, 'seen in a dream', '[]', 0.75, 2, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, '29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', NULL, NULL, 'cbb13a87a6822b4de98583b5e1c8e244b31b6f475a65488cc7e6a6c058a1d2d8', '2026-03-01T10:00:00.000Z', '2026-11-29T17:45:42.713Z', NULL, NULL, 0, 0, 0, NULL);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8M6KA0WS9DX4TBYEG8GZPG8', '01M8M6KA09F4SY9NZYMH09FTPQ', NULL, NULL, NULL, NULL, 'Gears are cut from brass — never steel', '4b433871ba29351ba13a2a2310f56c3ad4ac727e2be3282d0f7386b4c998684d', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 226340144);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8M6KA11Q75PFBHR39P0N4MR', '01M8M6KA09JEC20GZBTSR4M6J4', NULL, NULL, NULL, NULL, 'Gears are cut from steel', '0b6ed900bc4b891164069e3d384653b9813442030552b24afdcc0cad12f885d9', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 4294096019);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8M6KA12NQY05HSD5S6Q6K65', '01M8M6KA09BW17SYYFYYP11619', NULL, NULL, NULL, NULL, 'I prefer metric screws', 'd029d8049dabfc4c3247a38e97ee0eb67b084998aba646310a395342f0834f85', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 2374636390);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8M6KA12ZQKYMNE4XJNK7Q2Z', '01M8M6KA09ZY9WKVQJMDNTW4B1', NULL, NULL, NULL, NULL, 'The sundial runs on batteries', '1b999a3dcb051d466132dc2087738ef0c327bd52288bf6a0a928eb55b5b6b896', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 650112974);
INSERT INTO memory_links (id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at, checksum) VALUES ('01M8M6KA197B6HKWM5941H133Z', '01M8M6KA09F4SY9NZYMH09FTPQ', 'contradicts', '01M8M6KA09JEC20GZBTSR4M6J4', 'brass or steel', 1.0, 'operator', NULL, '2026-03-01T10:00:00.000Z', 2840885088);
INSERT INTO entities (id, kind, name, created_at, merged_into, checksum) VALUES ('01M8M6KA1BKADR5KPJF973E5H6', 'concept', 'Brass', '2026-03-01T10:00:00.000Z', NULL, 2748128962);
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at, checksum) VALUES ('messing', '01M8M6KA1BKADR5KPJF973E5H6', NULL, '2026-03-01T10:00:00.000Z', 590723807);
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (1, '01M8M6KA09F4SY9NZYMH09FTPQ', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"confirmed_at":null,"content":"Gears are cut from brass — never steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"903fdd97dcd3bda953a6ed2ed59193f2649836a03a09ff043e5ee37ce665615e","id":"01M8M6KA09F4SY9NZYMH09FTPQ","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","origin":null,"owner":"shared","project_id":"01M8M6K9ZXC1TWRE6SS5F365YT","protected":false,"rationale":null,"repo_id":null,"rule":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"Gears are cut from brass — never steel","title":"Gears are cut from b","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '84082cfa20d81ae3ebb04047ef04dcd3602e09e52698b04a51071c78d8ea5553', 'record', NULL, '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (2, '01M8M6KA09F4SY9NZYMH09FTPQ', 'evidence', NULL, '{"ids":["01M8M6KA0WS9DX4TBYEG8GZPG8"]}', 'operator', 'test', '2026-11-29T17:45:42.689Z', 'a3e1b4f3d50d4d5d2af7ca451cda2ea126a0c1a06c64a9e7c7a94cfcf02b683b', 'evidence', '01M8M6KA09F4SY9NZYMH09FTPQ', '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (3, '01M8M6KA09JEC20GZBTSR4M6J4', 'created', NULL, '{"agent_id":null,"alternatives":["zinc","tin"],"always_load":false,"confidence":0.75,"confirmed_at":null,"content":"Gears are cut from steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"f7d95a4a1beebf637cc9a5671a7993f184f31218512b3e50d0ef25d3fff134d0","id":"01M8M6KA09JEC20GZBTSR4M6J4","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","origin":null,"owner":"shared","project_id":"01M8M6K9ZXC1TWRE6SS5F365YT","protected":false,"rationale":null,"repo_id":null,"rule":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"inbox","status_reason":null,"subject":null,"summary":"Gears are cut from steel","title":"Gears are cut from s","trust":5,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '459be984a633f6b7feb9a8fa1588652b4074a7a72b29d07e3677776c0eae7865', 'record', NULL, '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (4, '01M8M6KA09JEC20GZBTSR4M6J4', 'evidence', NULL, '{"ids":["01M8M6KA11Q75PFBHR39P0N4MR"]}', 'operator', 'test', '2026-11-29T17:45:42.689Z', '1bec8f035be5187c53694ef0076931e8d6abce355b94a36a659d0b62a7bf4904', 'evidence', '01M8M6KA09JEC20GZBTSR4M6J4', '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (5, '01M8M6KA09BW17SYYFYYP11619', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":true,"confidence":0.75,"confirmed_at":null,"content":"I prefer metric screws","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2","id":"01M8M6KA09BW17SYYFYYP11619","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","origin":null,"owner":"operator","project_id":null,"protected":true,"rationale":null,"repo_id":null,"rule":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"I prefer metric screws","title":"I prefer metric scre","trust":5,"type":"profile","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '10d060a18934e13b0069004435a0bfe04509a6aae93461836e099480678417f3', 'record', NULL, '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (6, '01M8M6KA09BW17SYYFYYP11619', 'evidence', NULL, '{"ids":["01M8M6KA12NQY05HSD5S6Q6K65"]}', 'operator', 'test', '2026-11-29T17:45:42.690Z', 'b71aece06bbc524e5fcbf333b56027e62b4d6bf30b031c1aba76beccb88b0cd0', 'evidence', '01M8M6KA09BW17SYYFYYP11619', '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (7, '01M8M6KA09ZY9WKVQJMDNTW4B1', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"confirmed_at":null,"content":"The sundial runs on batteries","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02","id":"01M8M6KA09ZY9WKVQJMDNTW4B1","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","origin":null,"owner":"shared","project_id":null,"protected":false,"rationale":"seen in a dream","repo_id":null,"rule":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"The sundial runs on batteries","title":"The sundial runs on ","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '0ba55ee55404909c1ccc4086db616c1b1ddb64d5a88ac6197ec82cbaf6a8c143', 'record', NULL, '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (8, '01M8M6KA09ZY9WKVQJMDNTW4B1', 'evidence', NULL, '{"ids":["01M8M6KA12ZQKYMNE4XJNK7Q2Z"]}', 'operator', 'test', '2026-11-29T17:45:42.690Z', '6171f21c21049c4683cbb7111bacc69fc00e25f1f1b299e5d7e3c157337b5d33', 'evidence', '01M8M6KA09ZY9WKVQJMDNTW4B1', '01M8M6KA0W85H1D3FVCK0R1YAT');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (9, '01M8M6KA09F4SY9NZYMH09FTPQ', 'linked', NULL, '{"actor":"operator","confidence":1.0,"created_at":"2026-03-01T10:00:00.000Z","from_id":"01M8M6KA09F4SY9NZYMH09FTPQ","id":"01M8M6KA197B6HKWM5941H133Z","reason":"brass or steel","relation":"contradicts","resolved_at":null,"to_id":"01M8M6KA09JEC20GZBTSR4M6J4"}', 'memctl', '', '2026-11-29T17:45:42.697Z', '0e10c9edc967acbca8e5a381e8603d56b2f502486494353eeb3b7612bd183e50', 'link', '01M8M6KA197B6HKWM5941H133Z', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (10, '01M8M6KA1BKADR5KPJF973E5H6', 'named', NULL, '{"created_at":"2026-03-01T10:00:00.000Z","id":"01M8M6KA1BKADR5KPJF973E5H6","kind":"concept","merged_into":null,"name":"Brass"}', 'memctl', '', '2026-11-29T17:45:42.700Z', 'f9959dc6b9c16ff0e8d7b0459aaf496852ed291e8cf21468512eb84ce0bf8126', 'entity', '01M8M6KA1BKADR5KPJF973E5H6', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (11, '01M8M6KA09F4SY9NZYMH09FTPQ', 'mentions', NULL, '{"mentions":[["01M8M6KA1BKADR5KPJF973E5H6","Brass"]]}', 'memctl', '', '2026-11-29T17:45:42.701Z', 'd148751d3badb6358c7c859514d095ba1f332c76f8bd65984f4d916738fac42a', 'mention', '01M8M6KA09F4SY9NZYMH09FTPQ', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (12, '01M8M6KA1BKADR5KPJF973E5H6', 'also known', NULL, '{"alias":"messing","created_at":"2026-03-01T10:00:00.000Z","entity_id":"01M8M6KA1BKADR5KPJF973E5H6","source_ref":null}', 'memctl', '', '2026-11-29T17:45:42.702Z', 'ef853052b9f37e384b2720b32a94eb76380f4439596e1af0b4a4c4bec1ccc7a7', 'alias', 'messing|01M8M6KA1BKADR5KPJF973E5H6', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (13, '01M8M6KA09F4SY9NZYMH09FTPQ', 'furnished', NULL, '{"actor":"operator","created_at":"2026-03-01T10:00:00.000Z","id":"01M8M6KA1F2HTVYAJV5F4PYQSW","memory_id":"01M8M6KA09F4SY9NZYMH09FTPQ","reason":"it held","retrieval_id":null,"verdict":"good"}', 'memctl', '', '2026-11-29T17:45:42.703Z', 'db89da0a955060b938fca64309441fe0b233328e92d70989cd19beec3f2c6dcf', 'outcome', '01M8M6KA1F2HTVYAJV5F4PYQSW', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (14, '01M8M6KA09F4SY9NZYMH09FTPQ', 'furnished', NULL, '{"about":"01M8M6KA09F4SY9NZYMH09FTPQ","actor":"operator","created_at":"2026-03-01T10:00:00.000Z","data":"{}","decided_at":null,"id":"01M8M6KA1F2HTVYAJV5F4PYQSW","kind":"archive","reason":"it held","state":"open"}', 'memctl', '', '2026-11-29T17:45:42.704Z', '7beb7dcddfbfa9513a427b12cbd682f640c66f4f5d143a82ee4baf58294392db', 'proposal', '01M8M6KA1F2HTVYAJV5F4PYQSW', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (15, 'RULES', 'furnished', NULL, '{"actor":"operator","created_at":"2026-03-01T10:00:00.000Z","reason":"it held","rule":"said"}', 'memctl', '', '2026-11-29T17:45:42.704Z', '446959c36141e40e36a3bbfb494ef0bc7f5c67dba689c9098e9ee00ec8637d21', 'mute', 'said', '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (16, '01M8M6KA09F4SY9NZYMH09FTPQ', 'edited', '{"confidence":0.75}', '{"confidence":0.8}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'a96fd6b97f5804bbe9d41bc5303a896be780ee093dbaa93f7dce4cfaeff878b9', 'record', NULL, '01M8M6KA19GTK4JXV2RVJABXX9');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (17, '01M8M6KA09ZY9WKVQJMDNTW4B1', 'rejected', NULL, '{"actor":"operator","created_at":"2026-11-29T17:45:42.713Z","fingerprint":"29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02","memory_id":"01M8M6KA09ZY9WKVQJMDNTW4B1","quote_hash":"76899e4a06b99381237c06ae0199a7a518e91de02d3afa633cb8e7635fcd6f8c","reason":"wrong","verdict":"rejected"}', 'memctl', '', '2026-11-29T17:45:42.713Z', '85b8da15cfcf5643053594ac3ad09c3e9f734a71ec4f4343a9004c50b52e4371', 'tombstone', '29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02|01M8M6KA09ZY9WKVQJMDNTW4B1', '01M8M6KA1SEK07J53CC28FHQ0A');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (18, '01M8M6KA09ZY9WKVQJMDNTW4B1', 'rejected', '{"status":"active","status_reason":null,"updated_at":"2026-03-01T10:00:00.000Z"}', '{"status":"archived","status_reason":"rejected","updated_at":"2026-11-29T17:45:42.713Z"}', 'operator', 'rejected', '2026-11-29T17:45:42.713Z', '526d649d2e646263707fa70a6d42d8423729bd23c8fc02931bd9b0baea0550ec', 'record', NULL, '01M8M6KA1SEK07J53CC28FHQ0A');
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at, checksum) VALUES ('29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', 'rejected', '76899e4a06b99381237c06ae0199a7a518e91de02d3afa633cb8e7635fcd6f8c', '01M8M6KA09ZY9WKVQJMDNTW4B1', 'wrong', 'operator', '2026-11-29T17:45:42.713Z', 4233198744);
INSERT INTO saved_views (name, kind, definition, created_at, updated_at, checksum) VALUES ('gears', 'search', '{"text":"gears"}', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 4090888954);
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (1, 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', 'fact 2026-03-01 Brass messing', 'p30314d384d364b395a58433154575245365353354633363559540');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (2, 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', 'fact 2026-03-01 zinc tin', 'p30314d384d364b395a58433154575245365353354633363559540');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (3, 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', 'fact 2026-03-01', 'g0');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (4, 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', 'fact 2026-03-01 seen in a dream', 'g0');
INSERT INTO memory_entities (memory_id, entity_id, name, checksum) VALUES ('01M8M6KA09F4SY9NZYMH09FTPQ', '01M8M6KA1BKADR5KPJF973E5H6', 'Brass', 1074785439);
INSERT INTO outcomes (id, memory_id, retrieval_id, verdict, reason, actor, created_at, checksum) VALUES ('01M8M6KA1F2HTVYAJV5F4PYQSW', '01M8M6KA09F4SY9NZYMH09FTPQ', NULL, 'good', 'it held', 'operator', '2026-03-01T10:00:00.000Z', 1488310475);
INSERT INTO muted_rules (rule, reason, actor, created_at, checksum) VALUES ('said', 'it held', 'operator', '2026-03-01T10:00:00.000Z', 2886825692);
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at, checksum) VALUES ('01M8M6KA09BW17SYYFYYP11619', '01M8M6KA09BW17SYYFYYP11619', 0.0, '2026-11-29T17:45:42.690Z', 339938419);
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at, checksum) VALUES ('01M8M6KA09F4SY9NZYMH09FTPQ', '01M8M6KA09F4SY9NZYMH09FTPQ', 0.0, '2026-11-29T17:45:42.697Z', 1353505792);
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at, checksum) VALUES ('01M8M6KA09JEC20GZBTSR4M6J4', '01M8M6KA09JEC20GZBTSR4M6J4', 0.0, '2026-11-29T17:45:42.697Z', 4169418901);
INSERT INTO proposals (id, kind, about, data, reason, state, actor, created_at, decided_at, checksum) VALUES ('01M8M6KA1F2HTVYAJV5F4PYQSW', 'archive', '01M8M6KA09F4SY9NZYMH09FTPQ', '{}', 'it held', 'open', 'operator', '2026-03-01T10:00:00.000Z', NULL, 3231609427);
CREATE INDEX project_aliases_project ON project_aliases (project_id);
CREATE INDEX repos_project ON repos (project_id);
CREATE UNIQUE INDEX repos_common_dir ON repos (git_common_dir) WHERE git_common_dir IS NOT NULL;
CREATE INDEX sources_session ON sources (agent, session_id);
CREATE INDEX sources_hash ON sources (content_hash);
CREATE INDEX ingestion_events_due ON ingestion_events (not_before) WHERE state IN ('queued', 'failed', 'leased');
CREATE INDEX ingestion_events_source ON ingestion_events (source_id);
CREATE INDEX memories_place ON memories (status, project_id, type);
CREATE INDEX memories_fingerprint ON memories (fingerprint);
CREATE INDEX memories_subject ON memories (subject) WHERE subject IS NOT NULL;
CREATE INDEX memories_source ON memories (source_ref) WHERE source_ref IS NOT NULL;
CREATE INDEX memories_always ON memories (status) WHERE always_load = 1;
CREATE INDEX memories_newest ON memories (project_id, type, observed_at) WHERE status IN ('active', 'contradicted');
CREATE INDEX memories_newest_kind ON memories (project_id, kind, observed_at) WHERE status IN ('active', 'contradicted');
CREATE INDEX memories_expiry ON memories (valid_until) WHERE valid_until IS NOT NULL;
CREATE INDEX evidence_memory ON evidence (memory_id);
CREATE INDEX evidence_quote ON evidence (quote_hash);
CREATE INDEX evidence_source ON evidence (source_id);
CREATE INDEX memory_links_to ON memory_links (to_id);
CREATE INDEX memory_events_memory ON memory_events (memory_id);
CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;
CREATE TRIGGER memory_events_no_delete BEFORE DELETE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;
CREATE INDEX tombstones_quote ON tombstones (quote_hash) WHERE quote_hash IS NOT NULL;
CREATE INDEX tombstones_memory ON tombstones (memory_id);
CREATE INDEX retrieval_logs_at ON retrieval_logs (at);
CREATE INDEX embeddings_memory ON embeddings (memory_n);
CREATE INDEX embeddings_unindexed ON embeddings (model_id, memory_n) WHERE indexed = 0;
CREATE INDEX retrieval_logs_session ON retrieval_logs (session_id, at) WHERE session_id IS NOT NULL;
CREATE INDEX memories_rule ON memories (rule) WHERE rule IS NOT NULL;
CREATE INDEX memory_events_operation ON memory_events (operation) WHERE operation IS NOT NULL;
CREATE INDEX memory_events_at ON memory_events (at);
CREATE INDEX entities_called ON entities (name COLLATE NOCASE);
CREATE INDEX memory_entities_entity ON memory_entities (entity_id);
CREATE INDEX citations_missing ON citations (memory_id) WHERE state = 'missing';
CREATE INDEX outcomes_memory ON outcomes (memory_id);
CREATE INDEX maintenance_steps_step ON maintenance_steps (step, started_at);
CREATE INDEX model_calls_input ON model_calls (purpose, model, prompt_version, input_hash);
CREATE INDEX model_calls_at ON model_calls (at);
CREATE INDEX newer_marks_newer ON newer_marks (newer_id);
CREATE INDEX proposals_about ON proposals (kind, about);
CREATE INDEX proposals_open ON proposals (created_at) WHERE state = 'open';
CREATE INDEX vault_notes_memory ON vault_notes (memory_id);
CREATE INDEX memory_documents_place ON memory_documents (place, state);
PRAGMA user_version = 6;
