-- name: insert
-- Ask the operator something.
INSERT INTO proposals (id, kind, about, data, reason, state, actor, created_at)
VALUES (:id, :kind, :about, :data, :reason, :state, :actor, :created_at);

-- name: by_id
-- One proposal, with the title of the record it is about.
SELECT p.*, m.title FROM proposals AS p LEFT JOIN memories AS m ON m.id = p.about WHERE p.id = :id;

-- name: by_prefix
-- Up to nine proposals whose ids begin with a prefix (`upper` is the prefix followed by the highest
-- character).
SELECT id FROM proposals WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: latest
-- The last proposal about one thing.
SELECT p.*, m.title FROM proposals AS p LEFT JOIN memories AS m ON m.id = p.about
WHERE p.kind = :kind AND p.about = :about ORDER BY p.created_at DESC, p.id DESC LIMIT 1;

-- name: open
-- What waits for the operator, oldest first, of one kind or of all.
SELECT p.*, m.title FROM proposals AS p LEFT JOIN memories AS m ON m.id = p.about
WHERE p.state = 'open' AND (:kind IS NULL OR p.kind = :kind) ORDER BY p.created_at, p.id;

-- name: decide
-- Settle a proposal (or open it again).
UPDATE proposals SET state = :state, decided_at = :decided_at WHERE id = :id;

-- name: neighbours
-- For each id in a JSON array the ids just before and just after it among proposals and records, to
-- find its shortest unique prefix.
SELECT wanted.value AS id,
  max(
    ifnull((SELECT max(p.id) FROM proposals AS p WHERE p.id < wanted.value), ''),
    ifnull((SELECT max(m.id) FROM memories AS m WHERE m.id < wanted.value), '')
  ) AS before,
  min(
    ifnull((SELECT min(p.id) FROM proposals AS p WHERE p.id > wanted.value), '~'),
    ifnull((SELECT min(m.id) FROM memories AS m WHERE m.id > wanted.value), '~')
  ) AS after
FROM json_each(:ids) AS wanted;
