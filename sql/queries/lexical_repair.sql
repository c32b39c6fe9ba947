-- The full-text index made anew, and whether it can be written to.

-- name: is_usable
-- Whether the index has all its parts, and does not say that it holds nothing while it does; a part
-- that is gone is an error.
SELECT EXISTS (SELECT 1 FROM memories_fts_data WHERE id = 1) AND EXISTS (SELECT 1 FROM memories_fts_data WHERE id = 10)
  AND EXISTS (SELECT 1 FROM memories_fts_config WHERE k = 'version')
  AND coalesce((SELECT 1 FROM memories_fts_idx LIMIT 1), 1) AND coalesce((SELECT 1 FROM memories_fts_content LIMIT 1), 1)
  AND (NOT EXISTS (SELECT 1 FROM memories_fts_docsize) OR (SELECT substr(block, 1, 1) FROM memories_fts_data WHERE id = 1) <> x'00');

-- name: is_whole
-- Whether the index has an entry for each record, as far as numbers tell, and each of its pages.
SELECT (SELECT count(*) FROM memories_fts_docsize) = (SELECT count(*) FROM memories)
  AND (SELECT count(*) FROM memories_fts_content) = (SELECT count(*) FROM memories)
  AND NOT EXISTS (
    SELECT 1 FROM memories_fts_idx AS i
    WHERE NOT EXISTS (SELECT 1 FROM memories_fts_data AS d WHERE d.id = (i.segid << 37) + (i.pgno >> 1)))
  AND ((SELECT count(*) FROM memories_fts_docsize) = 0 OR EXISTS (SELECT 1 FROM memories_fts_idx));

-- name: create
-- Make the index, empty.
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  title, summary, content, extra, place,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

-- name: begin_flush
-- Write the entries of this transaction out, so that a damaged index is met before the commit.
SAVEPOINT index_entries;

-- name: end_flush
-- Keep them.
RELEASE index_entries;

-- name: records_count
-- How many records there are.
SELECT count(*) FROM memories;

-- name: missing
-- Some records after a number that the index does not have.
SELECT n, id FROM memories AS m
WHERE m.n > :after AND NOT EXISTS (SELECT 1 FROM memories_fts_docsize AS d WHERE d.id = m.n) ORDER BY m.n LIMIT :limit;
