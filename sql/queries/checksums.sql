-- Checksums of rows. The statements are written for `saved_views`; `store/checksums.py` puts another
-- table, its columns and its key in their place.

-- name: columns
-- The columns of a table, in order.
SELECT name, type, pk, :table AS of_table FROM pragma_table_info (:table) ORDER BY cid;

-- name: watch_inserts
-- Set the checksum of each row that this connection inserts.
CREATE TEMP TRIGGER IF NOT EXISTS saved_views_inserted AFTER INSERT ON main.saved_views
BEGIN UPDATE saved_views SET checksum = crc32(CAST(NEW.name AS BLOB)) WHERE name = NEW.name; END;

-- name: watch_updates
-- Set the checksum of each row that this connection changes.
CREATE TEMP TRIGGER IF NOT EXISTS saved_views_updated AFTER UPDATE OF definition ON main.saved_views
BEGIN UPDATE saved_views SET checksum = crc32(CAST(NEW.name AS BLOB)) WHERE name = NEW.name; END;

-- name: wrong
-- The next rows after a key whose checksum is not that of their content; with `:missing`, those
-- that have none.
SELECT name AS key_0 FROM saved_views
WHERE (name) > (:after) AND CASE WHEN :missing THEN checksum IS NULL
  ELSE checksum IS NOT NULL AND checksum IS NOT crc32(CAST(name AS BLOB)) END
ORDER BY name LIMIT :limit;

-- name: next
-- The next few keys after one.
SELECT name AS key_0 FROM saved_views WHERE (name) > (:after) ORDER BY name LIMIT :limit;

-- name: fill
-- Set the checksum of the rows of a range of keys that have none yet.
UPDATE saved_views SET checksum = crc32(CAST(name AS BLOB))
WHERE checksum IS NULL AND (name) > (:after) AND (name) <= (:last);
