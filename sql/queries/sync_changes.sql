-- name: insert
-- Keep a change; one that is here already is left as it is.
INSERT INTO sync_changes (id, replica, member, subject, stamp, parents, is_head, state, body)
VALUES (:id, :replica, :member, :subject, :stamp, :parents, :is_head, :state, :body)
ON CONFLICT (id) DO NOTHING RETURNING n;

-- name: get
-- One change by its id.
SELECT * FROM sync_changes WHERE id = :id;

-- name: known
-- Which of some changes are here, and their numbers in this store.
SELECT id, n FROM sync_changes WHERE id IN (SELECT value FROM json_each(:ids));

-- name: heads
-- The changes of a subject that no other one follows.
SELECT id, stamp FROM sync_changes INDEXED BY sync_changes_heads WHERE subject = :subject AND is_head = 1 ORDER BY id;

-- name: heads_of_each
-- The changes of some subjects that no other one follows.
SELECT subject, id, stamp FROM sync_changes INDEXED BY sync_changes_heads
WHERE is_head = 1 AND subject IN (SELECT value FROM json_each(:subjects)) ORDER BY id;

-- name: end_heads
-- Note that some changes were followed by another one.
UPDATE sync_changes SET is_head = 0 WHERE is_head = 1 AND id IN (SELECT value FROM json_each(:ids));

-- name: of_subject
-- The changes of a subject, in the order that decides between them.
SELECT * FROM sync_changes WHERE subject = :subject ORDER BY stamp, id;

-- name: is_followed
-- Whether a change that counts names another one as its parent.
SELECT EXISTS (
  SELECT 1 FROM sync_changes AS c, json_each(c.parents) AS p
  WHERE c.subject = :subject AND c.state IN ('taken', 'derived') AND p.value = :id
);

-- name: ready
-- Changes that waited and whose parents have all come, the earliest here first.
SELECT * FROM sync_changes INDEXED BY sync_changes_waiting WHERE state = 'waiting' AND NOT EXISTS (
  SELECT 1 FROM json_each(sync_changes.parents) AS p
  LEFT JOIN sync_changes AS c ON c.id = p.value AND c.state IN ('taken', 'derived') WHERE c.id IS NULL
) ORDER BY n LIMIT :limit;

-- name: waiting_count
-- How many changes wait for a parent.
SELECT count(*) FROM sync_changes INDEXED BY sync_changes_waiting WHERE state = 'waiting';

-- name: refuse
-- Let a change count for nothing, and nothing be left of what it says.
UPDATE sync_changes SET state = 'refused', is_head = 0, body = NULL WHERE n = :n;

-- name: set_state
-- Set what became of a change, and whether it is a head.
UPDATE sync_changes SET state = :state, is_head = :is_head WHERE n = :n;

-- name: drop
-- Forget a change that nothing numbers.
DELETE FROM sync_changes WHERE n = :n AND NOT EXISTS (SELECT 1 FROM sync_numbers WHERE change_n = :n);

-- name: read_after
-- The next changes by their number in this store, with their bodies.
SELECT * FROM sync_changes WHERE n > :n ORDER BY n LIMIT :limit;

-- name: last
-- The highest number of a change in this store.
SELECT coalesce(max(n), 0) FROM sync_changes;

-- name: count
-- How many changes there are.
SELECT count(*) FROM sync_changes;

-- name: stamp_of
-- The latest stamp of some changes.
SELECT coalesce(max(stamp), 0) FROM sync_changes WHERE id IN (SELECT value FROM json_each(:ids));

-- name: put_number
-- Give a change a number in a stream.
INSERT INTO sync_numbers (stream, replica, number, change_n) VALUES (:stream, :replica, :number, :change_n)
ON CONFLICT DO NOTHING;

-- name: number_at
-- The change that has a number in a stream.
SELECT change_n FROM sync_numbers WHERE stream = :stream AND replica = :replica AND number = :number;

-- name: highest
-- The highest number of a replica in a stream.
SELECT coalesce(max(number), 0) FROM sync_numbers WHERE stream = :stream AND replica = :replica;

-- name: highest_of_each
-- The highest number by stream and replica.
SELECT stream, replica, max(number) AS number FROM sync_numbers GROUP BY stream, replica;

-- name: first_gap
-- The highest number that is reached without a gap from one that is there.
SELECT number FROM sync_numbers AS s WHERE stream = :stream AND replica = :replica AND number >= :number AND NOT EXISTS (
  SELECT 1 FROM sync_numbers AS t WHERE t.stream = s.stream AND t.replica = s.replica AND t.number = s.number + 1
) ORDER BY number LIMIT 1;

-- name: streams_of
-- The numbers that a change has.
SELECT stream, replica, number FROM sync_numbers WHERE change_n = :change_n ORDER BY stream, replica, number;

-- name: range
-- The changes of a replica in a stream between two numbers, with their numbers.
SELECT s.number, c.* FROM sync_numbers AS s JOIN sync_changes AS c ON c.n = s.change_n
WHERE s.stream = :stream AND s.replica = :replica AND s.number >= :first AND s.number <= :last
ORDER BY s.number LIMIT :limit;

-- name: range_bytes
-- Bytes that the changes of a replica in a stream between two numbers take, compressed one by one.
SELECT COALESCE(SUM(LENGTH(c.body)), 0) FROM sync_numbers AS s
JOIN sync_changes AS c ON c.n = s.change_n
WHERE s.stream = :stream AND s.replica = :replica AND s.number >= :first AND s.number <= :last;

-- name: numbers_of_subject
-- Where the changes of a subject stand: stream, replica, number.
SELECT s.stream, s.replica, s.number FROM sync_changes AS c JOIN sync_numbers AS s ON s.change_n = c.n
WHERE c.subject = :subject ORDER BY s.stream, s.replica, s.number;

-- name: vector
-- Up to which number everything is here, by stream and replica.
SELECT stream, replica, last FROM sync_vector ORDER BY stream, replica;

-- name: vector_at
-- Up to which number everything of a replica is here in a stream.
SELECT last FROM sync_vector WHERE stream = :stream AND replica = :replica;

-- name: put_vector
-- Note up to which number everything of a replica is here in a stream.
INSERT INTO sync_vector (stream, replica, last) VALUES (:stream, :replica, :last)
ON CONFLICT DO UPDATE SET last = excluded.last WHERE excluded.last <> sync_vector.last;

-- name: put_subject
-- Note that a subject travels in a stream, and whose it is.
INSERT INTO sync_subjects (subject, stream, member) VALUES (:subject, :stream, :member) ON CONFLICT DO NOTHING;

-- name: subject
-- In which streams a subject travels, and whose it is.
SELECT stream, member FROM sync_subjects WHERE subject = :subject ORDER BY stream;

-- name: subjects
-- In which streams some subjects travel, and whose they are.
SELECT subject, stream, member FROM sync_subjects WHERE subject IN (SELECT value FROM json_each(:subjects)) ORDER BY subject, stream;

-- name: subjects_of_stream
-- The next subjects that travel in a stream.
SELECT subject, member FROM sync_subjects INDEXED BY sync_subjects_stream WHERE stream = :stream AND subject > :after ORDER BY subject LIMIT :limit;

-- name: drop_subject
-- Note that a subject does not travel in a stream any more.
DELETE FROM sync_subjects WHERE subject = :subject AND stream = :stream;

-- name: mark_sets
-- Note that sets of this store hold a change of which nothing is left, at whatever place.
UPDATE sync_sets SET problem = 'purged' WHERE problem IS NULL AND EXISTS (
  SELECT 1 FROM sync_numbers AS s WHERE s.change_n = :n AND s.stream = sync_sets.stream AND s.replica = sync_sets.replica
    AND s.number >= sync_sets.first AND s.number <= sync_sets.last
);

-- name: with_body
-- The changes of a subject of which anything is left.
SELECT * FROM sync_changes WHERE subject = :subject AND body IS NOT NULL;

-- name: with_body_of
-- Which of some changes there is anything left of.
SELECT n FROM sync_changes WHERE body IS NOT NULL AND id IN (SELECT value FROM json_each(:ids));

-- name: scrub
-- Leave nothing of what a change says.
UPDATE sync_changes SET body = NULL WHERE n = :n;
