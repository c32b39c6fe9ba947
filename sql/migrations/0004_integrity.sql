-- Work that spans several transactions, and what tells that something was changed from outside.

BEGIN IMMEDIATE;

-- Changes that are too many for one short transaction. A row stands from the first chunk to the
-- last, so that whatever a kill cuts off is finished by the next run and named until then.
CREATE TABLE unfinished_operations (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('import', 'ingest', 'revert', 'purge', 'upgrade')),
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

PRAGMA user_version = 4;

COMMIT;
