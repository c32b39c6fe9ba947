-- The nearest-neighbour table (sqlite-vec): signed bytes, partitioned by visibility. It is derived,
-- and exists only if the extension can be loaded. Its width is that of the model; 384 is a
-- placeholder here.

-- name: exists
-- Whether the table has been made.
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'memories_vec');

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
