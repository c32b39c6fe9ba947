-- name: insert
-- Store a tombstone: this content must not return.
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at)
VALUES (:fingerprint, :verdict, :quote_hash, :memory_id, :reason, :actor, :created_at)
ON CONFLICT (fingerprint, memory_id) DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason;

-- name: find
-- The tombstone of this content, or of these exact words of evidence.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint
UNION
SELECT * FROM tombstones WHERE quote_hash IN (SELECT value FROM json_each(:quote_hashes))
LIMIT 1;

-- name: lift
-- Remove one tombstone, because the operator says so.
DELETE FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: of_content
-- The tombstones of one content, whatever record each was made for.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint;

-- name: get
-- One tombstone.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: move
-- Let a tombstone follow its record to another scope.
UPDATE OR IGNORE tombstones SET fingerprint = :new WHERE memory_id = :memory_id AND fingerprint = :old;

-- name: of_memory
-- The tombstone of one record.
SELECT * FROM tombstones WHERE memory_id = :memory_id;

-- name: everything
-- All of them.
SELECT * FROM tombstones ORDER BY fingerprint, memory_id;

-- name: between
-- The fingerprints within a range, which share a prefix.
SELECT fingerprint FROM tombstones WHERE fingerprint >= :low AND fingerprint < :high ORDER BY fingerprint;

-- name: among
-- Those of the fingerprints in a JSON array that have a tombstone.
SELECT DISTINCT fingerprint FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(:fingerprints));

-- name: any
-- Whether there is any tombstone.
SELECT EXISTS (SELECT 1 FROM tombstones);

-- name: all_purged
-- The tombstones of everything that was purged.
SELECT * FROM tombstones WHERE verdict = 'purged' ORDER BY memory_id, fingerprint;

-- name: purged_by_prefix
-- The newest tombstone of what was purged and whose id begins in a certain way.
SELECT memory_id, created_at FROM tombstones
WHERE verdict = 'purged' AND substr(memory_id, 1, length(:prefix)) = :prefix AND length(:prefix) > 3 ORDER BY created_at DESC LIMIT 1;
