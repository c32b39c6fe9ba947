-- Tables that hold nothing but what is derived or noted, made anew where they are gone.

-- name: missing
-- Which tables of a JSON array of names are not there.
SELECT value AS name FROM json_each(:names)
WHERE value NOT IN (SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY key;

-- name: drop_vectors
-- Drop the vectors, whose models are not known any more.
DROP TABLE embeddings;
