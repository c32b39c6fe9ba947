-- Putting a damaged virtual table aside, whatever its state. Its tables become ordinary ones, which
-- are emptied in short transactions. `meta` and `replaced_1` stand for the names of tables.

-- name: unlock_schema
-- Let this connection change the list of tables.
PRAGMA writable_schema = ON;

-- name: unlink
-- Take a virtual table out of the list of tables; what it kept its content in stays.
DELETE FROM sqlite_schema WHERE type = 'table' AND name = :name AND sql LIKE 'CREATE VIRTUAL TABLE%';

-- name: reload_schema
-- Read the list of tables again and let nobody change it.
PRAGMA writable_schema = RESET;

-- name: parts
-- The tables whose names begin with a prefix.
SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, length(:prefix)) = :prefix ORDER BY name;

-- name: has_rowid
-- Whether the rows of a table have numbers.
SELECT NOT wr FROM pragma_table_list WHERE name = :name AND schema = 'main';

-- name: rename
-- Give a table another name.
ALTER TABLE meta RENAME TO replaced_1;

-- name: drain
-- Delete some rows of a table that was put aside.
DELETE FROM memories WHERE rowid IN (SELECT rowid FROM memories LIMIT :many);

-- name: drop
-- Drop a table that was put aside.
DROP TABLE IF EXISTS replaced_1;
