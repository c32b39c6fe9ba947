-- name: put_replica
-- Note a replica of the group, or its newer card.
INSERT INTO sync_replicas (id, member, is_own, card, removal, created_at) VALUES (:id, :member, :is_own, :card, NULL, :at)
ON CONFLICT (id) DO UPDATE SET member = excluded.member, is_own = excluded.is_own, card = excluded.card;

-- name: replica
-- One replica of the group.
SELECT id, member, is_own, card, removal, created_at FROM sync_replicas WHERE id = :id;

-- name: replicas
-- The replicas of the group, the oldest here first.
SELECT id, member, is_own, card, removal, created_at FROM sync_replicas ORDER BY created_at, id;

-- name: set_removal
-- Note that a replica takes part no longer, or that it does again.
UPDATE sync_replicas SET removal = :removal WHERE id = :id;

-- name: drop_replicas
-- Forget the replicas of the group.
DELETE FROM sync_replicas;

-- name: put_place
-- Note a place where others are met.
INSERT INTO sync_places (name, kind, is_encrypted, created_at) VALUES (:name, :kind, :is_encrypted, :at)
ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, is_encrypted = excluded.is_encrypted;

-- name: place
-- One place where others are met.
SELECT * FROM sync_places WHERE name = :name;

-- name: places
-- The places where others are met, the oldest first.
SELECT * FROM sync_places ORDER BY created_at, name;

-- name: note_done
-- Note that all was exchanged at a place.
UPDATE sync_places SET tried_at = :at, done_at = :at, error = NULL, failing_since = NULL, outcome = :outcome WHERE name = :name;

-- name: note_failed
-- Note that nothing, or not all, could be exchanged at a place, and why.
UPDATE sync_places SET tried_at = :at, error = :error, failing_since = coalesce(failing_since, :at), outcome = :outcome WHERE name = :name;

-- name: drop_place
-- Forget a place.
DELETE FROM sync_places WHERE name = :name;

-- name: put_share
-- Say what of a project travels, and to whom.
INSERT INTO sync_shares (project, audience, types, with_candidates, with_turns, created_at)
VALUES (:project, :audience, :types, :with_candidates, :with_turns, :at)
ON CONFLICT (project) DO UPDATE SET audience = excluded.audience, types = excluded.types,
  with_candidates = excluded.with_candidates, with_turns = excluded.with_turns;

-- name: shares
-- What of each project travels, and to whom.
SELECT project, audience, types, with_candidates, with_turns, created_at FROM sync_shares ORDER BY project;

-- name: drop_share
-- Forget what of a project travels.
DELETE FROM sync_shares WHERE project = :project;

-- name: put_set
-- Note a change set that was read or written at a place.
INSERT INTO sync_sets (place, stream, replica, first, last, digest, problem, seen_at)
VALUES (:place, :stream, :replica, :first, :last, :digest, :problem, :at)
ON CONFLICT DO UPDATE SET problem = excluded.problem, seen_at = excluded.seen_at;

-- name: sets
-- The change sets of a place that were read or written.
SELECT stream, replica, first, last, digest, problem, seen_at FROM sync_sets WHERE place = :place ORDER BY stream, replica, first, last, digest;

-- name: sets_of
-- The change sets of one replica in a stream at a place.
SELECT stream, replica, first, last, digest, problem, seen_at FROM sync_sets
WHERE place = :place AND stream = :stream AND replica = :replica ORDER BY first, last, digest;

-- name: damaged_sets
-- The change sets that could not be read, at all places.
SELECT place, stream, replica, first, last, digest, problem, seen_at FROM sync_sets WHERE problem IS NOT NULL ORDER BY place, stream, replica, first;

-- name: drop_set
-- Forget a change set of a place.
DELETE FROM sync_sets WHERE place = :place AND stream = :stream AND replica = :replica AND first = :first AND last = :last AND digest = :digest;

-- name: drop_sets
-- Forget all change sets of a place.
DELETE FROM sync_sets WHERE place = :place;

-- name: put_project
-- Note that a project of another machine is one of this store's.
INSERT INTO sync_projects (there, here) VALUES (:there, :here) ON CONFLICT (there) DO UPDATE SET here = excluded.here WHERE excluded.here <> sync_projects.here;

-- name: project
-- The project of this store that one of another machine is.
SELECT here FROM sync_projects WHERE there = :there;

-- name: projects
-- The projects of other machines, and which of this store's each is.
SELECT there, here FROM sync_projects ORDER BY there;

-- name: move_projects
-- Let the projects of other machines be another one of this store's.
UPDATE sync_projects SET here = :into WHERE here = :here;

-- name: adoptions
-- Every project, and which one it became part of.
SELECT id, adopted_into FROM projects ORDER BY id;

-- name: identities
-- By what every project is known on any machine.
SELECT project_id, kind, value FROM project_aliases WHERE kind IN ('remote', 'root_commit', 'marker', 'name')
ORDER BY project_id, kind, value;

-- name: forget_project
-- Forget which projects of other machines were one of this store's.
DELETE FROM sync_projects WHERE here = :here;
