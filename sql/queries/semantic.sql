-- Vectors. The bytes stored for each record are the truth; the nearest-neighbour table is derived
-- from them (vector_index.sql).

-- name: model
-- One model by its number.
SELECT id, name, dimensions, fingerprint FROM embedding_models WHERE id = :id;

-- name: find_model
-- The number of a model.
SELECT id FROM embedding_models WHERE name = :name AND dimensions = :dimensions AND fingerprint = :fingerprint;

-- name: add_model
-- Note a model that vectors are made with.
INSERT INTO embedding_models (name, dimensions, fingerprint, created_at) VALUES (:name, :dimensions, :fingerprint, :created_at)
ON CONFLICT (name, dimensions, fingerprint) DO NOTHING;

-- name: put
-- Store the vector of one record; it replaces an older one.
INSERT INTO embeddings (model_id, memory_n, text_hash, vector) VALUES (:model_id, :n, :text_hash, :vector)
ON CONFLICT (model_id, memory_n) DO UPDATE SET text_hash = excluded.text_hash, vector = excluded.vector, indexed = 0;

-- name: forget
-- Drop the vectors of one record, whose words or scope changed.
DELETE FROM embeddings WHERE memory_n = :n;

-- name: forget_replaced_models
-- Drop the vectors of every other model that does what one does: answer searches, or read slots.
DELETE FROM embeddings WHERE model_id IN (
  SELECT o.id FROM embedding_models AS o JOIN embedding_models AS kept ON kept.id = :model_id
  WHERE o.id <> kept.id AND (o.name = :slots) = (kept.name = :slots));

-- name: vectors
-- The vectors that one model has for the records in a JSON array of index numbers.
SELECT memory_n AS n, vector FROM embeddings
WHERE model_id = :model_id AND memory_n IN (SELECT value FROM json_each(:numbers));

-- name: wanting
-- Living records after an index number that one model has no vector for; episodes are no statements,
-- and left out where a model is for those alone.
SELECT m.* FROM memories AS m
WHERE m.n > :after AND m.status IN ('active', 'contradicted', 'inbox') AND (:episodes OR m.type <> 'episode')
  AND NOT EXISTS (SELECT 1 FROM embeddings AS e WHERE e.model_id = :model_id AND e.memory_n = m.n)
ORDER BY m.n LIMIT :limit;

-- name: wanting_count
-- How many living records one model has no vector for.
SELECT count(*) FROM memories AS m
WHERE m.status IN ('active', 'contradicted', 'inbox') AND (:episodes OR m.type <> 'episode')
  AND NOT EXISTS (SELECT 1 FROM embeddings AS e WHERE e.model_id = :model_id AND e.memory_n = m.n);

-- name: count
-- How many vectors one model has.
SELECT count(*) FROM embeddings WHERE model_id = :model_id;

-- name: any
-- Whether one model has any vector at all.
SELECT EXISTS (SELECT 1 FROM embeddings WHERE model_id = :model_id);

-- name: unindexed
-- Vectors that the nearest-neighbour table does not have, with the records they belong to.
SELECT e.memory_n AS n, e.vector, m.id, m.scope, m.project_id, m.agent_id, m.session_id
FROM embeddings AS e INDEXED BY embeddings_unindexed JOIN memories AS m ON m.n = e.memory_n
WHERE e.model_id = :model_id AND e.indexed = 0 ORDER BY e.memory_n LIMIT :limit;

-- name: unindexed_count
-- How many vectors the nearest-neighbour table does not have.
SELECT count(*) FROM embeddings INDEXED BY embeddings_unindexed WHERE model_id = :model_id AND indexed = 0;

-- name: mark_indexed
-- Note that the nearest-neighbour table has the vector of one record.
UPDATE embeddings SET indexed = 1 WHERE model_id = :model_id AND memory_n = :n;

-- name: indexed
-- The vectors of a model that count as being in the nearest-neighbour table.
SELECT memory_n AS n FROM embeddings WHERE model_id = :model_id AND indexed = 1 ORDER BY memory_n;

-- name: mark_unindexed
-- Note that the nearest-neighbour table does not have the vector of one record.
UPDATE embeddings SET indexed = 0 WHERE model_id = :model_id AND memory_n = :n AND indexed = 1;

-- name: mark_all_unindexed
-- Note that the nearest-neighbour table no longer has any vector of a model.
UPDATE embeddings SET indexed = 0 WHERE model_id = :model_id AND indexed = 1;
