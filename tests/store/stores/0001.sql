-- A store as the first release left it (schema 1), as text; `-- version` is the schema it stands at.
-- version 1
PRAGMA application_id = 0x6d656d63;
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  root_path TEXT,
  adopted_into TEXT REFERENCES projects (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE project_aliases (
  kind TEXT NOT NULL CHECK (kind IN ('path', 'git_common_dir', 'remote', 'root_commit', 'marker', 'name')),
  value TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (kind, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE project_links (
  from_project TEXT NOT NULL REFERENCES projects (id),
  to_project TEXT NOT NULL REFERENCES projects (id),
  reason TEXT,
  created_at TEXT NOT NULL,
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
) STRICT;
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
) STRICT;
CREATE TABLE source_parts (
  source_id TEXT NOT NULL REFERENCES sources (id),
  part INTEGER NOT NULL,
  first_turn INTEGER NOT NULL,
  turn_count INTEGER NOT NULL,
  turns BLOB NOT NULL,
  created_at TEXT NOT NULL,
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
) STRICT;
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
  updated_at TEXT NOT NULL,
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
) STRICT;
CREATE TABLE memory_links (
  id TEXT PRIMARY KEY,
  from_id TEXT NOT NULL REFERENCES memories (id),
  relation TEXT NOT NULL CHECK (relation IN ('supports', 'contradicts', 'supersedes', 'applies_to', 'derived_from', 'related_to')),
  to_id TEXT NOT NULL REFERENCES memories (id),
  reason TEXT,
  confidence REAL NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  actor TEXT NOT NULL,
  resolved_at TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (from_id, relation, to_id),
  CHECK (from_id <> to_id)
) STRICT;
CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'project', 'org', 'concept', 'tool')),
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (kind, name)
) STRICT;
CREATE TABLE entity_aliases (
  alias TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entities (id),
  source_ref TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (alias, entity_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_entities (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  entity_id TEXT NOT NULL REFERENCES entities (id),
  PRIMARY KEY (memory_id, entity_id)
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
) STRICT;
CREATE TABLE tombstones (
  fingerprint TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('rejected', 'forgotten', 'purged')),
  quote_hash TEXT,
  memory_id TEXT NOT NULL,
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL,
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
) STRICT;
CREATE TABLE saved_views (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('search', 'context')),
  definition TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  fingerprint TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (name, dimensions, fingerprint)
) STRICT;
CREATE TABLE embeddings (
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  model_id INTEGER NOT NULL REFERENCES embedding_models (id),
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (memory_n, model_id)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  title, summary, content, extra, place,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO meta (key, value) VALUES ('last_maintained', '2026-03-02T09:00:00.000Z');
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at) VALUES ('01KQ7B00000000000000000001', 'Orrery', '/src/orrery', '01KQ7B00000000000000000002', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at) VALUES ('01KQ7B00000000000000000002', 'Orrery II', '/src/orrery2', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at) VALUES ('01KQ7B00000000000000000003', 'Sundial', NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO project_aliases (kind, value, project_id, created_at) VALUES ('remote', 'example.org/orrery', '01KQ7B00000000000000000002', '2026-03-01T10:00:00.000Z');
INSERT INTO project_links (from_project, to_project, reason, created_at) VALUES ('01KQ7B00000000000000000002', '01KQ7B00000000000000000003', 'same author', '2026-03-01T10:00:00.000Z');
INSERT INTO repos (id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at) VALUES ('01KQ7B00000000000000000004', '01KQ7B00000000000000000002', 'orrery', '/src/orrery2', '/src/orrery2/.git', NULL, 'ab12', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at) VALUES ('01KQ7B00000000000000000005', 'conversation', 'plain', 'testpilot', 'session-1', NULL, NULL, NULL, NULL, NULL, NULL, '01KQ7B00000000000000000002', '01KQ7B00000000000000000004', 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', x'789c2b4a2c5748aa2c492d56f8cf00001e8f04b1', 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at) VALUES ('01KQ7B00000000000000000006', 'conversation', 'plain', 'testpilot', 'session-2', NULL, '01KQ7B00000000000000000005', NULL, NULL, NULL, NULL, NULL, NULL, 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', NULL, 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at) VALUES ('01KQ7B00000000000000000005', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z');
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at) VALUES ('01KQ7B00000000000000000006', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z');
INSERT INTO ingestion_events (id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor, processor_version, outcome, error, created_at, updated_at) VALUES ('01KQ7B00000000000000000007', 'test', 'operator', '01KQ7B00000000000000000005', NULL, 'done', 1, '2026-03-01T10:00:00.000Z', NULL, NULL, NULL, NULL, '{"proposed":2}', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (1, '01KQ7B00000000000000000008', 'project', 'fact', 'project', 'active', NULL, '01KQ7B00000000000000000002', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', NULL, NULL, '[]', 0.8, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3, 0.0, 0, 0, NULL, NULL, '0d1579d9211cb8df28b70334a65eb0e953df60256ec1ad252b9a0c0df0026609', NULL, NULL, 'd9cf396a9b395e030204419b3cc8c71fcaaf16616daa2753b2f05f1cb09c27ee', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (2, '01KQ7B00000000000000000009', 'project', 'fact', 'project', 'inbox', NULL, '01KQ7B00000000000000000002', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', NULL, NULL, '["zinc","tin"]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, 'fc40a00aa22363da829175765a5390d8f6639efaeed3408870c574d9630fed60', NULL, NULL, 'db1831f3c59ffa90b670a9f86d387277c90dc937e92807414b94e9704d0e6cc2', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (3, '01KQ7B00000000000000000010', 'profile', 'fact', 'global', 'active', NULL, NULL, NULL, NULL, NULL, 'operator', 'manual', 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', NULL, NULL, '[]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 1, 1, NULL, NULL, 'b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2', NULL, NULL, 'df404e21f3b8c078c28fbe76819c8006ed5273abb382aef8817f94b743b7cdd5', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (4, '01KQ7B00000000000000000011', 'project', 'fact', 'global', 'archived', 'rejected', NULL, NULL, NULL, NULL, 'shared', 'manual', 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', NULL, 'seen in a dream', '[]', 0.75, 2, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, '29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', NULL, NULL, 'b1cbdc8da1dd22a71c39ee2e0bd7e592b22daa96a6598e0dec98e8924aeade86', '2026-03-01T10:00:00.000Z', '2026-03-02T08:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01KQ7B00000000000000000012', '01KQ7B00000000000000000008', NULL, NULL, NULL, NULL, 'Gears are cut from brass — never steel', '4b433871ba29351ba13a2a2310f56c3ad4ac727e2be3282d0f7386b4c998684d', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01KQ7B00000000000000000013', '01KQ7B00000000000000000009', NULL, NULL, NULL, NULL, 'Gears are cut from steel', '0b6ed900bc4b891164069e3d384653b9813442030552b24afdcc0cad12f885d9', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01KQ7B00000000000000000014', '01KQ7B00000000000000000010', NULL, NULL, NULL, NULL, 'I prefer metric screws', 'd029d8049dabfc4c3247a38e97ee0eb67b084998aba646310a395342f0834f85', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01KQ7B00000000000000000015', '01KQ7B00000000000000000011', NULL, NULL, NULL, NULL, 'The sundial runs on batteries', '1b999a3dcb051d466132dc2087738ef0c327bd52288bf6a0a928eb55b5b6b896', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memory_links (id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at) VALUES ('01KQ7B00000000000000000016', '01KQ7B00000000000000000008', 'contradicts', '01KQ7B00000000000000000009', 'brass or steel', 1.0, 'operator', NULL, '2026-03-01T10:00:00.000Z');
INSERT INTO entities (id, kind, name, created_at) VALUES ('01KQ7B00000000000000000017', 'concept', 'Brass', '2026-03-01T10:00:00.000Z');
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at) VALUES ('messing', '01KQ7B00000000000000000017', NULL, '2026-03-01T10:00:00.000Z');
INSERT INTO memory_entities (memory_id, entity_id) VALUES ('01KQ7B00000000000000000008', '01KQ7B00000000000000000017');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (1, '01KQ7B00000000000000000008', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"content":"Gears are cut from brass — never steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"0d1579d9211cb8df28b70334a65eb0e953df60256ec1ad252b9a0c0df0026609","id":"01KQ7B00000000000000000008","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":"01KQ7B00000000000000000002","protected":false,"rationale":null,"repo_id":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"Gears are cut from brass — never steel","title":"Gears are cut from b","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '66c2308941c99da6308ea25c663362fc7bf30190232329f5175eaa83d1690045');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (2, '01KQ7B00000000000000000009', 'created', NULL, '{"agent_id":null,"alternatives":["zinc","tin"],"always_load":false,"confidence":0.75,"content":"Gears are cut from steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"fc40a00aa22363da829175765a5390d8f6639efaeed3408870c574d9630fed60","id":"01KQ7B00000000000000000009","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":"01KQ7B00000000000000000002","protected":false,"rationale":null,"repo_id":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"inbox","status_reason":null,"subject":null,"summary":"Gears are cut from steel","title":"Gears are cut from s","trust":5,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'c173ff25b7faebf28833b5caf9c31cadc397a717fa782839f2f290f3d236c0e8');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (3, '01KQ7B00000000000000000010', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":true,"confidence":0.75,"content":"I prefer metric screws","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2","id":"01KQ7B00000000000000000010","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"operator","project_id":null,"protected":true,"rationale":null,"repo_id":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"I prefer metric screws","title":"I prefer metric scre","trust":5,"type":"profile","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '2aa209317457cd895f85f0bfb5fc7635c57cd82b0f0225a972affed98b29224c');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (4, '01KQ7B00000000000000000011', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"content":"The sundial runs on batteries","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02","id":"01KQ7B00000000000000000011","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":null,"protected":false,"rationale":"seen in a dream","repo_id":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"The sundial runs on batteries","title":"The sundial runs on ","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '77dfcf756464f53a0daa79cc04fad8a6283100628b1ef6899bc5b366e4569fdc');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (5, '01KQ7B00000000000000000008', 'edited', '{"confidence":0.75}', '{"confidence":0.8}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'd66fc5ecc82095bb0ab528eb2ab3ac71fc21f4f9f72cd625c7943b14259fd12f');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (6, '01KQ7B00000000000000000011', 'rejected', '{"status":"active","status_reason":null,"updated_at":"2026-03-01T10:00:00.000Z"}', '{"status":"archived","status_reason":"rejected","updated_at":"2026-03-02T08:00:00.000Z"}', 'operator', 'rejected', '2026-03-02T08:00:00.000Z', 'ce249955b213990f42afb18e55ef8252eca14e46c1f4c09e1c64f6af4ea08381');
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at) VALUES ('29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', 'rejected', '76899e4a06b99381237c06ae0199a7a518e91de02d3afa633cb8e7635fcd6f8c', '01KQ7B00000000000000000011', 'wrong', 'operator', '2026-03-02T08:00:00.000Z');
INSERT INTO retrieval_logs (id, command, query, filters, candidates, returned, actor, flags, duration_ms, at) VALUES ('01KQ7B00000000000000000018', 'search', 'gears', '{}', '[]', '[]', 'operator', '[]', 1.5, '2026-03-02T09:00:00.000Z');
INSERT INTO saved_views (name, kind, definition, created_at, updated_at) VALUES ('gears', 'search', '{"text":"gears"}', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (1, 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', 'fact 2026-03-01 Brass', 'p30314b51374230303030303030303030303030303030303030320');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (2, 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', 'fact 2026-03-01 zinc tin', 'p30314b51374230303030303030303030303030303030303030320');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (3, 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', 'fact 2026-03-01', 'g0');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (4, 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', 'fact 2026-03-01 seen in a dream', 'g0');
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
CREATE INDEX memory_entities_entity ON memory_entities (entity_id);
CREATE INDEX memory_events_memory ON memory_events (memory_id);
CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;
CREATE TRIGGER memory_events_no_delete BEFORE DELETE ON memory_events
BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;
CREATE INDEX tombstones_quote ON tombstones (quote_hash) WHERE quote_hash IS NOT NULL;
CREATE INDEX tombstones_memory ON tombstones (memory_id);
CREATE INDEX retrieval_logs_at ON retrieval_logs (at);
PRAGMA user_version = 1;
