-- Work that spans several transactions, and what tells that something was changed from outside.

BEGIN IMMEDIATE;

-- Changes that are too many for one short transaction. A row stands from the first chunk to the
-- last, so that whatever a kill cuts off is finished by the next run and named until then.
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
) STRICT, WITHOUT ROWID;

-- Whose export a record came from, if not the operator's own: a name, or `unknown`.
ALTER TABLE memories ADD COLUMN origin TEXT;

-- A checksum over the content of each row (memctl/store/checksums.py). Rows that are there get
-- theirs from maintenance, in chunks.
ALTER TABLE meta ADD COLUMN checksum INTEGER;
ALTER TABLE projects ADD COLUMN checksum INTEGER;
ALTER TABLE project_aliases ADD COLUMN checksum INTEGER;
ALTER TABLE project_links ADD COLUMN checksum INTEGER;
ALTER TABLE repos ADD COLUMN checksum INTEGER;
ALTER TABLE sources ADD COLUMN checksum INTEGER;
ALTER TABLE source_parts ADD COLUMN checksum INTEGER;
ALTER TABLE ingestion_events ADD COLUMN checksum INTEGER;
ALTER TABLE evidence ADD COLUMN checksum INTEGER;
ALTER TABLE memory_links ADD COLUMN checksum INTEGER;
ALTER TABLE entities ADD COLUMN checksum INTEGER;
ALTER TABLE entity_aliases ADD COLUMN checksum INTEGER;
ALTER TABLE memory_entities ADD COLUMN checksum INTEGER;
ALTER TABLE tombstones ADD COLUMN checksum INTEGER;
ALTER TABLE retrieval_logs ADD COLUMN checksum INTEGER;
ALTER TABLE saved_views ADD COLUMN checksum INTEGER;
ALTER TABLE embedding_models ADD COLUMN checksum INTEGER;
ALTER TABLE embeddings ADD COLUMN checksum INTEGER;
ALTER TABLE citations ADD COLUMN checksum INTEGER;
ALTER TABLE outcomes ADD COLUMN checksum INTEGER;
ALTER TABLE proposals ADD COLUMN checksum INTEGER;
ALTER TABLE muted_rules ADD COLUMN checksum INTEGER;
ALTER TABLE maintenance_steps ADD COLUMN checksum INTEGER;
ALTER TABLE model_calls ADD COLUMN checksum INTEGER;
ALTER TABLE unfinished_operations ADD COLUMN checksum INTEGER;

PRAGMA user_version = 4;

COMMIT;
