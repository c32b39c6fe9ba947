-- Other ways to the records: what this machine knows of folders of notes (`memctl vault`).
-- Tags need no table: a tag is a concept whose name begins with `#` (see `store/tags.py`).

BEGIN IMMEDIATE;

-- Folders of notes that were made from this store. It says nothing of other machines that share one
-- of them.
CREATE TABLE vaults (
  -- Stands in a file of the folder too, so the folder may be moved.
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  created_at TEXT NOT NULL,
  synced_at TEXT,
  checksum INTEGER
) STRICT, WITHOUT ROWID;

-- What a note held when it and its record were last the same. Hashes only: no words of a record.
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

-- Versions of MEMORY.md: of one project each, or of what holds everywhere (''). At most one of a
-- place is staged, and one is current.
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

-- The words of captured conversations, for `search --turns`. Derived from their turns, and made by
-- maintenance: it may be dropped and made again at any time.

-- How much of a conversation is in the index of words, and the number that it has there.
CREATE TABLE turn_sources (
  n INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL UNIQUE,
  -- Turns from the first on; `turns_hash` is that of its source when they were read.
  indexed INTEGER NOT NULL,
  turns_hash TEXT NOT NULL,
  checksum INTEGER
) STRICT;

-- A row is a turn; its number tells conversation, turn and role (see `store/turn_index.py`). Without
-- the texts, which `source_parts` has, and without places in them: 74 bytes a turn instead of 199.
CREATE VIRTUAL TABLE turns_fts USING fts5 (
  text, content = '', detail = none,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

PRAGMA user_version = 6;

COMMIT;
