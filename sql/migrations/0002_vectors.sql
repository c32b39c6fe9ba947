-- Vectors for every record, and retrievals by session. One vector is `dimensions` signed bytes:
-- small enough to stand in the row itself. They are ordered by model, because one model is read at
-- a time; `indexed` says whether the derived nearest-neighbour table has this vector, and what it
-- lacks is found without a scan. That table is no part of the schema: it needs an extension that
-- not every SQLite loads, so `memctl maintain` makes it where it can.

BEGIN IMMEDIATE;

DROP TABLE embeddings;

CREATE TABLE embeddings (
  model_id INTEGER NOT NULL REFERENCES embedding_models (id),
  memory_n INTEGER NOT NULL REFERENCES memories (n),
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  indexed INTEGER NOT NULL DEFAULT 0 CHECK (indexed IN (0, 1)),
  PRIMARY KEY (model_id, memory_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX embeddings_memory ON embeddings (memory_n);
CREATE INDEX embeddings_unindexed ON embeddings (model_id, memory_n) WHERE indexed = 0;

-- What one session of an agent was already given.
ALTER TABLE retrieval_logs ADD COLUMN session_id TEXT;
CREATE INDEX retrieval_logs_session ON retrieval_logs (session_id, at) WHERE session_id IS NOT NULL;

PRAGMA user_version = 2;

COMMIT;
