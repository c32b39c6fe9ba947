-- The nearest-neighbour table (sqlite-vec): signed bytes, partitioned by visibility. It is derived,
-- and exists only if the extension can be loaded. Its width is that of the model; 384 is a
-- placeholder here.

-- name: exists
-- Whether the table has been made, with all parts; sqlite-vec crashes where one is gone.
SELECT count(*) = 4 FROM sqlite_schema
WHERE name IN ('memories_vec', 'memories_vec_chunks', 'memories_vec_rowids', 'memories_vec_vector_chunks00');

-- name: create
-- Make the table.
CREATE VIRTUAL TABLE memories_vec USING vec0 (place TEXT PARTITION KEY, vector INT8[384] DISTANCE_METRIC=cosine, CHUNK_SIZE=256);

-- name: drop
-- Drop the table.
DROP TABLE memories_vec;

-- name: insert
-- Index one vector.
INSERT INTO memories_vec (rowid, place, vector) VALUES (:n, :place, vec_int8(:vector));

-- name: delete
-- Remove one vector.
DELETE FROM memories_vec WHERE rowid = :n;

-- name: nearest
-- The nearest vectors of one scope key, with their cosine distance.
SELECT rowid AS n, distance FROM memories_vec WHERE vector MATCH vec_int8(:vector) AND k = :limit AND place = :place;

-- name: nearest_anywhere
-- The nearest vectors of all scope keys.
SELECT rowid AS n, distance FROM memories_vec WHERE vector MATCH vec_int8(:vector) AND k = :limit;

-- name: differs
-- Whether the table lacks a vector that is marked as indexed, or a chunk that holds vectors.
SELECT EXISTS (
    SELECT 1 FROM embeddings AS e INDEXED BY embeddings_memory
    WHERE e.model_id = :model_id AND NOT EXISTS (SELECT 1 FROM memories_vec_rowids AS r WHERE r.rowid = e.memory_n) AND e.indexed = 1)
  OR EXISTS (
    SELECT 1 FROM memories_vec_rowids AS r WHERE NOT EXISTS (SELECT 1 FROM memories_vec_chunks AS c WHERE c.chunk_id = r.chunk_id))
  OR EXISTS (
    SELECT 1 FROM memories_vec_chunks AS c WHERE NOT EXISTS (SELECT 1 FROM memories_vec_vector_chunks00 AS v WHERE v.rowid = c.chunk_id));

-- name: numbers
-- How many entries the table has, and how many chunks say and hold what is in it.
SELECT (SELECT count(*) FROM memories_vec_rowids) AS entries, (SELECT count(*) FROM memories_vec_chunks) AS chunks,
  (SELECT count(*) FROM memories_vec_vector_chunks00) AS held;

-- name: taken
-- The places of each chunk that hold a vector, a bit each.
SELECT validity FROM memories_vec_chunks;

-- name: stale
-- The entries whose vector is gone.
SELECT r.rowid AS n FROM memories_vec_rowids AS r WHERE NOT EXISTS (SELECT 1 FROM embeddings AS e WHERE e.memory_n = r.rowid) ORDER BY r.rowid;
