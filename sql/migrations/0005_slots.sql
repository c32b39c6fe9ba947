-- What may be overtaken, and what agents think of it.

BEGIN IMMEDIATE;

-- A record in force, and the nearest newer one that says that something changed. Derived from the
-- records and their vectors by maintenance: it may be dropped and made again at any time.
CREATE TABLE newer_marks (
  memory_id TEXT PRIMARY KEY,
  newer_id TEXT NOT NULL,
  -- How near the two are, -1 to 1.
  nearness REAL NOT NULL,
  created_at TEXT NOT NULL,
  checksum INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX newer_marks_newer ON newer_marks (newer_id);

-- Agents may propose how two records are to be resolved; the operator decides.
CREATE TABLE proposals_anew (
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
INSERT INTO proposals_anew SELECT id, kind, about, data, reason, state, actor, created_at, decided_at, checksum FROM proposals;
DROP TABLE proposals;
ALTER TABLE proposals_anew RENAME TO proposals;
CREATE INDEX proposals_about ON proposals (kind, about);
CREATE INDEX proposals_open ON proposals (created_at) WHERE state = 'open';

PRAGMA user_version = 5;

COMMIT;
