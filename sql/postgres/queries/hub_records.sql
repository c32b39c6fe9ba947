-- name: put
-- The state of a record, unless a newer one is there.
INSERT INTO memctl.records (
  stream, record, member, replica, stamp, type, kind, scope, status, confidence, observed_at, valid_from,
  valid_until, tags, body, words
) VALUES (
  %(stream)s, %(record)s, memctl.my_name(), %(replica)s, %(stamp)s, %(type)s, %(kind)s, %(scope)s,
  %(status)s, %(confidence)s, %(observed_at)s, %(valid_from)s, %(valid_until)s, %(tags)s,
  %(body)s::jsonb,
  setweight(to_tsvector('simple', %(title_words)s), 'A')
    || setweight(to_tsvector('simple', %(content_words)s), 'C')
    || setweight(to_tsvector('simple', %(extra_words)s), 'D')
)
ON CONFLICT (stream, member, record) DO UPDATE SET
  replica = excluded.replica, stamp = excluded.stamp, type = excluded.type, kind = excluded.kind,
  scope = excluded.scope, status = excluded.status, confidence = excluded.confidence,
  observed_at = excluded.observed_at, valid_from = excluded.valid_from,
  valid_until = excluded.valid_until, tags = excluded.tags, body = excluded.body, words = excluded.words
WHERE records.stamp <= excluded.stamp

-- name: put_with_vector
-- The same, with its vector.
INSERT INTO memctl.records (
  stream, record, member, replica, stamp, type, kind, scope, status, confidence, observed_at, valid_from,
  valid_until, tags, body, words, model, vector
) VALUES (
  %(stream)s, %(record)s, memctl.my_name(), %(replica)s, %(stamp)s, %(type)s, %(kind)s, %(scope)s,
  %(status)s, %(confidence)s, %(observed_at)s, %(valid_from)s, %(valid_until)s, %(tags)s,
  %(body)s::jsonb,
  setweight(to_tsvector('simple', %(title_words)s), 'A')
    || setweight(to_tsvector('simple', %(content_words)s), 'C')
    || setweight(to_tsvector('simple', %(extra_words)s), 'D'),
  %(model)s, %(vector)s::{vectors}.vector
)
ON CONFLICT (stream, member, record) DO UPDATE SET
  replica = excluded.replica, stamp = excluded.stamp, type = excluded.type, kind = excluded.kind,
  scope = excluded.scope, status = excluded.status, confidence = excluded.confidence,
  observed_at = excluded.observed_at, valid_from = excluded.valid_from,
  valid_until = excluded.valid_until, tags = excluded.tags, body = excluded.body, words = excluded.words,
  model = excluded.model, vector = excluded.vector
WHERE records.stamp <= excluded.stamp

-- name: find_by_words
-- What a search finds by its words.
SELECT r.stream, r.member, r.record, r.tags, r.body, NULL::real AS cosine
FROM memctl.find_by_words(
  %(all_words)s, %(some_words)s, %(streams)s, %(statuses)s, %(types)s, %(kinds)s, %(scopes)s, %(tags)s,
  %(since)s, %(until)s, %(lowest)s::real, %(moment)s, %(looked)s, %(most)s
) AS f
JOIN memctl.records r ON r.stream = f.stream AND r.member = f.member AND r.record = f.record

-- name: find_by_both
-- What a search finds by its words and by its meaning.
WITH found AS MATERIALIZED (
  SELECT f.stream, f.member, f.record FROM memctl.find_by_words(
    %(all_words)s, %(some_words)s, %(streams)s, %(statuses)s, %(types)s, %(kinds)s, %(scopes)s, %(tags)s,
    %(since)s, %(until)s, %(lowest)s::real, %(moment)s, %(looked)s, %(most)s
  ) AS f
  UNION
  SELECT f.stream, f.member, f.record FROM memctl.find_by_meaning(
    %(vector)s::{vectors}.vector, %(model)s, %(streams)s, %(statuses)s, %(types)s, %(kinds)s, %(scopes)s,
    %(tags)s, %(since)s, %(until)s, %(lowest)s::real, %(moment)s, %(compared)s, %(most)s
  ) AS f
)
SELECT r.stream, r.member, r.record, r.tags, r.body,
  CASE WHEN r.model = %(model)s
    THEN (1 - (r.vector OPERATOR({vectors}.<=>) %(vector)s::{vectors}.vector))::real END AS cosine
FROM found f
JOIN memctl.records r ON r.stream = f.stream AND r.member = f.member AND r.record = f.record
