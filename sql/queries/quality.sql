-- name: accounts
-- What became of what each agent, format and rule proposed `since` a time, one row for each
-- combination. What was approved before `long_ago` has had enough time to be used.
WITH brought AS (
  SELECT m.id, m.status, m.access_count, m.good, m.bad, coalesce(m.rule, '') AS rule,
    coalesce(s.agent, CASE WHEN m.source_ref LIKE 'manual:agent:%' THEN substr(m.source_ref, 14) ELSE 'memctl' END) AS agent,
    coalesce(s.format, CASE WHEN m.source_ref LIKE 'manual:%' THEN 'by hand' ELSE 'other records' END) AS format,
    coalesce(m.status = 'superseded' AND m.status_reason LIKE 'merged into %', 0) AS absorbed,
    (SELECT max(e.seq) FROM memory_events AS e
     WHERE e.memory_id = m.id AND e.topic = 'record' AND e.verb IN ('promoted', 'confirmed')) AS approval,
    (SELECT t.verdict FROM tombstones AS t WHERE t.memory_id = m.id ORDER BY t.created_at DESC LIMIT 1) AS verdict,
    (SELECT t.actor FROM tombstones AS t WHERE t.memory_id = m.id ORDER BY t.created_at DESC LIMIT 1) AS judge
  FROM memories AS m LEFT JOIN sources AS s ON s.id = m.source_ref
  WHERE (m.rule IS NOT NULL OR s.id IS NOT NULL OR m.source_ref LIKE 'manual:agent:%')
    AND (:since IS NULL OR m.created_at >= :since)
),
ended AS (
  SELECT b.*, e.actor AS approver, e.at AS approved_at,
    CASE
      WHEN b.status = 'inbox' THEN 'waiting'
      WHEN b.status = 'archived' AND b.verdict IN ('rejected', 'forgotten') THEN b.verdict
      WHEN b.approval IS NOT NULL THEN 'approved'
      WHEN b.absorbed THEN 'merged'
      WHEN b.status IN ('active', 'contradicted') THEN 'at_once'
      ELSE 'lapsed'
    END AS ending
  FROM brought AS b LEFT JOIN memory_events AS e ON e.seq = b.approval
)
SELECT agent, format, rule, count(*) AS proposed, sum(ending = 'waiting') AS waiting, sum(ending = 'approved') AS approved,
  sum(ending = 'rejected') AS rejected, sum(ending = 'forgotten') AS forgotten, sum(ending = 'merged') AS merged,
  sum(ending = 'at_once') AS at_once, sum(ending = 'lapsed') AS lapsed,
  sum(ending = 'approved' AND approver = 'policy') AS by_policy,
  sum(ending = 'approved' AND approver = 'operator') AS kept_by_you,
  sum(ending IN ('rejected', 'forgotten') AND judge = 'operator') AS refused_by_you,
  sum(ending = 'approved' AND status = 'contradicted') AS contradicted,
  sum(ending = 'approved' AND status = 'superseded' AND NOT absorbed) AS superseded,
  sum(ending = 'approved' AND status = 'active' AND access_count = 0 AND approved_at < :long_ago) AS unused,
  sum(good) AS good, sum(bad) AS bad
FROM ended GROUP BY agent, format, rule ORDER BY agent, format, rule;

-- name: muted
-- The rules whose candidates are not proposed.
SELECT * FROM muted_rules ORDER BY rule;

-- name: mute
-- Mute a rule; a muted one stays as it is.
INSERT INTO muted_rules (rule, reason, actor, created_at) VALUES (:rule, :reason, :actor, :created_at) ON CONFLICT (rule) DO NOTHING;

-- name: unmute
-- Unmute a rule.
DELETE FROM muted_rules WHERE rule = :rule;

-- name: waiting_of_rule
-- How many candidates of a rule wait in the inbox.
SELECT count(*) FROM memories WHERE rule = :rule AND status = 'inbox';

-- name: is_known_rule
-- Whether any record was ever proposed by a rule.
SELECT 1 FROM memories WHERE rule = :rule LIMIT 1;
