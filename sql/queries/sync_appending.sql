-- name: append
-- Keep a change that was made here.
INSERT INTO sync_changes (n, id, replica, member, subject, stamp, parents, is_head, state, body)
VALUES (:n, :id, :replica, :member, :subject, :stamp, :parents, :is_head, 'taken', :body);

-- name: note_rewritten
-- Note that changes of a subject lost their words here, so that all of it is said anew.
INSERT INTO sync_rewritten (subject) VALUES (:subject) ON CONFLICT DO NOTHING;

-- name: rewritten
-- The subjects of which all is to be said anew.
SELECT subject FROM sync_rewritten ORDER BY subject LIMIT :limit;

-- name: drop_rewritten
-- Forget that all of a subject is to be said anew.
DELETE FROM sync_rewritten WHERE subject = :subject;

-- name: drop_all_rewritten
-- Forget which subjects are to be said anew.
DELETE FROM sync_rewritten;

-- name: bodiless
-- The changes of a subject of which nothing is left.
SELECT id FROM sync_changes WHERE subject = :subject AND body IS NULL AND state IN ('taken', 'waiting') ORDER BY id;

-- name: unnumbered
-- The changes of a subject by a member that have no number in a stream yet.
SELECT n FROM sync_changes AS c WHERE subject = :subject AND member = :member AND state = 'taken'
  AND NOT EXISTS (SELECT 1 FROM sync_numbers AS t WHERE t.change_n = c.n AND t.stream = :stream)
ORDER BY n;

-- name: projects_of
-- The projects of a member that travel, and in which streams.
SELECT subject, stream FROM sync_subjects WHERE subject >= 'project:' AND subject < 'project;' AND member = :member ORDER BY subject, stream;
