-- A place where the stores of one group meet: cards, removals and change sets as they are in a folder,
-- and rows that can be searched.
--
-- Everything belongs to the role {owner}, with which nobody logs in. Each login role is one member's
-- (a member may have several); all are in {members}, which holds the privileges. Row-level security is
-- forced, for the owner too: what it may read, for its functions, is said policy by policy. Who asks is
-- known by session_user, which neither SET ROLE nor a function changes.

CREATE TABLE memctl.versions (
  version integer PRIMARY KEY,
  name text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);

-- One row: which group meets here, what the names of its login roles begin with, and the role they are in.
CREATE TABLE memctl.hub (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  group_id text NOT NULL,
  prefix text NOT NULL,
  members_role text NOT NULL,
  is_encrypted boolean NOT NULL
);

-- Login roles and whose they are. A limited member sees only the projects that are granted to it.
CREATE TABLE memctl.members (
  role text PRIMARY KEY,
  member text NOT NULL,
  is_admin boolean NOT NULL,
  is_limited boolean NOT NULL,
  admitted_by text NOT NULL,
  admitted_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz
);

-- Streams of projects. An open one is there for all members but limited ones.
CREATE TABLE memctl.streams (
  stream text PRIMARY KEY CHECK (length(stream) <= 200),
  founder text NOT NULL,
  is_open boolean NOT NULL DEFAULT true
);

CREATE TABLE memctl.grants (
  stream text NOT NULL,
  member text NOT NULL,
  granted_by text NOT NULL,
  PRIMARY KEY (stream, member)
);

CREATE TABLE memctl.cards (
  replica text PRIMARY KEY CHECK (length(replica) <= 64),
  member text NOT NULL,
  -- With which the machine logs in: it goes when the machine does.
  login text NOT NULL,
  card bytea NOT NULL CHECK (octet_length(card) <= 65536),
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX cards_member ON memctl.cards (member);

-- Signed, and judged by those who read them: whoever takes part may bring one here.
CREATE TABLE memctl.removals (
  digest text PRIMARY KEY CHECK (length(digest) <= 128),
  member text NOT NULL,
  removal bytea NOT NULL CHECK (octet_length(removal) <= 16777216),
  at timestamptz NOT NULL DEFAULT now()
);

-- The highest number of a replica in a stream. Numbers only grow: two writers under one replica meet here.
CREATE TABLE memctl.heads (
  stream text NOT NULL,
  replica text NOT NULL,
  last bigint NOT NULL CHECK (last > 0),
  PRIMARY KEY (stream, replica)
);

CREATE TABLE memctl.sets (
  stream text NOT NULL,
  replica text NOT NULL,
  first bigint NOT NULL CHECK (first > 0),
  last bigint NOT NULL CHECK (last >= first),
  digest text NOT NULL CHECK (length(digest) <= 128),
  -- As it was signed, compressed: nothing is gained by compressing it again.
  content bytea NOT NULL CHECK (octet_length(content) <= 134217728),
  PRIMARY KEY (stream, replica, first)
);
ALTER TABLE memctl.sets ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX sets_last ON memctl.sets (stream, replica, last);

-- Shared records as their member's machines have merged them, for searches. A newer state has a higher
-- stamp; a purged record keeps its row, empty, with the highest stamp there is.
CREATE TABLE memctl.records (
  stream text NOT NULL,
  record text NOT NULL CHECK (length(record) <= 64),
  member text NOT NULL,
  replica text NOT NULL,
  stamp bigint NOT NULL,
  type text,
  kind text,
  scope text,
  status text,
  confidence real,
  observed_at text,
  valid_from text,
  valid_until text,
  tags text[],
  body jsonb,
  words tsvector,
  -- Fingerprint of the model that made the vector.
  model text,
  PRIMARY KEY (stream, member, record)
);
CREATE INDEX records_words ON memctl.records USING gin (words);

-- -- who asks ---------------------------------------------------------------------------------------

CREATE FUNCTION memctl.my_name() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT m.member FROM memctl.members m WHERE m.role = session_user AND m.removed_at IS NULL $$;

CREATE FUNCTION memctl.am_admin() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce((SELECT m.is_admin FROM memctl.members m
                       WHERE m.role = session_user AND m.removed_at IS NULL), false) $$;

CREATE FUNCTION memctl.am_limited() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT coalesce((SELECT m.is_limited FROM memctl.members m
                       WHERE m.role = session_user AND m.removed_at IS NULL), true) $$;

-- The streams that the asking member takes part in: what all its rows are measured by.
CREATE FUNCTION memctl.my_streams() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH me AS MATERIALIZED (
    SELECT m.member, m.is_limited FROM memctl.members m
    WHERE m.role = session_user AND m.removed_at IS NULL
  )
  SELECT 'own:' || me.member FROM me
  UNION ALL
  SELECT s.stream FROM memctl.streams s, me
  WHERE (NOT me.is_limited AND (s.is_open OR s.founder = me.member))
     OR EXISTS (SELECT 1 FROM memctl.grants g WHERE g.stream = s.stream AND g.member = me.member)
$$;

-- -- logins -----------------------------------------------------------------------------------------

-- Make a login for a member. Admins do it for anybody, others for a further machine of their own.
-- `verifier` is what the server compares passwords with: the password itself never comes here. Who
-- joins gives the login a password of its own.
CREATE FUNCTION memctl.admit(
  login text, verifier text, name text, as_admin boolean, granted text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  me memctl.members;
  here memctl.hub;
  unclaimed text;
BEGIN
  SELECT * INTO me FROM memctl.members m WHERE m.role = session_user AND m.removed_at IS NULL;
  IF NOT FOUND OR NOT (me.is_admin OR (name = me.member AND NOT as_admin)) THEN
    RAISE insufficient_privilege USING MESSAGE = 'only an admin of the group invites others';
  END IF;
  -- A login for a name that is somebody's, or was, would read what is for that person's own machines.
  IF name <> me.member AND (
    EXISTS (SELECT 1 FROM memctl.cards c WHERE lower(c.member) = lower(name))
    OR EXISTS (SELECT 1 FROM memctl.members m
               WHERE lower(m.member) = lower(name) AND (m.member <> name OR m.is_admin <> as_admin))
  ) THEN
    RAISE insufficient_privilege USING MESSAGE = 'the group knows somebody of that name';
  END IF;
  SELECT * INTO here FROM memctl.hub;
  IF login !~ ('^' || here.prefix || '_[a-z0-9_]+$') OR length(login) > 63 OR verifier !~ '^SCRAM-SHA-256[$]' THEN
    RAISE invalid_parameter_value USING MESSAGE = 'not a login of this group';
  END IF;
  -- Of several invitations in one name the last counts: nobody keeps an earlier one for later.
  FOR unclaimed IN
    UPDATE memctl.members m SET removed_at = now()
    WHERE m.member = name AND name <> me.member AND m.removed_at IS NULL RETURNING m.role
  LOOP
    EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', unclaimed);
  END LOOP;
  EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', login, verifier);
  EXECUTE format('GRANT %I TO %I', here.members_role, login);
  INSERT INTO memctl.members (role, member, is_admin, is_limited, admitted_by)
  VALUES (
    login, name, as_admin,
    CASE WHEN name = me.member THEN me.is_limited ELSE granted IS NOT NULL END, me.member
  );
  IF name <> me.member THEN
    INSERT INTO memctl.grants (stream, member, granted_by)
    SELECT each, name, me.member FROM unnest(granted) AS each ON CONFLICT DO NOTHING;
  END IF;
END $$;

-- Take all logins of a member away, or those that only some of its machines use. What is open sees
-- nothing from then on.
CREATE FUNCTION memctl.retire(name text, machines text[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  here memctl.hub;
  each text;
  count integer := 0;
BEGIN
  IF NOT (memctl.am_admin() OR name = memctl.my_name()) THEN
    RAISE insufficient_privilege USING MESSAGE = 'only an admin of the group removes others';
  END IF;
  SELECT * INTO here FROM memctl.hub;
  FOR each IN
    UPDATE memctl.members m SET removed_at = now()
    WHERE m.member = name AND m.removed_at IS NULL AND (
      machines IS NULL
      OR EXISTS (SELECT 1 FROM memctl.cards c WHERE c.login = m.role AND c.replica = ANY (machines))
      AND NOT EXISTS (
        SELECT 1 FROM memctl.cards c WHERE c.login = m.role AND c.replica <> ALL (machines)
      )
    )
    RETURNING m.role
  LOOP
    count := count + 1;
    IF each LIKE replace(here.prefix, '_', '\_') || '\_%' THEN
      EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', each);
      EXECUTE format('REVOKE %I FROM %I', here.members_role, each);
    END IF;
  END LOOP;
  DELETE FROM memctl.grants g WHERE g.member = name AND machines IS NULL;
  RETURN count;
END $$;

-- -- searching --------------------------------------------------------------------------------------

-- Records that hold all the words, then, if those are few, some of them. A function of the owner because
-- row-level security keeps a member's own query from every index of words; so the streams of the asking
-- member stand in it as a condition. At most `looked` records of each kind are ranked.
CREATE FUNCTION memctl.find_by_words(
  all_words text, some_words text, only_streams text[], statuses text[], types text[], kinds text[],
  scopes text[], with_tags text[], since text, until text, lowest real, moment text, looked integer,
  most integer
) RETURNS TABLE (stream text, member text, record text, rank real)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  visible text[] := ARRAY(
    SELECT s FROM memctl.my_streams() AS s WHERE only_streams IS NULL OR s = ANY (only_streams)
  );
  asked tsquery;
  found integer := 0;
  counted integer;
BEGIN
  FOREACH asked IN ARRAY ARRAY[
    websearch_to_tsquery('simple', all_words), websearch_to_tsquery('simple', some_words)
  ] LOOP
    EXIT WHEN found >= most;
    RETURN QUERY
    SELECT f.stream, f.member, f.record, ts_rank(f.words, asked) AS rank
    FROM (
      SELECT r.stream, r.member, r.record, r.words FROM memctl.records r
      WHERE r.words @@ asked AND r.stream = ANY (visible) AND r.status = ANY (statuses)
        AND (types IS NULL OR r.type = ANY (types)) AND (kinds IS NULL OR r.kind = ANY (kinds))
        AND (scopes IS NULL OR r.scope = ANY (scopes)) AND (with_tags IS NULL OR r.tags @> with_tags)
        AND (since IS NULL OR r.observed_at >= since) AND (until IS NULL OR r.observed_at < until)
        AND (lowest IS NULL OR r.confidence >= lowest)
        AND (r.valid_from IS NULL OR r.valid_from <= moment)
        AND (r.valid_until IS NULL OR r.valid_until > moment)
      LIMIT looked
    ) AS f
    ORDER BY rank DESC, f.record LIMIT most;
    GET DIAGNOSTICS counted = ROW_COUNT;
    found := found + counted;
  END LOOP;
END $$;

-- -- rows -------------------------------------------------------------------------------------------

ALTER TABLE memctl.versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.hub ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.streams ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.cards ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.removals ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.records ENABLE ROW LEVEL SECURITY;
ALTER TABLE memctl.versions FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.hub FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.members FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.streams FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.grants FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.cards FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.removals FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.heads FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.sets FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.records FORCE ROW LEVEL SECURITY;

-- What the owner's functions, and whoever sets the hub up, need: no change set and no removal.
CREATE POLICY by_owner ON memctl.versions TO {owner} USING (true);
CREATE POLICY by_owner ON memctl.hub TO {owner} USING (true);
CREATE POLICY by_owner ON memctl.members TO {owner} USING (true);
CREATE POLICY by_owner ON memctl.grants TO {owner} USING (true);
CREATE POLICY by_owner ON memctl.streams FOR SELECT TO {owner} USING (true);
CREATE POLICY by_owner ON memctl.cards FOR SELECT TO {owner} USING (true);
CREATE POLICY by_owner ON memctl.records FOR SELECT TO {owner} USING (true);

CREATE POLICY by_members ON memctl.versions FOR SELECT USING (true);
CREATE POLICY by_members ON memctl.hub FOR SELECT USING (true);

CREATE POLICY seen ON memctl.streams FOR SELECT
  USING (founder = (SELECT memctl.my_name()) OR stream = ANY (ARRAY(SELECT memctl.my_streams())));
CREATE POLICY founded ON memctl.streams FOR INSERT
  WITH CHECK (founder = (SELECT memctl.my_name()) AND stream LIKE 'project:%'
              AND NOT (SELECT memctl.am_limited()));
CREATE POLICY closed ON memctl.streams FOR UPDATE
  USING (founder = (SELECT memctl.my_name()) OR (SELECT memctl.am_admin()))
  WITH CHECK (founder = (SELECT memctl.my_name()) OR (SELECT memctl.am_admin()));

CREATE POLICY granted ON memctl.grants
  USING (member = (SELECT memctl.my_name()) OR (SELECT memctl.am_admin())
         OR EXISTS (SELECT 1 FROM memctl.streams s
                    WHERE s.stream = grants.stream AND s.founder = (SELECT memctl.my_name())))
  WITH CHECK (granted_by = (SELECT memctl.my_name()) AND ((SELECT memctl.am_admin())
              OR EXISTS (SELECT 1 FROM memctl.streams s
                         WHERE s.stream = grants.stream AND s.founder = (SELECT memctl.my_name()))));

CREATE POLICY seen ON memctl.cards FOR SELECT USING ((SELECT memctl.my_name()) IS NOT NULL);
CREATE POLICY put ON memctl.cards FOR INSERT
  WITH CHECK (member = (SELECT memctl.my_name()) AND login = session_user);
CREATE POLICY replaced ON memctl.cards FOR UPDATE
  USING (member = (SELECT memctl.my_name()))
  WITH CHECK (member = (SELECT memctl.my_name()) AND login = session_user);

CREATE POLICY seen ON memctl.removals FOR SELECT USING ((SELECT memctl.my_name()) IS NOT NULL);
CREATE POLICY put ON memctl.removals FOR INSERT
  WITH CHECK ((SELECT memctl.my_name()) IS NOT NULL);

CREATE POLICY seen ON memctl.heads FOR SELECT
  USING (stream = ANY (ARRAY(SELECT memctl.my_streams())));
CREATE POLICY put ON memctl.heads FOR INSERT
  WITH CHECK (stream = ANY (ARRAY(SELECT memctl.my_streams())) AND replica = ANY (ARRAY(
    SELECT c.replica FROM memctl.cards c WHERE c.member = (SELECT memctl.my_name()))));
CREATE POLICY moved ON memctl.heads FOR UPDATE
  USING (stream = ANY (ARRAY(SELECT memctl.my_streams())) AND replica = ANY (ARRAY(
    SELECT c.replica FROM memctl.cards c WHERE c.member = (SELECT memctl.my_name()))));

CREATE POLICY seen ON memctl.sets FOR SELECT
  USING (stream = ANY (ARRAY(SELECT memctl.my_streams())));
CREATE POLICY put ON memctl.sets FOR INSERT
  WITH CHECK (stream = ANY (ARRAY(SELECT memctl.my_streams())) AND replica = ANY (ARRAY(
    SELECT c.replica FROM memctl.cards c WHERE c.member = (SELECT memctl.my_name()))));
CREATE POLICY dropped ON memctl.sets FOR DELETE
  USING (stream = ANY (ARRAY(SELECT memctl.my_streams())) AND replica = ANY (ARRAY(
    SELECT c.replica FROM memctl.cards c WHERE c.member = (SELECT memctl.my_name()))));

CREATE POLICY seen ON memctl.records FOR SELECT
  USING (stream = ANY (ARRAY(SELECT memctl.my_streams())));
CREATE POLICY put ON memctl.records FOR INSERT
  WITH CHECK (member = (SELECT memctl.my_name()) AND stream = ANY (ARRAY(SELECT memctl.my_streams())));
CREATE POLICY renewed ON memctl.records FOR UPDATE
  USING (member = (SELECT memctl.my_name()) AND stream = ANY (ARRAY(SELECT memctl.my_streams())))
  WITH CHECK (member = (SELECT memctl.my_name()) AND stream = ANY (ARRAY(SELECT memctl.my_streams())));

-- -- privileges -------------------------------------------------------------------------------------

REVOKE ALL ON FUNCTION memctl.my_name(), memctl.am_admin(), memctl.am_limited(), memctl.my_streams(),
  memctl.admit(text, text, text, boolean, text[]), memctl.retire(text, text[]),
  memctl.find_by_words(text, text, text[], text[], text[], text[], text[], text[], text, text, real,
                       text, integer, integer)
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.my_name(), memctl.am_admin(), memctl.am_limited(), memctl.my_streams(),
  memctl.admit(text, text, text, boolean, text[]), memctl.retire(text, text[]),
  memctl.find_by_words(text, text, text[], text[], text[], text[], text[], text[], text, text, real,
                       text, integer, integer)
  TO {members};
GRANT USAGE ON SCHEMA memctl TO {members};
GRANT SELECT ON memctl.versions, memctl.hub, memctl.streams, memctl.grants, memctl.cards,
  memctl.removals, memctl.heads, memctl.sets, memctl.records TO {members};
GRANT INSERT ON memctl.streams, memctl.grants, memctl.cards, memctl.removals, memctl.heads,
  memctl.sets, memctl.records TO {members};
GRANT UPDATE (is_open) ON memctl.streams TO {members};
GRANT UPDATE (card, login, at) ON memctl.cards TO {members};
GRANT UPDATE (last) ON memctl.heads TO {members};
GRANT UPDATE ON memctl.records TO {members};
GRANT DELETE ON memctl.sets, memctl.grants TO {members};
