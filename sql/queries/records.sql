-- name: insert
-- Store a new record; `n` is assigned.
INSERT INTO memories (
  id, type, kind, scope, status, status_reason, project_id, repo_id, agent_id, session_id, owner, source_kind, title, content, summary,
  subject, rationale, alternatives, confidence, trust, observed_at, last_accessed_at, access_count, decay_rate, protected, always_load,
  valid_from, valid_until, fingerprint, source_ref, evidence_ref, rule, confirmed_at, never_load, origin, good, bad, row_hash, created_at,
  updated_at
) VALUES (
  :id, :type, :kind, :scope, :status, :status_reason, :project_id, :repo_id, :agent_id, :session_id, :owner, :source_kind, :title,
  :content, :summary, :subject, :rationale, :alternatives, :confidence, :trust, :observed_at, :last_accessed_at, :access_count,
  :decay_rate, :protected, :always_load, :valid_from, :valid_until, :fingerprint, :source_ref, :evidence_ref, :rule,
  :confirmed_at, :never_load, :origin, :good, :bad, :row_hash, :created_at, :updated_at
)
RETURNING n;

-- name: update
-- Set every changeable column of a record to its current value.
UPDATE memories SET
  type = :type, kind = :kind, scope = :scope, status = :status, status_reason = :status_reason, project_id = :project_id,
  repo_id = :repo_id, agent_id = :agent_id, session_id = :session_id, owner = :owner, source_kind = :source_kind, title = :title,
  content = :content, summary = :summary, subject = :subject, rationale = :rationale, alternatives = :alternatives,
  confidence = :confidence, trust = :trust, observed_at = :observed_at, decay_rate = :decay_rate, protected = :protected,
  always_load = :always_load, valid_from = :valid_from, valid_until = :valid_until, fingerprint = :fingerprint,
  source_ref = :source_ref, evidence_ref = :evidence_ref, rule = :rule,
  confirmed_at = :confirmed_at, never_load = :never_load, origin = :origin, row_hash = :row_hash, updated_at = :updated_at
WHERE id = :id
RETURNING n;

-- name: touch
-- Count one use of each record in a JSON array of ids.
UPDATE memories SET last_accessed_at = max(coalesce(last_accessed_at, :at), :at), access_count = access_count + 1
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: get
-- One record by its full id.
SELECT * FROM memories WHERE id = :id;

-- name: by_ids
-- The records in a JSON array of ids, in no order.
SELECT * FROM memories WHERE id IN (SELECT value FROM json_each(:ids));

-- name: by_numbers
-- The records in a JSON array of index numbers, in no order.
SELECT * FROM memories WHERE n IN (SELECT value FROM json_each(:numbers));

-- name: by_prefix
-- Up to nine ids that begin with a prefix (`upper` is the prefix followed by the highest
-- character).
SELECT id FROM memories WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: by_fingerprint
-- Records with the same normalised content in the same scope, oldest first.
SELECT * FROM memories WHERE fingerprint = :fingerprint ORDER BY id;

-- name: by_fingerprints
-- Records with any of the fingerprints in a JSON array, oldest first.
SELECT * FROM memories WHERE fingerprint IN (SELECT value FROM json_each(:fingerprints)) ORDER BY id;

-- name: by_subject
-- Living records about one subject.
SELECT * FROM memories WHERE subject = :subject AND status IN ('active', 'inbox', 'contradicted') ORDER BY id;

-- name: by_source
-- Every record taken from one source.
SELECT * FROM memories WHERE source_ref = :source_ref ORDER BY id;

-- name: select
-- Records within filters, newest change first; every filter is optional, sets are JSON arrays.
SELECT * FROM memories
WHERE (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
  AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
  AND (:scopes IS NULL OR scope IN (SELECT value FROM json_each(:scopes)))
  AND (:project_id IS NULL OR project_id = :project_id)
  AND (:agent_id IS NULL OR agent_id = :agent_id)
  AND (:source_kind IS NULL OR source_kind = :source_kind)
  AND (:source_ref IS NULL OR source_ref = :source_ref)
  AND (:tags IS NULL OR id IN (
    SELECT m.memory_id FROM entities AS e JOIN memory_entities AS m ON m.entity_id = e.id
    WHERE e.kind = 'concept' AND e.name IN (SELECT '#' || value FROM json_each(:tags))
    GROUP BY m.memory_id HAVING count(DISTINCT e.id) = json_array_length(:tags)))
  AND (:min_confidence IS NULL OR confidence >= :min_confidence)
  AND (:max_confidence IS NULL OR confidence <= :max_confidence)
  AND (:since IS NULL OR updated_at >= :since)
  AND (:before IS NULL OR updated_at < :before)
  AND (:viewer IS NULL OR scope NOT IN ('agent', 'session') OR (scope = 'agent' AND agent_id IS :viewer)
    OR (scope = 'session' AND (source_kind = 'manual' OR (status = 'inbox' AND :viewer = 'unknown'))))
ORDER BY updated_at DESC, id DESC
LIMIT :limit OFFSET :offset;

-- name: tally
-- How many records stand in each type and status, per project.
SELECT project_id, type, status, count(*) AS count FROM memories GROUP BY project_id, type, status ORDER BY project_id, type, status;

-- name: expired
-- Living records whose validity has ended.
SELECT * FROM memories WHERE valid_until IS NOT NULL AND valid_until <= :now AND status IN ('active', 'contradicted', 'inbox') ORDER BY id;

-- name: unused
-- Active, unprotected records of some types that were neither seen nor changed since a time.
SELECT * FROM memories
WHERE status = 'active' AND protected = 0 AND type IN (SELECT value FROM json_each(:types))
  AND coalesce(last_accessed_at, updated_at) < :before AND updated_at < :before
ORDER BY id;

-- name: everything
-- Every record in the order of its id.
SELECT * FROM memories ORDER BY id;

-- name: numbers
-- The index number of one record.
SELECT n FROM memories WHERE id = :id;

-- name: retellable
-- Episodes after an id that a rule told from a source which only other versions of the extraction read, in order.
SELECT * FROM memories WHERE rule = :rule AND type = 'episode' AND status IN ('active', 'inbox') AND id > :after
  AND EXISTS (
    SELECT 1 FROM ingestion_events WHERE source_id = memories.source_ref AND processor = 'extract' AND processor_version IS NOT NULL
  )
  AND NOT EXISTS (
    SELECT 1 FROM ingestion_events WHERE source_id = memories.source_ref AND processor = 'extract' AND processor_version = :version
  )
ORDER BY id LIMIT :limit;
