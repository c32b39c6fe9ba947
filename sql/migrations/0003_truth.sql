-- Truth over time: every change to what is durable stands in the stream, belongs to an operation and can be undone.

BEGIN IMMEDIATE;

-- Which rule of extraction proposed a record, when it was last vouched for, whether it was taken
-- out of the always-loaded set by hand, and how often it was said to have helped or misled (counted
-- from `outcomes`).
ALTER TABLE memories ADD COLUMN rule TEXT;
ALTER TABLE memories ADD COLUMN confirmed_at TEXT;
ALTER TABLE memories ADD COLUMN never_load INTEGER NOT NULL DEFAULT 0 CHECK (never_load IN (0, 1));
ALTER TABLE memories ADD COLUMN good INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN bad INTEGER NOT NULL DEFAULT 0;
CREATE INDEX memories_rule ON memories (rule) WHERE rule IS NOT NULL;

-- Evidence is never deleted; what came by a change that was undone is withdrawn.
ALTER TABLE evidence ADD COLUMN withdrawn_at TEXT;

-- The stream tells of records and of all that hangs on them: `topic` says of what, `item` which one (null: the record itself),
-- `operation` which changes were made as one.
ALTER TABLE memory_events ADD COLUMN topic TEXT NOT NULL DEFAULT 'record'
  CHECK (topic IN ('record', 'link', 'evidence', 'entity', 'alias', 'mention', 'tombstone', 'outcome', 'proposal', 'mute'));
ALTER TABLE memory_events ADD COLUMN item TEXT;
ALTER TABLE memory_events ADD COLUMN operation TEXT;
CREATE INDEX memory_events_operation ON memory_events (operation) WHERE operation IS NOT NULL;
CREATE INDEX memory_events_at ON memory_events (at);

-- An entity that was merged into another one stays, so that it can be split off again; names are looked up whatever their case.
ALTER TABLE entities ADD COLUMN merged_into TEXT REFERENCES entities (id);
CREATE INDEX entities_called ON entities (name COLLATE NOCASE);

-- By which of its names a record speaks of an entity.
CREATE TABLE mentions (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  entity_id TEXT NOT NULL REFERENCES entities (id),
  name TEXT NOT NULL,
  PRIMARY KEY (memory_id, entity_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO mentions (memory_id, entity_id, name)
SELECT m.memory_id, m.entity_id, e.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id;
DROP TABLE memory_entities;
ALTER TABLE mentions RENAME TO memory_entities;
CREATE INDEX memory_entities_entity ON memory_entities (entity_id);

-- Files, commands and paths that a record cites, and whether they were still there when last looked for.
CREATE TABLE citations (
  memory_id TEXT NOT NULL REFERENCES memories (id),
  kind TEXT NOT NULL CHECK (kind IN ('path', 'command')),
  value TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('here', 'missing', 'unknown')),
  checked_at TEXT NOT NULL,
  PRIMARY KEY (memory_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX citations_missing ON citations (memory_id) WHERE state = 'missing';

-- What somebody who was given a record says of it afterwards.
CREATE TABLE outcomes (
  id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL REFERENCES memories (id),
  retrieval_id TEXT,
  verdict TEXT NOT NULL CHECK (verdict IN ('good', 'bad')),
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX outcomes_memory ON outcomes (memory_id);

-- What maintenance would do but leaves to the operator: archive a cold record, mute a rule, make two entities one.
CREATE TABLE proposals (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('archive', 'mute', 'merge_entities')),
  about TEXT NOT NULL,
  data TEXT NOT NULL DEFAULT '{}',
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'withdrawn')),
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_at TEXT
) STRICT;
CREATE INDEX proposals_about ON proposals (kind, about);
CREATE INDEX proposals_open ON proposals (created_at) WHERE state = 'open';

-- Rules of extraction whose candidates the operator does not want to see.
CREATE TABLE muted_rules (
  rule TEXT PRIMARY KEY,
  reason TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The steps of every maintenance: what is running, how far it came, what it did.
CREATE TABLE maintenance_steps (
  run_id TEXT NOT NULL,
  step TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'unfinished', 'skipped')),
  position TEXT,
  outcome TEXT NOT NULL DEFAULT '{}',
  error TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (run_id, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX maintenance_steps_step ON maintenance_steps (step, started_at);

-- What a language model was asked and what it answered: the cache, and the account of what it cost.
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
) STRICT;
CREATE INDEX model_calls_input ON model_calls (purpose, model, prompt_version, input_hash);
CREATE INDEX model_calls_at ON model_calls (at);

PRAGMA user_version = 3;

COMMIT;
