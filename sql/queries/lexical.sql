-- name: insert
-- Index the analysed text of one record.
INSERT INTO memories_fts (rowid, title, summary, content, extra) VALUES (:n, :title, :summary, :content, :extra);

-- name: delete
-- Take one record out of the index.
DELETE FROM memories_fts WHERE rowid = :n;

-- name: clear
-- Empty the index.
DELETE FROM memories_fts;

-- name: here
-- The best matches among the living records that a place may see: global, its project and the projects linked with it.
SELECT m.n, -bm25(memories_fts, 2.0, 1.0, 1.0, 0.5) AS score
FROM memories_fts JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match
  AND m.status IN (SELECT value FROM json_each(:statuses))
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
  AND (m.scope = 'global' OR m.project_id IN (SELECT value FROM json_each(:projects)) OR m.scope IN ('agent', 'session'))
  AND (m.scope <> 'agent' OR m.agent_id = :agent_id)
  AND (m.scope <> 'session' OR m.session_id = :session_id)
  AND (:since IS NULL OR m.observed_at >= :since)
ORDER BY bm25(memories_fts, 2.0, 1.0, 1.0, 0.5) LIMIT :limit;

-- name: elsewhere
-- The best matches among the shared records of all other projects.
SELECT m.n, -bm25(memories_fts, 2.0, 1.0, 1.0, 0.5) AS score
FROM memories_fts JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match
  AND m.status IN (SELECT value FROM json_each(:statuses))
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
  AND m.scope IN ('project', 'repo')
  AND m.project_id NOT IN (SELECT value FROM json_each(:projects))
  AND (:since IS NULL OR m.observed_at >= :since)
ORDER BY bm25(memories_fts, 2.0, 1.0, 1.0, 0.5) LIMIT :limit;

-- name: one
-- The score of a single record, whatever its place and status.
SELECT -bm25(memories_fts, 2.0, 1.0, 1.0, 0.5) AS score FROM memories_fts WHERE memories_fts MATCH :match AND rowid = :n;

-- name: similar
-- Records that share words with a text, whatever their status, in one place.
SELECT m.* FROM memories_fts JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match AND m.scope = :scope AND m.project_id IS :project_id AND m.agent_id IS :agent_id
  AND m.status IN ('active', 'inbox', 'contradicted') AND m.type <> 'episode'
ORDER BY bm25(memories_fts, 2.0, 1.0, 1.0, 0.5) LIMIT :limit;

-- name: document_frequency
-- In how many records a term stands.
SELECT count(*) FROM memories_fts WHERE memories_fts MATCH :match;

-- name: size
-- How many records are indexed.
SELECT count(*) FROM memories_fts;

-- name: missing
-- Records that the index does not have.
SELECT n, id FROM memories WHERE n NOT IN (SELECT rowid FROM memories_fts) ORDER BY n;

-- name: surplus
-- Index entries without a record.
SELECT rowid AS n FROM memories_fts WHERE rowid NOT IN (SELECT n FROM memories);

-- name: stored
-- What the index holds for one record.
SELECT title, summary, content, extra FROM memories_fts WHERE rowid = :n;

-- name: check
-- Raises when the index is damaged in itself.
INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 0);

-- name: optimize
-- Fold the index's segments together.
INSERT INTO memories_fts (memories_fts) VALUES ('optimize');
