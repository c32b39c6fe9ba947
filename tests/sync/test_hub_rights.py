"""A member attacks a hub with a raw connection and everything that its login can do.

Anna founded the hub. Ben is a member like any other, Carl is limited to one project, Dora an admin
by invitation. Nobody may read or change what is not theirs, by whatever words they ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import errors

from memctl.core.errors import PlaceUnreachable, RefusedByPolicy
from memctl.sync import cards
from memctl.sync.place import PURGED_STAMP, SearchableRow
from memctl.sync.postgres_place import PostgresPlace
from memctl.sync.signed_texts import create_seed
from tests.sync.hub_group import HubGroup, make_group, make_set
from tests.sync.postgres_server import Server

OPEN, CLOSED = "project:01OPEN", "project:01CLOSED"
SECRET = "zebra-crossing"


class World(NamedTuple):
    """A hub with its members, and a raw connection of Ben's."""

    group: HubGroup
    anna: PostgresPlace
    ben: PostgresPlace
    raw: psycopg.Connection


def row(stream: str, record: str, text: str, stamp: int = 1) -> SearchableRow:
    body = {"content": text, "status": "active", "observed_at": "2026-01-01T00:00:00.000Z"}
    return SearchableRow(stream, record, stamp, body, (text, text, ""))


@pytest.fixture(scope="module")
def world(postgres_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One hub for all attacks: none of them changes anything."""
    address = postgres_server.make_database()
    folder: Path = tmp_path_factory.mktemp("members")
    with make_group(address, folder) as group:
        anna = group.founder
        ben = group.invite("ben", "B1")
        for stream, text in (("own:anna", SECRET), (CLOSED, SECRET), (OPEN, "an open word")):
            rows = [] if stream.startswith("own:") else [row(stream, f"R-{stream}", text)]
            anna.write_set(*make_set(stream, "A1", 1, 1, f"{stream} {text}".encode()), rows)
        anna.open_stream(CLOSED, is_open=False)
        ben.write_set(*make_set("own:ben", "B1", 1, 1))
        ben.write_set(*make_set(OPEN, "B1", 1, 1), [row(OPEN, "R-ben", "what ben says")])
        raw = group.connect(ben)
        yield World(group, anna, ben, raw)
        raw.close()
    postgres_server.drop_database(address)


def ask(raw: psycopg.Connection, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    return raw.execute(statement.encode(), values or None).fetchall()


# -- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["sets", "heads", "records", "streams"])
def test_a_member_reads_only_streams_that_it_takes_part_in(world: World, table: str) -> None:
    streams = {stream for (stream,) in ask(world.raw, f"SELECT stream FROM memctl.{table}")}
    assert streams <= {OPEN, "own:ben"}
    assert OPEN in streams


def test_an_admin_does_not_read_what_is_for_somebodys_own_machines(world: World) -> None:
    dora = world.group.invite("dora", "D1", is_admin=True)
    with world.group.connect(dora) as raw:
        streams = {stream for (stream,) in ask(raw, "SELECT stream FROM memctl.sets")}
    assert streams == {OPEN}


def test_logins_are_shown_to_nobody(world: World) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        ask(world.raw, "SELECT * FROM memctl.members")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM memctl.records WHERE words @@ to_tsquery('simple', 'zebra')",
        "SELECT * FROM memctl.find_by_words('zebra', 'zebra', NULL, ARRAY['active'], NULL, NULL, "
        "NULL, NULL, NULL, NULL, NULL, '2026-06-01', 1000, 1000)",
        f"SELECT * FROM memctl.find_by_words('zebra', 'zebra', ARRAY['{CLOSED}'], ARRAY['active'], "
        "NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-06-01', 1000, 1000)",
        "SELECT * FROM memctl.sets WHERE stream = 'own:anna'",
        "SELECT * FROM ONLY memctl.sets TABLESAMPLE SYSTEM (100) WHERE replica = 'A1' "
        "AND stream <> 'project:01OPEN'",
        "SELECT * FROM memctl.streams WHERE stream = 'project:01CLOSED'",
        "SELECT * FROM memctl.grants",
        "WITH x AS (SELECT * FROM memctl.records) SELECT * FROM x "
        "WHERE record = 'R-project:01CLOSED'",
    ],
)  # fmt: skip
def test_no_question_finds_what_is_not_ones_own(world: World, statement: str) -> None:
    assert ask(world.raw, statement) == []


def test_a_function_of_ones_own_sees_no_row_before_the_policy_does(world: World) -> None:
    heard: list[str] = []
    world.raw.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
    world.raw.execute(
        "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS "
        "$$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    )
    ask(world.raw, "SELECT 1 FROM memctl.records WHERE pg_temp.leak(body::text)")
    ask(world.raw, "SELECT 1 FROM memctl.sets WHERE pg_temp.leak(stream)")
    assert heard
    assert SECRET not in "".join(heard)
    assert "own:anna" not in heard


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 / (CASE WHEN stream = 'own:anna' THEN 0 ELSE 1 END) FROM memctl.sets",
        "SELECT body::text::integer FROM memctl.records WHERE stream = 'project:01CLOSED'",
        "SELECT (body ->> 'content')::integer FROM memctl.records "
        "WHERE record LIKE 'R-project:01C%'",
    ],
)  # fmt: skip
def test_no_error_tells_of_a_hidden_row(world: World, statement: str) -> None:
    ask(world.raw, statement)


@pytest.mark.parametrize("table", ["sets", "records"])
def test_statistics_and_plans_tell_no_value(world: World, table: str) -> None:
    with psycopg.connect(world.group.address, autocommit=True) as root:
        root.execute(f"ANALYZE memctl.{table}")
    seen = ask(world.raw, "SELECT * FROM pg_stats WHERE schemaname = 'memctl'")
    assert seen == []
    with pytest.raises(errors.InsufficientPrivilege):
        ask(world.raw, "SELECT * FROM pg_statistic")
    plan = ask(world.raw, f"EXPLAIN (ANALYZE, VERBOSE, BUFFERS) SELECT * FROM memctl.{table}")
    told = "\n".join(line for (line,) in plan)
    assert SECRET not in told
    assert "own:anna" not in told


def test_what_others_run_is_not_shown(world: World) -> None:
    other = world.group.connect(world.anna)
    other.execute(f"SELECT '{SECRET}'")
    rows = ask(
        world.raw,
        "SELECT query FROM pg_stat_activity WHERE usename <> current_user",
    )
    other.close()
    assert rows
    assert {query for (query,) in rows} == {"<insufficient privilege>"}


def test_an_admin_cannot_become_somebody_else(world: World) -> None:
    """Not by an invitation in that name, nor by a grant; and what it invites with is soon void."""
    admin = world.group.invite("gina", "G1", is_admin=True)
    for name in ("anna", "Anna", "ben"):
        with pytest.raises(RefusedByPolicy, match="somebody of that name"):
            admin.invite_member(name)
    with world.group.connect(admin) as raw:
        raw.execute("INSERT INTO memctl.grants VALUES ('own:anna', 'gina', 'gina')")
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute("INSERT INTO memctl.streams (stream, founder) VALUES ('own:anna', 'gina')")
        assert ask(raw, "SELECT * FROM memctl.sets WHERE stream = 'own:anna'") == []
    kept, given = admin.invite_member("hugo"), admin.invite_member("hugo")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(kept)
    watching = psycopg.connect(given, autocommit=True)
    hugo = world.group.join("hugo", "H1", given)
    with pytest.raises(psycopg.OperationalError):
        watching.execute("SELECT * FROM memctl.sets")
    assert hugo.own_address() != given
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(given)
    hugo.close()
    assert hugo.read_cards()


def test_somebody_who_was_removed_is_not_invited_by_the_same_name(
    hub_address: str, tmp_path: Path
) -> None:
    with make_group(hub_address, tmp_path) as group:
        group.founder.invite_member("ines")
        group.invite("ines", "I1")
        group.founder.write_removal("ines", b"signed")
        with pytest.raises(RefusedByPolicy):
            group.founder.invite_member("ines")


# -- writing -------------------------------------------------------------------------------------


INSERT_SET = (
    "INSERT INTO memctl.sets (stream, replica, first, last, digest, content) "
    "VALUES (%s, %s, %s, %s, 'x', 'x')"
)


@pytest.mark.parametrize(
    ("stream", "replica", "first"),
    [
        (OPEN, "A1", 2),  # under another's replica
        (OPEN, "A1", 1),  # one that is there
        ("own:anna", "B1", 1),  # into another's own stream
        ("own:anna", "A1", 1),  # one that is there, and hidden
        (CLOSED, "B1", 1),  # into a project that is not for everybody
        (OPEN, "nobody", 1),  # under a replica without a card
        ("elsewhere", "B1", 1),
    ],
)
def test_a_member_writes_only_as_its_own_replicas(
    world: World, stream: str, replica: str, first: int
) -> None:
    """Whether the row is there or not, the answer is the same: nothing is learned by trying."""
    for more in ("", " ON CONFLICT DO NOTHING"):
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security") as failure:
            world.raw.execute((INSERT_SET + more).encode(), (stream, replica, first, first))
        assert "already exists" not in str(failure.value)
    with pytest.raises(errors.InsufficientPrivilege):
        world.raw.execute(
            "INSERT INTO memctl.heads (stream, replica, last) VALUES (%s, %s, 1)", (stream, replica)
        )


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM memctl.sets WHERE replica = 'A1'",
        "UPDATE memctl.heads SET last = 99 WHERE replica = 'A1'",
        "UPDATE memctl.cards SET card = 'forged' WHERE replica = 'A1'",
        "UPDATE memctl.records SET body = '{}' WHERE member = 'anna'",
        "UPDATE memctl.streams SET is_open = true",
        "DELETE FROM memctl.grants",
    ],
)
def test_what_is_anothers_stays_as_it_is(world: World, statement: str) -> None:
    assert world.raw.execute(statement.encode()).rowcount == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memctl.sets SET content = 'x'",
        "UPDATE memctl.cards SET member = 'ben'",
        "UPDATE memctl.heads SET stream = 'own:anna'",
        "DELETE FROM memctl.cards",
        "DELETE FROM memctl.records",
        "DELETE FROM memctl.removals",
        "UPDATE memctl.removals SET removal = 'x'",
        "TRUNCATE memctl.sets",
        "INSERT INTO memctl.cards (replica, member, login, card) "
        "VALUES ('X', 'anna', session_user, 'x')",
        "INSERT INTO memctl.cards (replica, member, login, card) "
        "VALUES ('X', 'ben', (SELECT login FROM memctl.cards WHERE replica = 'A1'), 'x')",
        "INSERT INTO memctl.cards (replica, member, login, card) "
        "VALUES ('A1', 'ben', session_user, 'x') ON CONFLICT (replica) DO UPDATE SET card = 'x'",
        "INSERT INTO memctl.grants (stream, member, granted_by) "
        "VALUES ('project:01CLOSED', 'ben', 'ben')",
        "INSERT INTO memctl.grants (stream, member, granted_by) "
        "VALUES ('project:01OPEN', 'ben', 'anna')",
        "INSERT INTO memctl.members (role, member) VALUES (current_user, 'anna')",
        "INSERT INTO memctl.hub (group_id) VALUES ('x')",
        "INSERT INTO memctl.versions (version, name) VALUES (99, 'x')",
        "INSERT INTO memctl.streams (stream, founder) VALUES ('project:new', 'anna')",
        "INSERT INTO memctl.streams (stream, founder) VALUES ('own:anna', 'ben')",
        "UPDATE memctl.records SET member = 'anna' WHERE member = 'ben'",
        "UPDATE memctl.records SET stream = 'project:01CLOSED' WHERE member = 'ben'",
        "INSERT INTO memctl.records (stream, record, member, replica, stamp) "
        "VALUES ('project:01OPEN', 'x', 'anna', 'A1', 1)",
        "INSERT INTO memctl.records (stream, record, member, replica, stamp) "
        "VALUES ('project:01CLOSED', 'x', 'ben', 'B1', 1)",
        "SELECT memctl.admit('x', 'SCRAM-SHA-256$x', 'eve', false, NULL)",
        "SELECT memctl.admit('x', 'SCRAM-SHA-256$x', 'ben', true, NULL)",
        "SELECT memctl.retire('anna', NULL)",
        "SELECT memctl.retire('anna', ARRAY['A1'])",
    ],
)  # fmt: skip
def test_what_no_member_may_do_is_refused(world: World, statement: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        world.raw.execute(statement.encode())


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE memctl.x (y text)",
        "CREATE FUNCTION memctl.my_name() RETURNS text LANGUAGE sql AS $$ SELECT 'anna' $$",
        "CREATE OR REPLACE FUNCTION memctl.my_name() RETURNS text LANGUAGE sql AS "
        "$$ SELECT 'anna' $$",
        "CREATE TRIGGER t BEFORE INSERT ON memctl.sets FOR EACH ROW EXECUTE FUNCTION "
        "suppress_redundant_updates_trigger()",
        "CREATE RULE r AS ON SELECT TO memctl.sets DO INSTEAD SELECT 1",
        "CREATE INDEX i ON memctl.sets (content)",
        "CREATE POLICY p ON memctl.sets USING (true)",
        "DROP POLICY seen ON memctl.sets",
        "ALTER TABLE memctl.sets DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE memctl.sets NO FORCE ROW LEVEL SECURITY",
        "ALTER FUNCTION memctl.my_streams() RESET ALL",
        "GRANT SELECT ON memctl.members TO PUBLIC",
        "CREATE TABLE public.x (y text)",
        "CREATE FUNCTION public.f() RETURNS text LANGUAGE sql AS $$ SELECT 1 $$",
        "CREATE ROLE mallory SUPERUSER",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "COPY memctl.sets TO PROGRAM 'cat > /tmp/x'",
        "COPY memctl.cards FROM PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT lo_import('/etc/passwd')",
        "CREATE EXTENSION plperlu",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
        "SELECT * FROM pg_authid",
        "ALTER SYSTEM SET fsync = off",
        "BEGIN; LOCK TABLE memctl.members",
        "CREATE SCHEMA mine",
        "CREATE PUBLICATION p FOR TABLE memctl.sets",
        "SELECT pg_logical_slot_get_changes('x', NULL, NULL)",
        "COMMENT ON TABLE memctl.sets IS 'x'",
    ],
)  # fmt: skip
def test_a_member_makes_and_changes_nothing_of_the_server(world: World, statement: str) -> None:
    with pytest.raises(
        (errors.InsufficientPrivilege, errors.FeatureNotSupported, errors.UndefinedFile,
         errors.UndefinedObject, errors.WrongObjectType)
    ):  # fmt: skip
        world.raw.execute(statement.encode())
    world.raw.rollback()


def test_no_role_that_one_can_become_sees_more(world: World) -> None:
    own = {role for (role,) in ask(world.raw, "SELECT current_user")}
    roles = [
        role
        for (role,) in ask(
            world.raw,
            "SELECT rolname FROM pg_roles WHERE pg_has_role(current_user, oid, 'MEMBER')",
        )
        if role not in own
    ]
    assert len(roles) == 1
    for role in roles:
        world.raw.execute(f'SET ROLE "{role}"'.encode())
        streams = {stream for (stream,) in ask(world.raw, "SELECT stream FROM memctl.sets")}
        world.raw.execute("RESET ROLE")
        assert streams == {OPEN, "own:ben"}


def test_a_name_that_stands_in_front_misleads_no_function(world: World) -> None:
    """What a member creates for its session comes last where functions of the owner look."""
    world.raw.execute("CREATE TEMP TABLE members (role text, member text, removed_at timestamptz)")
    world.raw.execute("INSERT INTO pg_temp.members VALUES (current_user, 'anna', NULL)")
    world.raw.execute("SET search_path = pg_temp, memctl, pg_catalog")
    assert ask(world.raw, "SELECT memctl.my_name()") == [("ben",)]
    world.raw.execute("RESET search_path")


def test_settings_of_a_session_open_nothing(world: World) -> None:
    world.raw.execute("SET row_security = off")
    with pytest.raises(errors.InsufficientPrivilege):
        ask(world.raw, "SELECT * FROM memctl.sets")
    world.raw.execute("RESET row_security")


# -- who is limited, closed out, and removed -----------------------------------------------------


def test_a_limited_member_sees_the_projects_that_are_granted(world: World) -> None:
    carl = world.group.invite("carl", "C1", streams=[CLOSED])
    assert [each.stream for each in carl.list_sets({})] == [CLOSED]
    carl.write_set(*make_set(CLOSED, "C1", 1, 1))
    with pytest.raises(RefusedByPolicy):
        carl.write_set(*make_set(OPEN, "C1", 1, 1))
    with pytest.raises(RefusedByPolicy):
        carl.write_set(*make_set("project:of-his-own", "C1", 1, 1))
    world.anna.grant_stream(CLOSED, "carl", is_granted=False)
    assert [*carl.list_sets({})] == []


def test_a_limited_member_is_limited_on_its_further_machines_too(world: World) -> None:
    eve = world.group.invite("eve", "E1", streams=[])
    again = world.group.join("eve", "E2", eve.invite_member("eve"))
    assert [*again.list_sets({})] == []
    with pytest.raises(RefusedByPolicy):
        eve.invite_member("ben")


def test_a_members_further_machine_is_of_the_same_member(world: World) -> None:
    second = world.group.join("ben", "B2", world.ben.invite_member("ben"))
    assert {each.stream for each in second.list_sets({})} == {OPEN, "own:ben"}
    with pytest.raises(RefusedByPolicy):
        world.ben.invite_member("mallory")


def test_a_removed_member_reads_and_writes_nothing_any_more(
    hub_address: str, tmp_path: Path
) -> None:
    with make_group(hub_address, tmp_path) as group:
        fred = group.invite("fred", "F1")
        fred.write_set(*make_set(OPEN, "F1", 1, 1))
        with group.connect(fred) as raw:
            group.founder.write_removal("fred", b"signed")
            with pytest.raises(errors.InsufficientPrivilege):
                raw.execute("SELECT * FROM memctl.sets")
        with pytest.raises(RefusedByPolicy):
            fred.write_set(*make_set(OPEN, "F1", 2, 2))
        fred.close()
        with pytest.raises(PlaceUnreachable):
            [*fred.list_sets({})]
        assert group.founder.read_removals() == [b"signed"]
        assert len([*group.founder.list_sets({})]) == 1


def test_only_an_admin_takes_logins_away(hub_address: str, tmp_path: Path) -> None:
    """A removal is signed: who reads it judges it, so anybody may bring one. Logins are another."""
    with make_group(hub_address, tmp_path) as group:
        ben, carl = group.invite("ben", "B1"), group.invite("carl", "C1")
        ben.write_removal("carl", b"signed by anna, met elsewhere")
        assert carl.read_removals() == [b"signed by anna, met elsewhere"]
        ben.retire_members(["carl"])
        assert carl.read_removals()
        group.founder.retire_members(["carl"])
        with pytest.raises(RefusedByPolicy):
            carl.read_removals()


def test_a_machine_that_leaves_takes_its_own_login_with_it(
    hub_address: str, tmp_path: Path
) -> None:
    with make_group(hub_address, tmp_path) as group:
        ben = group.invite("ben", "B1")
        second = group.join("ben", "B2", ben.invite_member("ben"))
        told = {"group": "g", "issuer": "B2", "member": "ben", "root": None, "limits": {}}
        removal = cards.write_removal(
            **told, replicas={"B2"}, kept_cards=(), kept_removals=(), seed=create_seed()
        )
        second.write_removal("ben", removal)
        with pytest.raises(RefusedByPolicy):
            second.read_cards()
        assert len(ben.read_cards()) == 3


# -- what is purged ------------------------------------------------------------------------------


def test_a_purged_record_stays_empty_whatever_comes_later(hub_address: str, tmp_path: Path) -> None:
    with make_group(hub_address, tmp_path) as group:
        group.founder.write_set(*make_set(OPEN, "A1", 1, 1), [row(OPEN, "R", "said once", 5)])
        group.founder.write_rows([row(OPEN, "R", "an older state", 3)])
        with group.connect(group.founder) as raw:
            assert "said once" in str(ask(raw, "SELECT body FROM memctl.records"))
            old, new = make_set(OPEN, "A1", 1, 1), make_set(OPEN, "A1", 1, 1, b"a stub")
            gone = SearchableRow(OPEN, "R", PURGED_STAMP, None)
            group.founder.replace_sets([old[0]], *new, [gone])
            group.founder.write_rows([row(OPEN, "R", "said again", 10**15)])
            assert ask(raw, "SELECT body, words::text FROM memctl.records") == [(None, "")]
            assert ask(raw, "SELECT content FROM memctl.sets") == [(b"a stub",)]
