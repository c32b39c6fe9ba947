-- name: records
-- How many records there are, by project, scope, type, status and whether they are of somebody else.
SELECT project_id, scope, type, status, origin IS NOT NULL AS is_foreign, count(*) AS many
FROM memories GROUP BY project_id, scope, type, status, is_foreign;

-- name: waits
-- Candidates that other members made, by their name.
SELECT s.member, count(DISTINCT m.id) AS many FROM memories AS m JOIN sync_subjects AS s ON s.subject = m.id
WHERE m.status = 'inbox' AND s.member NOT IN (SELECT member FROM sync_replicas WHERE is_own = 1) GROUP BY s.member ORDER BY s.member;

-- name: refused
-- How many changes were refused.
SELECT count(*) FROM sync_changes WHERE state = 'refused';

-- name: own_streams
-- Up to which number this store has sent something, or will, by stream.
-- One step of the index for each stream: there are as many numbers as changes.
WITH RECURSIVE streams (stream) AS (
  SELECT min(stream) FROM sync_numbers
  UNION ALL
  SELECT (SELECT min(n.stream) FROM sync_numbers AS n WHERE n.stream > streams.stream) FROM streams WHERE stream IS NOT NULL
), lasts AS (
  SELECT stream, (SELECT max(n.number) FROM sync_numbers AS n WHERE n.stream = streams.stream AND n.replica = :replica) AS last
  FROM streams WHERE stream IS NOT NULL
)
SELECT stream, last FROM lasts WHERE last IS NOT NULL ORDER BY stream;

-- name: written
-- Which numbers of this store a place has in a stream.
SELECT first, last FROM sync_sets WHERE place = :place AND stream = :stream AND replica = :replica AND problem IS NOT 'gone' ORDER BY first, last;

-- name: purged_sets
-- Change sets of this store at a place that hold what was erased since.
SELECT stream, replica, first, last, digest, problem, seen_at FROM sync_sets WHERE place = :place AND replica = :replica AND problem = 'purged' ORDER BY stream, first;

-- name: problems
-- Change sets that were passed over, at all places or one.
SELECT place, stream, replica, first, last, digest, problem FROM sync_sets
WHERE problem IS NOT NULL AND problem NOT IN ('purged', 'gone') AND (:place IS NULL OR place = :place) ORDER BY place, stream, replica, first;

-- name: note_unfinished
-- Note that a sync of a place was cut off, though nothing is wrong there.
UPDATE sync_places SET tried_at = :at, error = NULL, failing_since = NULL, outcome = :outcome WHERE name = :name;

-- name: drop_number
-- Forget a number that was never sent.
DELETE FROM sync_numbers WHERE stream = :stream AND replica = :replica AND number = :number;

-- name: end_vector
-- Note up to which number everything of a replica is here, at most.
UPDATE sync_vector SET last = min(last, :last) WHERE stream = :stream AND replica = :replica;

-- name: drop_numbers
-- Forget the numbers of some changes.
DELETE FROM sync_numbers WHERE (stream, replica, number) IN (SELECT stream, replica, number FROM sync_numbers LIMIT :limit);

-- name: drop_changes
-- Forget some changes that travelled.
DELETE FROM sync_changes WHERE n IN (SELECT n FROM sync_changes LIMIT :limit);

-- name: drop_subjects
-- Forget that some subjects travel.
DELETE FROM sync_subjects WHERE (subject, stream) IN (SELECT subject, stream FROM sync_subjects LIMIT :limit);

-- name: drop_sets
-- Forget some change sets.
DELETE FROM sync_sets WHERE (place, stream, replica, first, last, digest) IN (
  SELECT place, stream, replica, first, last, digest FROM sync_sets LIMIT :limit
);

-- name: drop_vector
-- Forget up to which number everything is here.
DELETE FROM sync_vector;

-- name: drop_places
-- Forget all places.
DELETE FROM sync_places;

-- name: drop_shares
-- Forget what travels.
DELETE FROM sync_shares;

-- name: drop_projects
-- Forget which projects of other machines are which here.
DELETE FROM sync_projects;

-- name: drop_notes
-- Forget what sync noted about this store.
DELETE FROM meta WHERE key LIKE 'sync.%';
