-- name: list_sets
-- Names of the change sets with numbers above those that are there already; of some streams or all.
SELECT s.stream, s.replica, s.first, s.last, s.digest
FROM memctl.heads h
LEFT JOIN unnest(%(streams)s::text[], %(replicas)s::text[], %(numbers)s::bigint[])
  AS have (stream, replica, number) ON have.stream = h.stream AND have.replica = h.replica
JOIN memctl.sets s ON s.stream = h.stream AND s.replica = h.replica AND s.last > coalesce(have.number, 0)
WHERE h.last > coalesce(have.number, 0)
  AND (%(wanted)s::text[] IS NULL OR h.stream = ANY (%(wanted)s::text[]))
ORDER BY s.stream, s.replica, s.first

-- name: read_sets
-- The bytes of some change sets, by number of the question.
SELECT asked.n, s.content
FROM unnest(%(streams)s::text[], %(replicas)s::text[], %(firsts)s::bigint[], %(digests)s::text[])
  WITH ORDINALITY AS asked (stream, replica, first, digest, n)
JOIN memctl.sets s ON s.stream = asked.stream AND s.replica = asked.replica
  AND s.first = asked.first AND s.digest = asked.digest

-- name: measure_sets
-- How large some change sets are, in the order of the question.
SELECT asked.n, octet_length(s.content)
FROM unnest(%(streams)s::text[], %(replicas)s::text[], %(firsts)s::bigint[], %(digests)s::text[])
  WITH ORDINALITY AS asked (stream, replica, first, digest, n)
JOIN memctl.sets s ON s.stream = asked.stream AND s.replica = asked.replica
  AND s.first = asked.first AND s.digest = asked.digest

-- name: put_stream
-- A stream of a project, at its first change set.
INSERT INTO memctl.streams (stream, founder) VALUES (%(stream)s, memctl.my_name())
ON CONFLICT (stream) DO NOTHING

-- name: has_stream
-- Whether one takes part in a stream that is there.
SELECT EXISTS (SELECT 1 FROM memctl.streams WHERE stream = %(stream)s)

-- name: move_head
-- Note the highest number of a replica in a stream; nothing comes back where it is there already.
INSERT INTO memctl.heads (stream, replica, last) VALUES (%(stream)s, %(replica)s, %(last)s)
ON CONFLICT (stream, replica) DO UPDATE SET last = excluded.last WHERE heads.last < %(first)s
RETURNING last

-- name: has_set
-- Whether this very change set is there.
SELECT EXISTS (
  SELECT 1 FROM memctl.sets WHERE stream = %(stream)s AND replica = %(replica)s AND first = %(first)s
    AND last = %(last)s AND digest = %(digest)s
)

-- name: put_set
-- A change set.
INSERT INTO memctl.sets (stream, replica, first, last, digest, content)
VALUES (%(stream)s, %(replica)s, %(first)s, %(last)s, %(digest)s, %(content)b)

-- name: drop_set
-- Take a change set away.
DELETE FROM memctl.sets
WHERE stream = %(stream)s AND replica = %(replica)s AND first = %(first)s AND digest = %(digest)s

-- name: list_overlapping
-- The change sets of a replica that share numbers with a new one.
SELECT first, last, digest FROM memctl.sets
WHERE stream = %(stream)s AND replica = %(replica)s AND last >= %(first)s AND first <= %(last)s

-- name: raise_head
-- Note the highest number where it is higher than what was noted.
INSERT INTO memctl.heads (stream, replica, last) VALUES (%(stream)s, %(replica)s, %(last)s)
ON CONFLICT (stream, replica) DO UPDATE SET last = excluded.last WHERE heads.last < excluded.last
