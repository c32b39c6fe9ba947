-- A store as schema 2 left it, as text; `-- version` is the schema it stands at.
-- version 2
PRAGMA application_id = 1835363683;
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
, session_id TEXT) STRICT;
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
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  title, summary, content, extra, place,
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE embeddings (
  model_id INTEGER NOT NULL REFERENCES embedding_models (id),
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  indexed INTEGER NOT NULL DEFAULT 0 CHECK (indexed IN (0, 1)),
  PRIMARY KEY (model_id, memory_n)
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('analysis', '2');
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at) VALUES ('01M8H57MMPF1M22R0T6HTWV8X7', 'Orrery', '/src/orrery', '01M8H57MMQSTVMXH6QZMYMFY68', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at) VALUES ('01M8H57MMQSTVMXH6QZMYMFY68', 'Orrery II', '/src/orrery2', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO projects (id, name, root_path, adopted_into, created_at, updated_at) VALUES ('01M8H57MMQ2NXHD34Y3G7SM07K', 'Sundial', NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO project_aliases (kind, value, project_id, created_at) VALUES ('remote', 'example.org/orrery', '01M8H57MMQSTVMXH6QZMYMFY68', '2026-03-01T10:00:00.000Z');
INSERT INTO project_links (from_project, to_project, reason, created_at) VALUES ('01M8H57MMQSTVMXH6QZMYMFY68', '01M8H57MMQ2NXHD34Y3G7SM07K', 'same author', '2026-03-01T10:00:00.000Z');
INSERT INTO repos (id, project_id, name, root_path, git_common_dir, remote_url, root_commit, created_at, updated_at) VALUES ('01M8H57MMQVF4T36ZJ0Y3DZ6BJ', '01M8H57MMQSTVMXH6QZMYMFY68', 'orrery', '/src/orrery2', '/src/orrery2/.git', NULL, 'ab12', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at) VALUES ('01M8H57MMQ4B1HAY7Q1TW344H7', 'conversation', 'plain', 'testpilot', 'session-1', NULL, NULL, NULL, NULL, NULL, NULL, '01M8H57MMQSTVMXH6QZMYMFY68', '01M8H57MMQVF4T36ZJ0Y3DZ6BJ', 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', x'789c2b4a2c5748aa2c492d56f8cf00001e8f04b1', 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO sources (id, kind, format, agent, session_id, parent_session_id, previous_id, path, title, cwd, git_branch, project_id, repo_id, is_chat, size_bytes, content_hash, turn_count, turns_hash, unknown, raw, trust, started_at, ended_at, observed_at, updated_at) VALUES ('01M8H57MMRZ6E9J1KDJTQ4B2J4', 'conversation', 'plain', 'testpilot', 'session-2', NULL, '01M8H57MMQ4B1HAY7Q1TW344H7', NULL, NULL, NULL, NULL, NULL, NULL, 0, 100, 'c0ffee', 2, '9614639cfc8f52afc4c037075c5f436c677a8a13c2df566ffc74367f4248d083', '{}', NULL, 5, NULL, NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at) VALUES ('01M8H57MMQ4B1HAY7Q1TW344H7', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z');
INSERT INTO source_parts (source_id, part, first_turn, turn_count, turns, created_at) VALUES ('01M8H57MMRZ6E9J1KDJTQ4B2J4', 0, 0, 2, x'789cab562a4e2d54b25230d051502acacf49053295324a7313f3948002d9997929208192d48a12101f4c03f9494589c5c53a0a0539a989c5a94ab55cd550430c910c01aac82c2e49cc2bc167507e4a8a95c2db050d20b194c49244a058b5521ec8243dd3da5a0030112e90', '2026-03-01T10:00:00.000Z');
INSERT INTO ingestion_events (id, trigger, actor, source_id, requested_scope, state, attempts, not_before, lease_owner, lease_until, processor, processor_version, outcome, error, created_at, updated_at) VALUES ('01M8H57MMRW2RRH9179PTQN4W4', 'test', 'operator', '01M8H57MMQ4B1HAY7Q1TW344H7', NULL, 'done', 1, '2026-03-01T10:00:00.000Z', NULL, NULL, NULL, NULL, '{"proposed":2}', NULL, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (1, '01M8H57MNB8MEJKAH8V0XMMRWV', 'project', 'fact', 'project', 'active', NULL, '01M8H57MMQSTVMXH6QZMYMFY68', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', NULL, NULL, '[]', 0.8, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', 3, 0.0, 0, 0, NULL, NULL, '019038cdbbaaed4ec0cde67cc45628d36d1329bdd809e64d3cfab0dbfe3533c4', NULL, NULL, '3fffc8fc802afcf1ec4fab536b109ae174eccaa141577862f9399735c23ffa91', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (2, '01M8H57MNBQ4JTBJFMEWP367MQ', 'project', 'fact', 'project', 'inbox', NULL, '01M8H57MMQSTVMXH6QZMYMFY68', NULL, NULL, NULL, 'shared', 'manual', 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', NULL, NULL, '["zinc","tin"]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, 'b81f76b8438a7fb37faa3b60fa94103a6f3d1d0efdd1939c92ba24f93388b324', NULL, NULL, 'e0fb2e305ca5b247cccaea1c8fd4fe4f082ad3844d55889d7645de9c9e7ac2eb', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (3, '01M8H57MNBG7AVAW6DEJWT02ZG', 'profile', 'fact', 'global', 'active', NULL, NULL, NULL, NULL, NULL, 'operator', 'manual', 'I prefer metric scre', 'I prefer metric screws', 'I prefer metric screws', NULL, NULL, '[]', 0.75, 5, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 1, 1, NULL, NULL, 'b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2', NULL, NULL, '80d041541ea0b1eb9661673bdff0dafde5bf89a45fe7402903a3d62ef2b6100d', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories (n, id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary, subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load, valid_from, valid_until, fingerprint, source_ref, evidence_ref, row_hash, created_at, updated_at) VALUES (4, '01M8H57MNBHHRYEDYQ4DR99M60', 'project', 'fact', 'global', 'archived', 'rejected', NULL, NULL, NULL, NULL, 'shared', 'manual', 'The sundial runs on ', 'The sundial runs on batteries', 'The sundial runs on batteries', NULL, 'seen in a dream', '[]', 0.75, 2, '2026-03-01T10:00:00.000Z', NULL, 0, 0.0, 0, 0, NULL, NULL, '29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', NULL, NULL, 'abffa600b08a4e75ae1fc5e4dcc6a24566de4c878d5cca1a841c07c1ff8c9eef', '2026-03-01T10:00:00.000Z', '2026-11-28T13:24:08.532Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01M8H57MP2XE99H8D2KHT6SQ3T', '01M8H57MNB8MEJKAH8V0XMMRWV', NULL, NULL, NULL, NULL, 'Gears are cut from brass — never steel', '4b433871ba29351ba13a2a2310f56c3ad4ac727e2be3282d0f7386b4c998684d', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01M8H57MP3QPYQY0JYEAMAJ18S', '01M8H57MNBQ4JTBJFMEWP367MQ', NULL, NULL, NULL, NULL, 'Gears are cut from steel', '0b6ed900bc4b891164069e3d384653b9813442030552b24afdcc0cad12f885d9', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01M8H57MP44TXZJK28VQ61A2HT', '01M8H57MNBG7AVAW6DEJWT02ZG', NULL, NULL, NULL, NULL, 'I prefer metric screws', 'd029d8049dabfc4c3247a38e97ee0eb67b084998aba646310a395342f0834f85', 'human', NULL, 5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO evidence (id, memory_id, source_id, turn, span_start, span_end, quote, quote_hash, role, speaker, trust, observed_at, created_at) VALUES ('01M8H57MPC68RKBBZQCN6AB0SP', '01M8H57MNBHHRYEDYQ4DR99M60', NULL, NULL, NULL, NULL, 'The sundial runs on batteries', '1b999a3dcb051d466132dc2087738ef0c327bd52288bf6a0a928eb55b5b6b896', 'human', NULL, 2, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memory_links (id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at) VALUES ('01M8H57MPG6HAYFRH9YHHQR9CN', '01M8H57MNB8MEJKAH8V0XMMRWV', 'contradicts', '01M8H57MNBQ4JTBJFMEWP367MQ', 'brass or steel', 1.0, 'operator', NULL, '2026-03-01T10:00:00.000Z');
INSERT INTO entities (id, kind, name, created_at) VALUES ('01M8H57MPGV3KY7PRGX6VQE6GD', 'concept', 'Brass', '2026-03-01T10:00:00.000Z');
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at) VALUES ('messing', '01M8H57MPGV3KY7PRGX6VQE6GD', NULL, '2026-03-01T10:00:00.000Z');
INSERT INTO memory_entities (memory_id, entity_id) VALUES ('01M8H57MNB8MEJKAH8V0XMMRWV', '01M8H57MPGV3KY7PRGX6VQE6GD');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (1, '01M8H57MNB8MEJKAH8V0XMMRWV', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"content":"Gears are cut from brass — never steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"019038cdbbaaed4ec0cde67cc45628d36d1329bdd809e64d3cfab0dbfe3533c4","id":"01M8H57MNB8MEJKAH8V0XMMRWV","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":"01M8H57MMQSTVMXH6QZMYMFY68","protected":false,"rationale":null,"repo_id":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"Gears are cut from brass — never steel","title":"Gears are cut from b","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '2687abd9b23de689fc75f2de97858c95775e38863c6bcda17a03a58c74f7234e');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (2, '01M8H57MNBQ4JTBJFMEWP367MQ', 'created', NULL, '{"agent_id":null,"alternatives":["zinc","tin"],"always_load":false,"confidence":0.75,"content":"Gears are cut from steel","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"b81f76b8438a7fb37faa3b60fa94103a6f3d1d0efdd1939c92ba24f93388b324","id":"01M8H57MNBQ4JTBJFMEWP367MQ","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":"01M8H57MMQSTVMXH6QZMYMFY68","protected":false,"rationale":null,"repo_id":null,"scope":"project","session_id":null,"source_kind":"manual","source_ref":null,"status":"inbox","status_reason":null,"subject":null,"summary":"Gears are cut from steel","title":"Gears are cut from s","trust":5,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '9d4a3cb1aede2a41ce190fa55b9a7136ccbde756d222fec8cb1327b44b607856');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (3, '01M8H57MNBG7AVAW6DEJWT02ZG', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":true,"confidence":0.75,"content":"I prefer metric screws","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"b5dae24689b5d8803f5e6ab3d131c7d7fe347816856c310a85c3cd652cff84b2","id":"01M8H57MNBG7AVAW6DEJWT02ZG","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"operator","project_id":null,"protected":true,"rationale":null,"repo_id":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"I prefer metric screws","title":"I prefer metric scre","trust":5,"type":"profile","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '1ca4a9f877e3db1f52ecb6c351b861fe212a266f88e9f23cdfe4bd788d4c9b57');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (4, '01M8H57MNBHHRYEDYQ4DR99M60', 'created', NULL, '{"agent_id":null,"alternatives":[],"always_load":false,"confidence":0.75,"content":"The sundial runs on batteries","created_at":"2026-03-01T10:00:00.000Z","decay_rate":0.0,"evidence_ref":null,"fingerprint":"29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02","id":"01M8H57MNBHHRYEDYQ4DR99M60","kind":"fact","observed_at":"2026-03-01T10:00:00.000Z","owner":"shared","project_id":null,"protected":false,"rationale":"seen in a dream","repo_id":null,"scope":"global","session_id":null,"source_kind":"manual","source_ref":null,"status":"active","status_reason":null,"subject":null,"summary":"The sundial runs on batteries","title":"The sundial runs on ","trust":2,"type":"project","updated_at":"2026-03-01T10:00:00.000Z","valid_from":null,"valid_until":null}', 'operator', 'test', '2026-03-01T10:00:00.000Z', 'a217c4f542ffc78e679956a020a02fc88b71ebecf5de3827f041db4cffbca7d5');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (5, '01M8H57MNB8MEJKAH8V0XMMRWV', 'edited', '{"confidence":0.75}', '{"confidence":0.8}', 'operator', 'test', '2026-03-01T10:00:00.000Z', '64af23d976452a5caeab6f9cb18db65c3b1c405ed93423dafef2dd04b2ca9254');
INSERT INTO memory_events (seq, memory_id, verb, before, after, actor, cause, at, chain) VALUES (6, '01M8H57MNBHHRYEDYQ4DR99M60', 'rejected', '{"status":"active","status_reason":null,"updated_at":"2026-03-01T10:00:00.000Z"}', '{"status":"archived","status_reason":"rejected","updated_at":"2026-11-28T13:24:08.532Z"}', 'operator', 'rejected', '2026-11-28T13:24:08.532Z', '1009f2eda93332d341f5c76fe747f5d60b922136612165e28e4d424e44c04391');
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at) VALUES ('29092c075b1ff8734d7914a19576355fffe60e66c13c07832bf3749415b28a02', 'rejected', '76899e4a06b99381237c06ae0199a7a518e91de02d3afa633cb8e7635fcd6f8c', '01M8H57MNBHHRYEDYQ4DR99M60', 'wrong', 'operator', '2026-11-28T13:24:08.532Z');
INSERT INTO saved_views (name, kind, definition, created_at, updated_at) VALUES ('gears', 'search', '{"text":"gears"}', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (1, 'Gears are cut from b', 'Gears are cut from brass — never steel', 'Gears are cut from brass — never steel', 'fact 2026-03-01 Brass', 'p30314d384835374d4d515354564d584836515a4d594d465936380');
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (2, 'Gears are cut from s', 'Gears are cut from steel', 'Gears are cut from steel', 'fact 2026-03-01 zinc tin', 'p30314d384835374d4d515354564d584836515a4d594d465936380');
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
CREATE INDEX embeddings_memory ON embeddings (memory_n);
CREATE INDEX embeddings_unindexed ON embeddings (model_id, memory_n) WHERE indexed = 0;
CREATE INDEX retrieval_logs_session ON retrieval_logs (session_id, at) WHERE session_id IS NOT NULL;
PRAGMA user_version = 2;
