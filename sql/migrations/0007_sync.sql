-- Stores that follow one another: who takes part, what travels, and the changes as they travelled.

BEGIN IMMEDIATE;

-- Replicas of the group that this store belongs to, itself among them.
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

-- Folders and hubs that this store meets others at.
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

-- What travels, by project ('' is what holds everywhere): to all of the group, to own machines, never.
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

-- Every change that travels, of this store and of others. `body` is the compressed change, null once
-- it was purged. A head is one that no other change of its subject names as its parent.
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

-- The number that a change has in the sequence of its replica for one stream (`own:MEMBER`,
-- `project:ID`). It may stand in several streams.
CREATE TABLE sync_numbers (
  stream TEXT NOT NULL,
  replica TEXT NOT NULL,
  number INTEGER NOT NULL,
  change_n INTEGER NOT NULL REFERENCES sync_changes (n),
  checksum INTEGER,
  PRIMARY KEY (stream, replica, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_numbers_change ON sync_numbers (change_n);

-- Up to which number everything is here, by stream and replica.
CREATE TABLE sync_vector (
  stream TEXT NOT NULL,
  replica TEXT NOT NULL,
  last INTEGER NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (stream, replica)
) STRICT, WITHOUT ROWID;

-- Subjects that travel: in which stream, and whose they are (the member who made them).
CREATE TABLE sync_subjects (
  subject TEXT NOT NULL,
  stream TEXT NOT NULL,
  member TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (subject, stream)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_subjects_stream ON sync_subjects (stream);

-- Change sets that were read from or written to a place, by name; damaged ones with the reason.
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

-- Projects of other machines that are one of this store's under another id.
CREATE TABLE sync_projects (
  there TEXT PRIMARY KEY,
  here TEXT NOT NULL REFERENCES projects (id),
  checksum INTEGER
) STRICT, WITHOUT ROWID;

-- Subjects of which something waits for a record or a project (`project:ID`) that is not here yet.
CREATE TABLE sync_awaited (
  awaited TEXT NOT NULL,
  subject TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (awaited, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_awaited_subject ON sync_awaited (subject);

-- Subjects of which changes were erased here because of words in them: all that holds is said anew.
CREATE TABLE sync_rewritten (
  subject TEXT PRIMARY KEY,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 7;

COMMIT;
