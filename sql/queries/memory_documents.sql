-- Versions of MEMORY.md. The place is a project's id, or '' for what holds everywhere.

-- name: insert
-- Store a new version.
INSERT INTO memory_documents (id, place, state, lines, diary, actor, created_at, decided_at)
VALUES (:id, :place, :state, :lines, :diary, :actor, :created_at, :decided_at);

-- name: set_state
-- Set what became of a version.
UPDATE memory_documents SET state = :state, decided_at = :decided_at WHERE id = :id;

-- name: set_content
-- Set the lines and the diary of a version.
UPDATE memory_documents SET lines = :lines, diary = :diary WHERE id = :id;

-- name: get
-- One version.
SELECT id, place, state, lines, diary, actor, created_at, decided_at FROM memory_documents WHERE id = :id;

-- name: by_prefix
-- The versions whose ids begin so.
SELECT id FROM memory_documents WHERE id >= :prefix AND id < :upper ORDER BY id LIMIT 9;

-- name: newest
-- The newest version of a place in a state.
SELECT id, place, state, lines, diary, actor, created_at, decided_at FROM memory_documents
WHERE place = :place AND state = :state ORDER BY id DESC LIMIT 1;

-- name: of_place
-- The versions of one place or of all, newest first.
SELECT id, place, state, lines, diary, actor, created_at, decided_at FROM memory_documents
WHERE :place IS NULL OR place = :place ORDER BY id DESC LIMIT :limit;

-- name: staged_places
-- The places of which a version is staged.
SELECT DISTINCT place FROM memory_documents WHERE state = 'staged' ORDER BY place;

-- name: drop_oldest
-- Drop all but the newest versions of a place that are neither staged nor current.
DELETE FROM memory_documents WHERE place = :place AND state NOT IN ('staged', 'current') AND id NOT IN (
  SELECT id FROM memory_documents WHERE place = :place AND state NOT IN ('staged', 'current')
  ORDER BY id DESC LIMIT :kept
);

-- name: withdraw_moved
-- Let no version of a place be the present one.
UPDATE memory_documents SET state = CASE state WHEN 'staged' THEN 'withdrawn' ELSE 'past' END, decided_at = :decided_at
WHERE place = :place AND state IN ('staged', 'current');

-- name: move
-- Give the versions of one place to another.
UPDATE memory_documents SET place = :new WHERE place = :old;

-- name: naming
-- The versions that may have words of one record.
SELECT id, lines, diary FROM memory_documents WHERE instr(lines, :memory_id) OR instr(diary, :memory_id) ORDER BY id;

-- name: delete
-- Drop one version.
DELETE FROM memory_documents WHERE id = :id;

-- name: delete_of_place
-- Drop all versions of a place.
DELETE FROM memory_documents WHERE place = :place;
