-- name: gone
-- For each record of a JSON array that cites something missing, the number of missing and of
-- checked citations.
SELECT c.memory_id, sum(c.state = 'missing') AS missing, count(*) AS known FROM citations AS c
WHERE c.memory_id IN (SELECT DISTINCT m.memory_id FROM json_each(:ids) AS w JOIN citations AS m ON m.memory_id = w.value AND m.state = 'missing')
  AND c.state <> 'unknown'
GROUP BY c.memory_id;

-- name: tally
-- For each record of a JSON array, the votes of each actor.
SELECT memory_id, actor, sum(verdict = 'good') AS good, sum(verdict = 'bad') AS bad FROM outcomes
WHERE memory_id IN (SELECT value FROM json_each(:ids)) GROUP BY memory_id, actor;
