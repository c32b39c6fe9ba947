-- name: insert
-- Add one ingestion event.
INSERT INTO ingestion_events (
  id, trigger, actor, source_id, requested_scope, state, attempts, not_before, processor, processor_version, outcome, error, created_at,
  updated_at
) VALUES (
  :id, :trigger, :actor, :source_id, :requested_scope, :state, :attempts, :not_before, :processor, :processor_version, :outcome, :error,
  :created_at, :updated_at
);

-- name: lease
-- Take the next due event, or one whose lease ran out; no other process can take it until `until`.
UPDATE ingestion_events
SET state = 'leased', attempts = attempts + 1, lease_owner = :owner, lease_until = :until, updated_at = :now
WHERE id = (
  SELECT id FROM ingestion_events
  WHERE state IN ('queued', 'failed', 'leased')
    AND ((state IN ('queued', 'failed') AND not_before <= :now) OR (state = 'leased' AND lease_until < :now))
  ORDER BY not_before, id LIMIT 1
)
RETURNING *;

-- name: finish
-- Write down how an event ended, or when to try it again.
UPDATE ingestion_events
SET state = :state, not_before = :not_before, outcome = :outcome, error = :error, processor = :processor,
  processor_version = :processor_version, lease_owner = NULL, lease_until = NULL, updated_at = :now
WHERE id = :id AND (lease_owner IS :owner);

-- name: requested_scope
-- The scope that was last asked for with a capture of one session, and by whom.
SELECT e.requested_scope, e.actor
FROM sources AS s JOIN ingestion_events AS e ON e.source_id = s.id
WHERE s.agent = :agent AND s.session_id = :session_id AND e.requested_scope IS NOT NULL
ORDER BY e.id DESC LIMIT 1;

-- name: by_prefix
-- Up to nine ids of events that begin with a prefix.
SELECT id FROM ingestion_events WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: get
-- One event.
SELECT * FROM ingestion_events WHERE id = :id;

-- name: holder
-- The run that has leased an event.
SELECT lease_owner FROM ingestion_events WHERE id = :id AND state = 'leased';

-- name: waiting
-- The queued event of a source that no one has begun.
SELECT * FROM ingestion_events WHERE source_id = :source_id AND state = 'queued' ORDER BY id LIMIT 1;

-- name: postpone
-- Let an event that no one has begun wait longer.
UPDATE ingestion_events SET not_before = :until, updated_at = :now WHERE id = :id AND state = 'queued' AND not_before < :until;

-- name: recent
-- Newest events first; filters are optional.
SELECT * FROM ingestion_events
WHERE (:state IS NULL OR state = :state) AND (:since IS NULL OR created_at >= :since)
ORDER BY id DESC LIMIT :limit;

-- name: tally
-- How many events stand in each state.
SELECT state, count(*) AS count FROM ingestion_events GROUP BY state ORDER BY state;

-- name: retry
-- Make failed and dead events due again.
UPDATE ingestion_events SET state = 'queued', attempts = 0, not_before = :now, updated_at = :now WHERE state IN ('failed', 'dead');
