-- name: get
-- One note about the store itself.
SELECT value FROM meta WHERE key = :key;

-- name: set
-- Set a note about the store itself.
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: like
-- The keys that begin with a prefix; `upper` is the first text that no longer does.
SELECT key FROM meta WHERE key >= :prefix AND key < :upper;
