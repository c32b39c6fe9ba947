-- name: insert
-- Note that something must not come back.
INSERT INTO tombstones (fingerprint, verdict, quote_hash, memory_id, reason, actor, created_at)
VALUES (:fingerprint, :verdict, :quote_hash, :memory_id, :reason, :actor, :created_at)
ON CONFLICT (fingerprint, memory_id) DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason;

-- name: find
-- The verdict on this content, or on these exact words of evidence.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint
UNION
SELECT * FROM tombstones WHERE quote_hash IN (SELECT value FROM json_each(:quote_hashes))
LIMIT 1;

-- name: lift
-- Take one verdict back, by the operator's word.
DELETE FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: of_content
-- The verdicts on one content, whichever records they were on.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint;

-- name: get
-- One verdict.
SELECT * FROM tombstones WHERE fingerprint = :fingerprint AND memory_id = :memory_id;

-- name: move
-- Let a tombstone follow its record to another scope.
UPDATE OR IGNORE tombstones SET fingerprint = :new WHERE memory_id = :memory_id AND fingerprint = :old;

-- name: of_memory
-- The verdict on one record.
SELECT * FROM tombstones WHERE memory_id = :memory_id;

-- name: everything
-- All of them.
SELECT * FROM tombstones ORDER BY fingerprint, memory_id;

-- name: between
-- The marks within a range, which begin alike.
SELECT fingerprint FROM tombstones WHERE fingerprint >= :low AND fingerprint < :high ORDER BY fingerprint;
