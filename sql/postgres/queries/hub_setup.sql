-- name: limits
-- How long one transaction may take: set anew in each, because a pooler hands connections around.
SET LOCAL statement_timeout = 60000; SET LOCAL lock_timeout = 15000;
SET LOCAL idle_in_transaction_session_timeout = 60000

-- name: is_there
-- Whether this database has a hub.
SELECT EXISTS (
  SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'memctl' AND c.relname = 'versions'
)

-- name: may_use
-- Whether the asking role is let in to the hub of this database.
SELECT has_schema_privilege('memctl', 'USAGE')

-- name: read_hub
-- Which group meets here, which migrations it had, and as whom this login is known.
SELECT h.group_id, h.prefix, h.is_encrypted,
  ARRAY(SELECT v.version FROM memctl.versions v ORDER BY v.version) AS versions,
  memctl.my_name() AS member, memctl.am_admin() AS is_admin, memctl.am_limited() AS is_limited
FROM memctl.hub h

-- name: describe_role
-- What the asking role may do on this server.
SELECT r.rolname, r.rolsuper, r.rolsuper OR r.rolcreaterole AS makes_roles,
  has_database_privilege(current_database(), 'CREATE') AS makes_schemas
FROM pg_roles r WHERE r.rolname = current_user

-- name: has_extension
-- Where the extension of vectors is installed, if it is.
SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'vector'

-- name: offers_extension
-- Whether the server could install the extension of vectors.
SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')

-- name: install_extension
-- Install the extension of vectors.
CREATE EXTENSION IF NOT EXISTS vector

-- name: make_roles
-- The role that everything belongs to, and the one that all members are in; with neither anybody logs in.
CREATE ROLE {owner} NOLOGIN CREATEROLE;
CREATE ROLE {members} NOLOGIN;
GRANT {members} TO {owner} WITH ADMIN OPTION;
GRANT {owner} TO CURRENT_USER

-- name: make_schema
-- The schema of a hub, which belongs to its owner.
CREATE SCHEMA memctl AUTHORIZATION {owner}

-- name: become_owner
-- Act as the owner until the end of the transaction.
SET LOCAL ROLE {owner}

-- name: become_oneself
-- Act as oneself again.
SET LOCAL ROLE NONE

-- name: note_group
-- Write down whose hub this is.
INSERT INTO memctl.hub (group_id, prefix, members_role, is_encrypted)
VALUES (%(group)s, %(prefix)s, %(members)s, %(is_encrypted)s)

-- name: note_version
-- Write down that a migration was done.
INSERT INTO memctl.versions (version, name) VALUES (%(version)s, %(name)s)

-- name: make_founder
-- The founder's own login.
CREATE ROLE {login} LOGIN PASSWORD {verifier} IN ROLE {members}

-- name: note_founder
-- Write down whose a login is that founds a hub.
INSERT INTO memctl.members (role, member, is_admin, is_limited, admitted_by)
VALUES (%(role)s, %(member)s, true, false, %(member)s)

-- name: hide_owner
-- Take from the role that set the hub up what it needed for that.
REVOKE {owner} FROM CURRENT_USER

-- name: show_owner
-- Give the role that set the hub up what it needs to change its tables.
GRANT {owner} TO CURRENT_USER

-- name: find_owner
-- The role that the tables of a hub belong to.
SELECT pg_get_userbyid(nspowner), pg_has_role(current_user, nspowner, 'MEMBER')
FROM pg_namespace WHERE nspname = 'memctl'

-- name: read_members_role
-- The role that all members are in.
SELECT members_role FROM memctl.hub
