-- name: begin
-- Note that a maintenance step begins.
INSERT INTO maintenance_steps (run_id, step, state, position, outcome, error, started_at, ended_at)
VALUES (:run_id, :step, 'running', :position, :outcome, NULL, :at, NULL)
ON CONFLICT (run_id, step) DO UPDATE SET state = 'running', outcome = excluded.outcome, ended_at = NULL;

-- name: hold
-- Note how far a running step came; this also shows that it is still running.
UPDATE maintenance_steps SET outcome = :outcome, position = :position WHERE run_id = :run_id AND step = :step AND state = 'running';

-- name: end
-- Note how a running step ended.
UPDATE maintenance_steps SET state = :state, position = :position, outcome = :outcome, error = :error, ended_at = :at
WHERE run_id = :run_id AND step = :step AND state = 'running';

-- name: running
-- The steps that a run has begun and not ended, oldest first; only one step if it is named.
SELECT * FROM maintenance_steps WHERE state = 'running' AND (:step IS NULL OR step = :step) ORDER BY started_at, run_id;

-- name: latest
-- The newest few times that a step ran, newest first.
SELECT * FROM maintenance_steps WHERE step = :step ORDER BY started_at DESC, run_id DESC LIMIT :limit;

-- name: done
-- The last time that a step was done.
SELECT * FROM maintenance_steps WHERE step = :step AND state = 'done' ORDER BY started_at DESC, run_id DESC LIMIT 1;

-- name: old
-- How many steps began before a time, except the newest of each and the last that was done.
SELECT count(*) FROM maintenance_steps
WHERE started_at < :before
  AND EXISTS (SELECT 1 FROM maintenance_steps AS later WHERE later.step = maintenance_steps.step AND later.started_at > maintenance_steps.started_at
    AND (maintenance_steps.state <> 'done' OR later.state = 'done'));

-- name: prune
-- Drop steps that began before a time, except the newest of each and the last that was done.
DELETE FROM maintenance_steps
WHERE started_at < :before
  AND EXISTS (SELECT 1 FROM maintenance_steps AS later WHERE later.step = maintenance_steps.step AND later.started_at > maintenance_steps.started_at
    AND (maintenance_steps.state <> 'done' OR later.state = 'done'));

-- name: due_jobs
-- How many ingestions are due, or were left by a holder whose time has run out.
SELECT count(*) FROM ingestion_events
WHERE state IN ('queued', 'failed', 'leased')
  AND ((state IN ('queued', 'failed') AND not_before <= :now) OR (state = 'leased' AND lease_until < :now));

-- name: holders
-- Who holds ingestions.
SELECT DISTINCT lease_owner AS owner FROM ingestion_events WHERE state IN ('queued', 'failed', 'leased') AND state = 'leased';

-- name: release
-- Release the ingestions that were held by a run that is gone.
UPDATE ingestion_events SET state = 'queued', not_before = :now, lease_owner = NULL, lease_until = NULL, updated_at = :now
WHERE state = 'leased' AND lease_owner = :owner;

-- name: give_back
-- Give back one ingestion that was begun without a result; the attempt does not count.
UPDATE ingestion_events
SET state = 'queued', attempts = attempts - 1, not_before = :now, lease_owner = NULL, lease_until = NULL, updated_at = :now
WHERE id = :id AND lease_owner = :owner AND state = 'leased';

-- name: changed_count
-- How many living records, without episodes, were changed after a given one.
SELECT count(*) FROM memories
WHERE status IN ('active', 'contradicted', 'inbox') AND type <> 'episode' AND (updated_at, id) > (:at, :id);

-- name: changed
-- Living records, without episodes, that were changed after a given one, by time of their last
-- change.
SELECT id, updated_at FROM memories
WHERE status IN ('active', 'contradicted', 'inbox') AND type <> 'episode' AND (updated_at, id) > (:at, :id)
ORDER BY updated_at, id;

-- name: numbers_after
-- The next few index numbers of records after a given one.
SELECT n, id FROM memories WHERE n > :after ORDER BY n LIMIT :limit;

-- name: inbox
-- How many candidates wait.
SELECT count(*) FROM memories WHERE status = 'inbox';

-- name: old_logs
-- How many retrievals are older than a time.
SELECT count(*) FROM retrieval_logs WHERE at < :before;

-- name: prune_logs
-- Delete up to a given number of retrievals older than a time.
DELETE FROM retrieval_logs WHERE id IN (SELECT id FROM retrieval_logs WHERE at < :before ORDER BY at LIMIT :most);

-- name: merge
-- Merge about a given number of pages of the full-text index.
INSERT INTO memories_fts (memories_fts, rank) VALUES ('merge', :pages);

-- name: changes
-- How many rows this connection has written so far.
SELECT total_changes();

-- name: head
-- A mark that changes whenever something is captured, changed or logged as work.
SELECT coalesce((SELECT max(seq) FROM memory_events), 0) || ' ' || coalesce((SELECT max(id) FROM ingestion_events), '') || ' '
  || coalesce((SELECT max(updated_at) FROM ingestion_events), '');
