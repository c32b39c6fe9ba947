-- A store as schema 5 left it, as text; `-- version` is the schema it stands at.
-- version 5
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
INSERT INTO meta (key, value, checksum) VALUES ('analysis', '2', 126483686);
INSERT INTO meta (key, value, checksum) VALUES ('checksums_complete', '1', 3112746258);
INSERT INTO meta (key, value, checksum) VALUES ('history_covers', '3', 1016237598);
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at, checksum) VALUES ('01M8J35B6554VV18H5HZ2JGQQ4', 'Orrery', '/src/orrery', '01M8J35B69TM8537BN98MJREMD', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 1935169046);
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at, checksum) VALUES ('01M8J35B69TM8537BN98MJREMD', 'Orrery II', '/src/orrery2', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 340214477);
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at, checksum) VALUES ('01M8J35B69DXKGQQS3NHWFTT7Q', 'Sundial', NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3627366359);
INSERT INTO project_aliases (kind, value, project_id, created_at, checksum) VALUES ('remote', 'example.org/orrery', '01M8J35B69TM8537BN98MJREMD', '2026-03-01T10:00:00.000Z', 2802009526);
INSERT INTO project_links (from_project, to_project, reason, created_at, checksum) VALUES ('01M8J35B69TM8537BN98MJREMD', '01M8J35B69DXKGQQS3NHWFTT7Q', 'same author', '2026-03-01T10:00:00.000Z', 1430506970);
INSERT INTO repos (id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at, checksum) VALUES ('01M8J35B69DAKQZ1YPFM89A247', '01M8J35B69TM8537BN98MJREMD', 'orrery', '/src/orrery2', '/src/orrery2/.git', NULL, 'ab12', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 366830236);
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at, checksum) VALUES ('01M8J35B69N09PKZGK5D0HMYXH', 'conversation', 'plain', 'testpilot', 'session-1', NULL, NULL, NULL, NULL, NULL, NULL, '01M8J35B69TM8537BN98MJREMD', '01M8J35B69DAKQZ1YPFM89A247', 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', x'789c2b4a2c5748aa2c492d56f8cf00001e8f04b1', 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 2421848149);
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at, checksum) VALUES ('01M8J35B6A7FJZ6N42RA4YKZ4K', 'conversation', 'plain', 'testpilot', 'session-2', NULL, '01M8J35B69N09PKZGK5D0HMYXH', NULL, NULL, NULL, NULL, NULL, NULL, 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', NULL, 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 7894490);
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at, checksum) VALUES ('01M8J35B69N09PKZGK5D0HMYXH', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z', 3049231428);
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at, checksum) VALUES ('01M8J35B6A7FJZ6N42RA4YKZ4K', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z', 1912307742);
INSERT INTO ingestion_events (id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor, processor_version, outcome, error, created_at, updated_at, checksum) VALUES ('01M8J35B6A8DC3D12PK8954VXN', 'test', 'operator', '01M8J35B69N09PKZGK5D0HMYXH', NULL, 'done', 1, '2026-03-01T10:00:00.000Z', NULL, NULL, NULL, NULL, '{"proposed":2}', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 573521394);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (1, '01M8J35B6DG8M0MRDJDDG413H7', 'project', 'fact', 'project', 'active', NULL, '01M8J35B69TM8537BN98MJREMD', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', NULL, NULL, '[]', 0.8, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3, 0.0, 0, 0, NULL, NULL, '719fe54d65eadbc387282aed8a859c48fc5004296bc23cc719ebc0f40ed970bf', NULL, NULL, '968832cbec05fdc8f3553c623171354338c0b6b8e5e84dd6cd83346041d1ed1b', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, NULL, 0, 1, 0, NULL);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (2, '01M8J35B6D70SSGE1KQG8N631S', 'project', 'fact', 'project', 'inbox', NULL, '01M8J35B69TM8537BN98MJREMD', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', NULL, NULL, '["zinc","tin"]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, '1f697874541abb0bb30ca4469c49bcc37957d0e740cabf0cb5cf2eac69b2ac5f', NULL, NULL, '3d4c279dd5e8eae05840e0c50c69055ed02477bf44c6304eaf434f4bff001f06', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, NULL, 0, 0, 0, NULL);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (3, '01M8J35B6DDAR9NA84X7B5C69E', 'profile', 'fact', 'global', 'active', NULL, NULL, NULL, NULL, NULL, 'operator', 'manual', 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', NULL, NULL, '[]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 1, 1, NULL, NULL, 'b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2', NULL, NULL, '64c4917e55d9c8346a74c8447442e8a6e78f6f7f30173f16f28fd3f231a1185a', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, NULL, 0, 0, 0, NULL);
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at, rule, confirmed_at, never_load, good, bad, origin) VALUES (4, '01M8J35B6D8SMQ3P67HQYRDQD6', 'project', 'fact', 'global', 'archived', 'rejected', NULL, NULL, NULL, NULL, 'shared', 'manual', 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', NULL, 'seen in a dream', '[]', 0.75, 2, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, '29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', NULL, NULL, '780d83fbde56c42edf1b7853a6de35234c96f4053520dcc366b061ffc90c94a0', '2026-03-01T10:00:00.000Z', '2026-11-28T22:07:10.581Z', NULL, NULL, 0, 0, 0, NULL);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8J35B6ZK4H65ABF9462TC83', '01M8J35B6DG8M0MRDJDDG413H7', NULL, NULL, NULL, NULL, 'Gears are cut from brass — never steel', '4b433871ba29351ba13a2a2310f56c3ad4ac727e2be3282d0f7386b4c998684d', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 473651123);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8J35B70Q1YWXDCZ486PGXMS', '01M8J35B6D70SSGE1KQG8N631S', NULL, NULL, NULL, NULL, 'Gears are cut from steel', '0b6ed900bc4b891164069e3d384653b9813442030552b24afdcc0cad12f885d9', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 2532528931);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8J35B704ETY16WE898ESPT7', '01M8J35B6DDAR9NA84X7B5C69E', NULL, NULL, NULL, NULL, 'I prefer metric screws', 'd029d8049dabfc4c3247a38e97ee0eb67b084998aba646310a395342f0834f85', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 3521356509);
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at, withdrawn_at, checksum) VALUES ('01M8J35B75HMKFZZ34PQATKXSC', '01M8J35B6D8SMQ3P67HQYRDQD6', NULL, NULL, NULL, NULL, 'The sundial runs on batteries', '1b999a3dcb051d466132dc2087738ef0c327bd52288bf6a0a928eb55b5b6b896', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', NULL, 4220736315);
INSERT INTO memory_links (id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at, checksum) VALUES ('01M8J35B77EKWMF74CYJVKJHG5', '01M8J35B6DG8M0MRDJDDG413H7', 'contradicts', '01M8J35B6D70SSGE1KQG8N631S', 'brass or steel', 1.0, 'operator', NULL, '2026-03-01T10:00:00.000Z', 2793239123);
INSERT INTO entities (id, kind, name, created_at, merged_into, checksum) VALUES ('01M8J35B7D97BEMAE5KXKGT66W', 'concept', 'Brass', '2026-03-01T10:00:00.000Z', NULL, 2473994783);
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at, checksum) VALUES ('messing', '01M8J35B7D97BEMAE5KXKGT66W', NULL, '2026-03-01T10:00:00.000Z', 2639692455);
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (1, '01M8J35B6DG8M0MRDJDDG413H7', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"confirmed_at":null,"content":"Gears are cut from brass — never steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"719fe54d65eadbc387282aed8a859c48fc5004296bc23cc719ebc0f40ed970bf","id":"01M8J35B6DG8M0MRDJDDG413H7","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":"01M8J35B69TM8537BN98MJREMD","protected":false,"rationale":null,"repo_id":null,"rule":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"Gears are cut from brass — never steel","title":"Gears are cut from b","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'ad5bcb582c5766c1f02bc29a8a93386825d7628aa90ac975a44cfaf4127dbd89', 'record', NULL, '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (2, '01M8J35B6DG8M0MRDJDDG413H7', 'evidence', NULL, '{"ids":["01M8J35B6ZK4H65ABF9462TC83"]}', 'operator', 'test', '2026-11-28T22:07:10.559Z', 'aa846b895f34b355f2c8247f6b1c5d3cadb471c324c2e8f7a9a6b5401a7a506b', 'evidence', '01M8J35B6DG8M0MRDJDDG413H7', '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (3, '01M8J35B6D70SSGE1KQG8N631S', 'created', NULL, '{"agent_id":null,"alternatives":["zinc","tin"],"always_load":false,"confidence":0.75,"confirmed_at":null,"content":"Gears are cut from steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"1f697874541abb0bb30ca4469c49bcc37957d0e740cabf0cb5cf2eac69b2ac5f","id":"01M8J35B6D70SSGE1KQG8N631S","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":"01M8J35B69TM8537BN98MJREMD","protected":false,"rationale":null,"repo_id":null,"rule":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"inbox","status_reason":null,"subject":null,"summary":"Gears are cut from steel","title":"Gears are cut from s","trust":5,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '00d6a67d0f18223d28c91e24a6ae08fee38ef4cc7681931553a325075f5331b7', 'record', NULL, '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (4, '01M8J35B6D70SSGE1KQG8N631S', 'evidence', NULL, '{"ids":["01M8J35B70Q1YWXDCZ486PGXMS"]}', 'operator', 'test', '2026-11-28T22:07:10.560Z', '0c40d2f9ec3531a5aa0b208989f7fa2f57b0ad817c8a44fece11969c788a10a4', 'evidence', '01M8J35B6D70SSGE1KQG8N631S', '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (5, '01M8J35B6DDAR9NA84X7B5C69E', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":true,"confidence":0.75,"confirmed_at":null,"content":"I prefer metric screws","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2","id":"01M8J35B6DDAR9NA84X7B5C69E","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","owner":"operator","project_id":null,"protected":true,"rationale":null,"repo_id":null,"rule":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"I prefer metric screws","title":"I prefer metric scre","trust":5,"type":"profile","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'f84190ddb2d48f41f8997f47f8c978ce976e0144fe68b39951c78f7505e5dd82', 'record', NULL, '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (6, '01M8J35B6DDAR9NA84X7B5C69E', 'evidence', NULL, '{"ids":["01M8J35B704ETY16WE898ESPT7"]}', 'operator', 'test', '2026-11-28T22:07:10.560Z', '9af6d081b15c76deb170b68453355bb909dd358efb1e08a9cc5e0478dcd2edfb', 'evidence', '01M8J35B6DDAR9NA84X7B5C69E', '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (7, '01M8J35B6D8SMQ3P67HQYRDQD6', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"confirmed_at":null,"content":"The sundial runs on batteries","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02","id":"01M8J35B6D8SMQ3P67HQYRDQD6","kind":"fact","never_load":false,"observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":null,"protected":false,"rationale":"seen in a dream","repo_id":null,"rule":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"The sundial runs on batteries","title":"The sundial runs on ","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'e404827c5f50c697a111792951f0ed4e100496086d2fbbd47d1bcb5eb6232d6c', 'record', NULL, '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (8, '01M8J35B6D8SMQ3P67HQYRDQD6', 'evidence', NULL, '{"ids":["01M8J35B75HMKFZZ34PQATKXSC"]}', 'operator', 'test', '2026-11-28T22:07:10.565Z', 'b112e5c6094a83f44f9691c5b76eb6a6c13e47f42f6875ed0394f7d9458d73ff', 'evidence', '01M8J35B6D8SMQ3P67HQYRDQD6', '01M8J35B6ZRQSPBMY73XDEJ5GQ');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (9, '01M8J35B6DG8M0MRDJDDG413H7', 'linked', NULL, '{"actor":"operator","confidence":1.0,"created_at":"2026-03-01T10:00:00.000Z","from_id":"01M8J35B6DG8M0MRDJDDG413H7","id":"01M8J35B77EKWMF74CYJVKJHG5","reason":"brass or steel","relation":"contradicts","resolved_at":null,"to_id":"01M8J35B6D70SSGE1KQG8N631S"}', 'memctl', '', '2026-11-28T22:07:10.567Z', '0d861bfb1775668f1c49bb86c9a4daa704a943095fea57dc2b874f250f9930e6', 'link', '01M8J35B77EKWMF74CYJVKJHG5', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (10, '01M8J35B7D97BEMAE5KXKGT66W', 'named', NULL, '{"created_at":"2026-03-01T10:00:00.000Z","id":"01M8J35B7D97BEMAE5KXKGT66W","kind":"concept","merged_into":null,"name":"Brass"}', 'memctl', '', '2026-11-28T22:07:10.573Z', '6f376488ecc4e6bf4965d01fe999e71e017fe4bf80d04d1df241b13607717bd5', 'entity', '01M8J35B7D97BEMAE5KXKGT66W', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (11, '01M8J35B6DG8M0MRDJDDG413H7', 'mentions', NULL, '{"mentions":[["01M8J35B7D97BEMAE5KXKGT66W","Brass"]]}', 'memctl', '', '2026-11-28T22:07:10.573Z', '9d0c496ba6a9bf7948069e4dc7aa8a93b493cb9875410a6493c9f90a21596531', 'mention', '01M8J35B6DG8M0MRDJDDG413H7', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (12, '01M8J35B7D97BEMAE5KXKGT66W', 'also known', NULL, '{"alias":"messing","created_at":"2026-03-01T10:00:00.000Z","entity_id":"01M8J35B7D97BEMAE5KXKGT66W","source_ref":null}', 'memctl', '', '2026-11-28T22:07:10.574Z', '394b1325ab6e28c7bf6f020ab5e13b90db140c00438f176046e4a2f2e6fcfa1e', 'alias', 'messing|01M8J35B7D97BEMAE5KXKGT66W', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (13, '01M8J35B6DG8M0MRDJDDG413H7', 'furnished', NULL, '{"actor":"operator","created_at":"2026-03-01T10:00:00.000Z","id":"01M8J35B7EWJPMFPKJ9BAV8CFB","memory_id":"01M8J35B6DG8M0MRDJDDG413H7","reason":"it held","retrieval_id":null,"verdict":"good"}', 'memctl', '', '2026-11-28T22:07:10.574Z', '4a57fc8a013812585fa5b519b5f510edafaf637f7f0a91f1be776bba8891994f', 'outcome', '01M8J35B7EWJPMFPKJ9BAV8CFB', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (14, '01M8J35B6DG8M0MRDJDDG413H7', 'furnished', NULL, '{"about":"01M8J35B6DG8M0MRDJDDG413H7","actor":"operator","created_at":"2026-03-01T10:00:00.000Z","data":"{}","decided_at":null,"id":"01M8J35B7EWJPMFPKJ9BAV8CFB","kind":"archive","reason":"it held","state":"open"}', 'memctl', '', '2026-11-28T22:07:10.574Z', 'f7d1bbc996df287fae9ca40c05d77c503ed795542675887850fd960fcfc03d22', 'proposal', '01M8J35B7EWJPMFPKJ9BAV8CFB', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (15, 'RULES', 'furnished', NULL, '{"actor":"operator","created_at":"2026-03-01T10:00:00.000Z","reason":"it held","rule":"said"}', 'memctl', '', '2026-11-28T22:07:10.574Z', '16966584b70f1319d460e5d9e084962affb64cda0eac290ea2d0b6de8b38cf23', 'mute', 'said', '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (16, '01M8J35B6DG8M0MRDJDDG413H7', 'edited', '{"confidence":0.75}', '{"confidence":0.8}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '9ba7eacaf68a9205ed64367e875e7e066ee78e74723dc5cd38e62b78c2d524c8', 'record', NULL, '01M8J35B773R5AB1V7W3FR9B0T');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (17, '01M8J35B6D8SMQ3P67HQYRDQD6', 'rejected', NULL, '{"actor":"operator","created_at":"2026-11-28T22:07:10.581Z","fingerprint":"29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02","memory_id":"01M8J35B6D8SMQ3P67HQYRDQD6","quote_hash":"76899e4a06b99381237c06ae0199a7a518e91de02d3afa633cb8e7635fcd6f8c","reason":"wrong","verdict":"rejected"}', 'memctl', '', '2026-11-28T22:07:10.581Z', '61f43c9731ddacbdea28aba890c1e7d26e73da574b4a73cb5bf717326c6de94b', 'tombstone', '29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02|01M8J35B6D8SMQ3P67HQYRDQD6', '01M8J35B7NTB0QT9K59M6SEN04');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain, topic, item, operation) VALUES (18, '01M8J35B6D8SMQ3P67HQYRDQD6', 'rejected', '{"status":"active","status_reason":null,"updated_at":"2026-03-01T10:00:00.000Z"}', '{"status":"archived","status_reason":"rejected","updated_at":"2026-11-28T22:07:10.581Z"}', 'operator', 'rejected', '2026-11-28T22:07:10.581Z', 'b8eb271eacf3f32a0687ab9677915fccc0807d8907bba05b246bed6f72afc0fd', 'record', NULL, '01M8J35B7NTB0QT9K59M6SEN04');
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at, checksum) VALUES ('29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', 'rejected', '76899e4a06b99381237c06ae0199a7a518e91de02d3afa633cb8e7635fcd6f8c', '01M8J35B6D8SMQ3P67HQYRDQD6', 'wrong', 'operator', '2026-11-28T22:07:10.581Z', 4181349864);
INSERT INTO saved_views (name, kind, definition, created_at, updated_at, checksum) VALUES ('gears', 'search', '{"text":"gears"}', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 4090888954);
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (1, 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', 'fact 2026-03-01 Brass messing', 'p30314d384a3335423639544d38353337424e39384d4a52454d440');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (2, 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', 'fact 2026-03-01 zinc tin', 'p30314d384a3335423639544d38353337424e39384d4a52454d440');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (3, 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', 'fact 2026-03-01', 'g0');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (4, 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', 'fact 2026-03-01 seen in a dream', 'g0');
INSERT INTO memory_entities (memory_id, entity_id, name, checksum) VALUES ('01M8J35B6DG8M0MRDJDDG413H7', '01M8J35B7D97BEMAE5KXKGT66W', 'Brass', 3775948074);
INSERT INTO outcomes (id, memory_id, retrieval_id, verdict, reason, actor, created_at, checksum) VALUES ('01M8J35B7EWJPMFPKJ9BAV8CFB', '01M8J35B6DG8M0MRDJDDG413H7', NULL, 'good', 'it held', 'operator', '2026-03-01T10:00:00.000Z', 928772283);
INSERT INTO muted_rules (rule, reason, actor, created_at, checksum) VALUES ('said', 'it held', 'operator', '2026-03-01T10:00:00.000Z', 2886825692);
INSERT INTO newer_marks (memory_id, newer_id, nearness, created_at, checksum) VALUES ('01M8J35B6D70SSGE1KQG8N631S', '01M8J35B6D8SMQ3P67HQYRDQD6', 0.5, '2026-03-01T10:00:00.000Z', 393221200);
INSERT INTO proposals (id, kind, about, data, reason, state, actor, created_at, decided_at, checksum) VALUES ('01M8J35B7EWJPMFPKJ9BAV8CFB', 'archive', '01M8J35B6DG8M0MRDJDDG413H7', '{}', 'it held', 'open', 'operator', '2026-03-01T10:00:00.000Z', NULL, 3633462238);
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
PRAGMA user_version = 5;
