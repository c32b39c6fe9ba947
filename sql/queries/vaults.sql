-- Folders of notes, and what their notes and records held when they were last the same.

-- name: find
-- One folder by its id.
SELECT * FROM vaults WHERE id = :id;

-- name: everything
-- All folders, the newest first.
SELECT * FROM vaults ORDER BY id DESC;

-- name: put
-- Note a folder, or where it is now.
INSERT INTO vaults (id, path, created_at) VALUES (:id, :path, :at)
ON CONFLICT (id) DO UPDATE SET path = excluded.path;

-- name: note_sync
-- Note when a folder was last brought in line.
UPDATE vaults SET synced_at = :at WHERE id = :id;

-- name: notes
-- What is known of the notes of one folder.
SELECT memory_id, base_hash, place_hash FROM vault_notes WHERE vault_id = :vault_id ORDER BY memory_id;

-- name: put_note
-- Note what a note and its record hold.
INSERT INTO vault_notes (vault_id, memory_id, base_hash, place_hash) VALUES (:vault_id, :memory_id, :base_hash, :place_hash)
ON CONFLICT (vault_id, memory_id) DO UPDATE SET base_hash = excluded.base_hash, place_hash = excluded.place_hash;

-- name: drop_note
-- Forget one note.
DELETE FROM vault_notes WHERE vault_id = :vault_id AND memory_id = :memory_id;
