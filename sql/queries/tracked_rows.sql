-- Rows that belong to records and are in the event log. To undo changes, these statements read a
-- row, set it to what it was, or remove it.

-- name: get_link
-- One link.
SELECT * FROM memory_links WHERE id = :id;

-- name: read_link
-- All links.
SELECT * FROM memory_links ORDER BY id;

-- name: put_link
-- Set a link to what it was.
INSERT INTO memory_links (id, from_id, relation, to_id, reason, confidence, actor, resolved_at, created_at)
VALUES (:id, :from_id, :relation, :to_id, :reason, :confidence, :actor, :resolved_at, :created_at)
ON CONFLICT (id) DO UPDATE SET from_id = excluded.from_id, relation = excluded.relation, to_id = excluded.to_id,
  reason = excluded.reason, confidence = excluded.confidence, actor = excluded.actor, resolved_at = excluded.resolved_at,
  created_at = excluded.created_at;

-- name: drop_link
-- Remove a link.
DELETE FROM memory_links WHERE id = :id;

-- name: get_entity
-- One entity.
SELECT * FROM entities WHERE id = :id;

-- name: read_entity
-- All entities.
SELECT * FROM entities ORDER BY id;

-- name: put_entity
-- Set an entity to what it was.
INSERT INTO entities (id, kind, name, merged_into, created_at) VALUES (:id, :kind, :name, :merged_into, :created_at)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, name = excluded.name, merged_into = excluded.merged_into,
  created_at = excluded.created_at;

-- name: drop_entity
-- Delete an entity that nothing mentions.
DELETE FROM entities WHERE id = :id
  AND NOT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = :id) AND NOT EXISTS (SELECT 1 FROM entity_aliases WHERE entity_id = :id)
  AND NOT EXISTS (SELECT 1 FROM entities AS other WHERE other.merged_into = :id);

-- name: get_alias
-- One other name of an entity.
SELECT * FROM entity_aliases WHERE alias = :alias AND entity_id = :entity_id;

-- name: read_alias
-- All other names of entities.
SELECT * FROM entity_aliases ORDER BY alias, entity_id;

-- name: put_alias
-- Set another name to what it was.
INSERT INTO entity_aliases (alias, entity_id, source_ref, created_at) VALUES (:alias, :entity_id, :source_ref, :created_at)
ON CONFLICT DO UPDATE SET source_ref = excluded.source_ref, created_at = excluded.created_at;

-- name: drop_alias
-- Remove another name.
DELETE FROM entity_aliases WHERE alias = :alias AND entity_id = :entity_id;

-- name: get_tombstone
-- One tombstone.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: read_tombstone
-- All tombstones.
SELECT * FROM tombstones ORDER BY fingerprint, memory_id;

-- name: put_tombstone
-- Set a tombstone to what it was.
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at)
VALUES (:fingerprint, :verdict, :quote_hash, :memory_id, :reason, :actor, :created_at)
ON CONFLICT DO UPDATE SET verdict = excluded.verdict, quote_hash = excluded.quote_hash, reason = excluded.reason, actor = excluded.actor,
  created_at = excluded.created_at;

-- name: drop_tombstone
-- Remove a tombstone.
DELETE FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: get_outcome
-- One vote.
SELECT * FROM outcomes WHERE id = :id;

-- name: read_outcome
-- All votes.
SELECT * FROM outcomes ORDER BY id;

-- name: put_outcome
-- Set a vote to what it was.
INSERT INTO outcomes (id, memory_id, retrieval_id, verdict, reason, actor, created_at)
VALUES (:id, :memory_id, :retrieval_id, :verdict, :reason, :actor, :created_at)
ON CONFLICT (id) DO UPDATE SET memory_id = excluded.memory_id, retrieval_id = excluded.retrieval_id,
  verdict = excluded.verdict, reason = excluded.reason, actor = excluded.actor, created_at = excluded.created_at;

-- name: drop_outcome
-- Remove a vote.
DELETE FROM outcomes WHERE id = :id;

-- name: count_outcomes
-- Count the votes on one record again.
UPDATE memories SET good = (SELECT count(*) FROM outcomes WHERE memory_id = memories.id AND verdict = 'good'),
  bad = (SELECT count(*) FROM outcomes WHERE memory_id = memories.id AND verdict = 'bad')
WHERE id = :memory_id;

-- name: get_proposal
-- One proposal.
SELECT * FROM proposals WHERE id = :id;

-- name: read_proposal
-- All proposals.
SELECT * FROM proposals ORDER BY id;

-- name: put_proposal
-- Set a proposal to what it was.
INSERT INTO proposals (id, kind, about, data, reason, state, actor, created_at, decided_at)
VALUES (:id, :kind, :about, :data, :reason, :state, :actor, :created_at, :decided_at)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, about = excluded.about, data = excluded.data, reason = excluded.reason,
  state = excluded.state, actor = excluded.actor, created_at = excluded.created_at, decided_at = excluded.decided_at;

-- name: drop_proposal
-- Remove a proposal.
DELETE FROM proposals WHERE id = :id;

-- name: get_mute
-- One muted rule.
SELECT * FROM muted_rules WHERE rule = :rule;

-- name: read_mute
-- All muted rules.
SELECT * FROM muted_rules ORDER BY rule;

-- name: put_mute
-- Set a muted rule to what it was.
INSERT INTO muted_rules (rule, reason, actor, created_at) VALUES (:rule, :reason, :actor, :created_at)
ON CONFLICT (rule) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, created_at = excluded.created_at;

-- name: drop_mute
-- Unmute a rule.
DELETE FROM muted_rules WHERE rule = :rule;

-- name: read_mentions
-- By which names records mention entities.
SELECT memory_id, entity_id, name FROM memory_entities ORDER BY memory_id, entity_id, name;

-- name: mentions_of
-- By which names one record mentions entities.
SELECT entity_id, name FROM memory_entities WHERE memory_id = :memory_id ORDER BY entity_id, name;

-- name: put_mention
-- Let a record mention an entity by a name.
INSERT INTO memory_entities (memory_id, entity_id, name) VALUES (:memory_id, :entity_id, :name) ON CONFLICT DO NOTHING;

-- name: drop_mention
-- Remove the mention of an entity by that name from a record.
DELETE FROM memory_entities WHERE memory_id = :memory_id AND entity_id = :entity_id AND name = :name;

-- name: records_of_entity
-- The records that mention one entity.
SELECT DISTINCT memory_id FROM memory_entities WHERE entity_id = :entity_id;

-- name: read_evidence
-- All evidence, and whether it was withdrawn.
SELECT id, memory_id, withdrawn_at FROM evidence ORDER BY id;
