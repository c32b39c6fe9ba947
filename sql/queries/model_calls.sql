-- What a language model was asked and what it answered. A row without tokens only notes that its
-- work was finished.

-- name: insert
-- Note a question before it is asked, so that it counts whatever its result.
INSERT INTO model_calls (
  id, purpose, model, prompt_version, input_hash, about, state, output, tokens_in, tokens_out, cost, duration_ms, error, at
) VALUES (
  :id, :purpose, :model, :prompt_version, :input_hash, :about, :state, :output, :tokens_in, :tokens_out, :cost, :duration_ms, :error, :at
);

-- name: finish
-- Note the result of a question.
UPDATE model_calls SET
  state = :state, output = :output, tokens_in = :tokens_in, tokens_out = :tokens_out, cost = :cost, duration_ms = :duration_ms, error = :error
WHERE id = :id;

-- name: answered
-- The latest answer to the same question.
SELECT * FROM model_calls
WHERE purpose = :purpose AND model = :model AND prompt_version = :prompt_version AND input_hash = :input_hash AND state = 'done'
ORDER BY id DESC LIMIT 1;

-- name: attempts
-- How often the same question failed since a time, besides errors that begin with certain words.
SELECT count(*) FROM model_calls
WHERE purpose = :purpose AND model = :model AND prompt_version = :prompt_version AND input_hash = :input_hash AND state = 'failed'
  AND at >= :since AND coalesce(substr(error, 1, length(:besides)), '') <> :besides;

-- name: spent
-- What was asked since a time: calls, failures, tokens and cost.
SELECT
  count(*) AS calls, coalesce(sum(state = 'failed'), 0) AS failed, coalesce(sum(tokens_in), 0) AS tokens_in,
  coalesce(sum(tokens_out), 0) AS tokens_out, coalesce(sum(cost), 0.0) AS cost
FROM model_calls WHERE at >= :since AND tokens_in IS NOT NULL;

-- name: by_purpose
-- The same for each purpose and model.
SELECT
  purpose, model, count(*) AS calls, sum(state = 'failed') AS failed, coalesce(sum(tokens_in), 0) AS tokens_in,
  coalesce(sum(tokens_out), 0) AS tokens_out, coalesce(sum(cost), 0.0) AS cost
FROM model_calls WHERE at >= :since AND tokens_in IS NOT NULL GROUP BY purpose, model ORDER BY purpose, model;

-- name: latest
-- The latest questions to a model, newest first.
SELECT state, error, duration_ms, cost, at FROM model_calls INDEXED BY model_calls_at
WHERE model = :model AND tokens_in IS NOT NULL ORDER BY at DESC, id DESC LIMIT :limit;

-- name: troubles
-- The latest failures, newest first.
SELECT at, purpose, model, state, error FROM model_calls WHERE error IS NOT NULL ORDER BY at DESC, id DESC LIMIT :limit;

-- name: kept
-- How many answers are kept, and their size in bytes.
SELECT count(*) AS answers, coalesce(sum(length(CAST(output AS BLOB))), 0) AS bytes FROM model_calls WHERE output IS NOT NULL;

-- name: forget_answers
-- Drop the answers and errors of old questions; the note that they were asked stays.
UPDATE model_calls SET output = NULL, error = NULL WHERE at < :before AND (output IS NOT NULL OR error IS NOT NULL);

-- name: unread_sources
-- Sources that no model has read as long as they are now, newest first.
SELECT * FROM sources
WHERE turn_count > 0 AND NOT EXISTS (
  SELECT 1 FROM model_calls
  WHERE purpose = :purpose AND model = '' AND prompt_version = '' AND input_hash = sources.id || ':' || sources.turn_count
)
ORDER BY sources.id DESC LIMIT :limit;

-- name: records_after
-- Living records that are not private, without episodes, by time of their last change, after a
-- given one.
SELECT * FROM memories
WHERE status IN ('active', 'contradicted', 'inbox') AND type <> 'episode' AND scope IN ('global', 'project', 'repo')
  AND (updated_at, id) > (:at, :id)
ORDER BY updated_at, id LIMIT :limit;

-- name: fresh_of_project
-- Active records of one project created since a time that are not private, oldest first.
SELECT * FROM memories
WHERE project_id = :project_id AND status = 'active' AND scope IN ('project', 'repo') AND kind <> 'reflection' AND created_at > :since
ORDER BY created_at, id LIMIT :limit;

-- name: reworded_from
-- Living records that are not private and absorbed others of nearly the same words, by id after a
-- given one.
SELECT DISTINCT memories.* FROM memories JOIN memory_links ON memory_links.from_id = memories.id
WHERE memory_links.relation = 'supersedes' AND memory_links.reason LIKE 'merged: nearly%' AND memories.status IN ('active', 'inbox')
  AND memories.scope IN ('global', 'project', 'repo') AND memories.id > :id
ORDER BY memories.id LIMIT :limit;
