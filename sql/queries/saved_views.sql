-- name: insert
-- Save a view under a name that is not taken.
INSERT INTO saved_views (name, kind, definition, created_at, updated_at) VALUES (:name, :kind, :definition, :created_at, :updated_at)
ON CONFLICT (name) DO NOTHING;

-- name: replace
-- Give a saved view another kind and definition.
UPDATE saved_views SET kind = :kind, definition = :definition, updated_at = :updated_at WHERE name = :name;

-- name: get
-- One saved view.
SELECT name, kind, definition, created_at, updated_at FROM saved_views WHERE name = :name;

-- name: all
-- Every saved view, by name.
SELECT name, kind, definition, created_at, updated_at FROM saved_views ORDER BY name;

-- name: delete
-- Forget a saved view.
DELETE FROM saved_views WHERE name = :name;
