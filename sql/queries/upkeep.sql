-- Statements for the store file itself: copies, checks, and what `doctor` reads completely.

-- name: vacuum_into
-- A complete copy of the store as it is now, safe beside writers; this cannot run inside a
-- transaction.
VACUUM INTO :path;

-- name: integrity
-- What SQLite finds wrong with the file's structure; `ok` when nothing.
PRAGMA integrity_check (20);

-- name: foreign_keys
-- Rows that refer to something that is not there.
SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT 20;

-- name: objects
-- All parts of the schema, without those of SQLite itself and without the tables behind virtual
-- ones.
SELECT type, name, tbl_name, sql FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'memories\_fts\_%' ESCAPE '\' AND name NOT LIKE 'turns\_fts\_%' ESCAPE '\' AND name NOT LIKE 'memories\_vec%' ESCAPE '\'
ORDER BY rowid;

-- name: counts
-- How many rows of everything durable the store holds.
SELECT (SELECT count(*) FROM memories) AS memories, (SELECT count(*) FROM sources) AS sources,
  (SELECT count(*) FROM memory_events) AS stream, (SELECT count(*) FROM projects) AS projects;

-- name: record_numbers
-- The number and id of every record, for the case that one of them cannot be read completely.
SELECT n, id FROM memories ORDER BY n;

-- name: quotes
-- Every quote with the hash that proves it.
SELECT id, memory_id, quote, quote_hash FROM evidence ORDER BY id;

-- name: indexed
-- Every record beside what the index holds for it.
SELECT m.*, f.title AS title_indexed, f.summary AS summary_indexed, f.content AS content_indexed, f.extra AS extra_indexed,
  f.place AS place_indexed
FROM memories AS m JOIN memories_fts AS f ON f.rowid = m.n ORDER BY m.n;

-- name: entity_names
-- The names that belong in the index entry of each record.
SELECT m.memory_id, e.name FROM memory_entities AS m JOIN entities AS e ON e.id = m.entity_id
UNION
SELECT m.memory_id, a.alias FROM memory_entities AS m
JOIN entities AS e ON e.id = m.entity_id JOIN entity_aliases AS a ON a.entity_id = m.entity_id
WHERE a.alias <> lower(e.name)
  AND ((a.alias NOT LIKE 'my %' AND a.alias NOT LIKE 'our %')
    OR NOT EXISTS (SELECT 1 FROM entity_aliases AS b WHERE b.alias = a.alias AND b.created_at > a.created_at))
ORDER BY 1, 2;

-- name: rebuild_index
-- Make the index agree with the texts it holds.
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');

-- name: make_object
-- Make an index, a guard or a table; its definition takes the place of this.
SELECT 0;

-- name: unplaced
-- The candidates that were taken from sessions without a project and wait to be asked about.
SELECT id FROM memories
WHERE status = 'inbox' AND scope = 'session' AND project_id IS NULL AND (source_kind <> 'manual' OR valid_until IS NULL)
ORDER BY id;

-- name: assumed_global
-- Living records, but for the operator's profile, that hold everywhere and were taken from sessions without a project.
SELECT m.id FROM memories AS m JOIN sources AS s ON s.id = m.source_ref
WHERE m.status IN ('active', 'contradicted', 'inbox') AND m.scope = 'global' AND m.type <> 'profile'
  AND m.source_kind = 'conversation' AND m.confirmed_at IS NULL AND s.project_id IS NULL
ORDER BY m.id;
