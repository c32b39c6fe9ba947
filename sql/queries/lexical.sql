-- name: insert
-- Index the analysed text of one record.
INSERT INTO memories_fts (rowid, title, summary, content, extra, place) VALUES (:n, :title, :summary, :content, :extra, :place);

-- name: delete
-- Remove one record from the index.
DELETE FROM memories_fts WHERE rowid = :n;

-- name: clear
-- Empty the index.
DELETE FROM memories_fts;

-- name: best
-- A given number of best matches, each with whether it passes the filters. Records are fetched only
-- for these. The `place` column, which has no weight, restricts the match itself to what the caller
-- may see.
WITH found AS MATERIALIZED (
  SELECT rowid AS n, -bm25(memories_fts, 2.0, 1.0, 1.0, 0.5, 0.0) AS score
  FROM memories_fts WHERE memories_fts MATCH :match ORDER BY score DESC, rowid LIMIT :most
)
SELECT found.n, found.score,
  m.status IN (SELECT value FROM json_each(:statuses))
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
  AND (:scopes IS NULL OR m.scope IN (SELECT value FROM json_each(:scopes)))
  AND (:since IS NULL OR m.observed_at >= :since)
  AND (:until IS NULL OR m.observed_at < :until)
  AND (:repo_id IS NULL OR m.repo_id = :repo_id)
  AND (:min_confidence IS NULL OR m.confidence >= :min_confidence)
  AND (:now IS NULL OR ((m.valid_until IS NULL OR m.valid_until > :now) AND (m.valid_from IS NULL OR m.valid_from <= :now))) AS fits
FROM found CROSS JOIN memories AS m ON m.n = found.n
ORDER BY found.score DESC, found.n;

-- name: one
-- The score of a single record, whatever its place and status.
SELECT -bm25(memories_fts, 2.0, 1.0, 1.0, 0.5, 0.0) AS score FROM memories_fts WHERE memories_fts MATCH :match AND rowid = :n;

-- name: similar
-- Records that share words with a text, whatever their status, in one scope.
SELECT m.* FROM memories_fts JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match AND m.scope = :scope AND m.project_id IS :project_id AND m.agent_id IS :agent_id
  AND m.status IN ('active', 'inbox', 'contradicted') AND m.type <> 'episode'
ORDER BY bm25(memories_fts, 2.0, 1.0, 1.0, 0.5, 0.0) LIMIT :limit;

-- name: document_frequencies
-- For each FTS5 expression of a JSON array, the number of records after an index number that it
-- finds, by position in the array.
SELECT wanted.key AS place, (SELECT count(*) FROM memories_fts WHERE memories_fts MATCH wanted.value AND rowid > :after) AS count
FROM json_each(:matches) AS wanted;

-- name: size
-- How many records are indexed.
SELECT count(*) FROM memories_fts_docsize;

-- name: newest
-- The highest index number. It is also nearly the number of records, because records are rarely
-- erased.
SELECT coalesce((SELECT max(id) FROM memories_fts_docsize), 0) AS newest,
  ((SELECT max(id) FROM memories_fts_docsize) IS NULL AND (SELECT max(n) FROM memories) IS NOT NULL)
  OR coalesce((SELECT value FROM meta WHERE key = 'index_incomplete'), '') <> '' AS incomplete;

-- name: texts
-- What the index holds for the records in a JSON array of index numbers.
SELECT rowid AS n, title, summary, content, extra FROM memories_fts WHERE rowid IN (SELECT value FROM json_each(:numbers));

-- name: missing
-- Records that the index does not have.
SELECT n, id FROM memories WHERE n NOT IN (SELECT rowid FROM memories_fts) ORDER BY n;

-- name: surplus
-- Index entries without a record.
SELECT rowid AS n FROM memories_fts WHERE rowid NOT IN (SELECT n FROM memories);

-- name: check
-- Raise an error if the index itself is damaged.
INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 0);

-- name: holding
-- The newest living records that hold a word, as an FTS5 expression, up to a number.
SELECT m.n FROM memories_fts CROSS JOIN memories AS m ON m.n = memories_fts.rowid
WHERE memories_fts MATCH :match AND m.status IN ('active', 'inbox', 'contradicted') AND m.type <> 'episode'
ORDER BY memories_fts.rowid DESC LIMIT :most;

-- name: open_words
-- Let this connection read the list of all words of the index.
CREATE VIRTUAL TABLE IF NOT EXISTS temp.index_words USING fts5vocab(main, memories_fts, row);

-- name: held_words
-- Those of some stems, a JSON array, that are in the index.
SELECT words.term FROM json_each(:stems) AS wanted CROSS JOIN index_words AS words ON words.term = wanted.value;

-- name: scan
-- Of the newest records, those that pass the filters and hold one of some parts of words.
SELECT m.n, m.scope, m.project_id, m.agent_id, m.session_id,
  m.title || ' ' || m.summary || ' ' || m.content || ' ' || coalesce(m.rationale, '') || ' ' || coalesce(m.subject, '') AS text
FROM (SELECT * FROM memories ORDER BY n DESC LIMIT :newest) AS m
WHERE m.status IN (SELECT value FROM json_each(:statuses))
  AND (:types IS NULL OR m.type IN (SELECT value FROM json_each(:types)))
  AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
  AND (:scopes IS NULL OR m.scope IN (SELECT value FROM json_each(:scopes)))
  AND (:since IS NULL OR m.observed_at >= :since)
  AND (:until IS NULL OR m.observed_at < :until)
  AND (:repo_id IS NULL OR m.repo_id = :repo_id)
  AND (:min_confidence IS NULL OR m.confidence >= :min_confidence)
  AND (:now IS NULL OR ((m.valid_until IS NULL OR m.valid_until > :now) AND (m.valid_from IS NULL OR m.valid_from <= :now)))
  AND EXISTS (SELECT 1 FROM json_each(:parts) AS part WHERE instr(lower(m.title || ' ' || m.summary || ' ' || m.content), part.value) > 0)
ORDER BY m.n DESC LIMIT :most;
