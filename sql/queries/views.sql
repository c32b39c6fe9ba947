-- name: insert
-- Save a view.
INSERT INTO saved_views (name, kind, definition, created_at, updated_at) VALUES (:name, :kind, :definition, :created_at, :updated_at)
ON CONFLICT (name) DO NOTHING;
