"""A hub does what a folder does, and more: see also test_places.py, the contract of both."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from memctl.core import clock
from memctl.core.errors import (
    MemctlError,
    PlaceUnreachable,
    RefusedByPolicy,
    ReplicaForked,
    SetDamaged,
    StoreTooNew,
    UsageError,
)
from memctl.store import files
from memctl.sync import addresses, hub_schema, hub_statements
from memctl.sync.place import SetName
from memctl.sync.postgres_place import open_postgres
from tests.sync.hub_group import HubGroup, User, make_group, make_set

PROJECT = "project:01P"


@pytest.fixture
def group(hub_address: str, tmp_path: Path) -> Iterator[HubGroup]:
    with make_group(hub_address, tmp_path) as made:
        yield made


def test_the_founder_gets_a_login_of_its_own_that_is_no_superuser(group: HubGroup) -> None:
    with group.connect(group.founder) as raw:
        row = raw.execute(
            "SELECT rolsuper, rolcreaterole, rolbypassrls FROM pg_roles "
            "WHERE rolname = current_user"
        ).fetchone()
    assert row == (False, False, False)
    assert group.founder.name != addresses.hide_password(group.address)


def test_a_change_set_comes_back_as_it_was_written(group: HubGroup) -> None:
    name, content = make_set(PROJECT, "A1", 1, 3, bytes(range(256)) * 50)
    group.founder.write_set(name, content)
    ben = group.invite("ben", "B1")
    assert [*ben.list_sets({})] == [name]
    assert ben.read_set(name) == content
    assert [*ben.list_sets({(PROJECT, "A1"): 3})] == []
    assert [*ben.list_sets({(PROJECT, "A1"): 2})] == [name]
    assert [*ben.list_sets({}, streams=["project:other"])] == []
    assert ben.read_cards() == [b"card of A1", b"card of B1"]


def test_writing_a_change_set_again_does_nothing(group: HubGroup) -> None:
    name, content = make_set(PROJECT, "A1", 1, 3)
    group.founder.write_set(name, content)
    group.founder.write_set(name, content)
    assert [*group.founder.list_sets({})] == [name]


@pytest.mark.parametrize(("first", "last"), [(1, 3), (2, 2), (3, 9)])
def test_two_writers_under_one_replica_meet(group: HubGroup, first: int, last: int) -> None:
    group.founder.write_set(*make_set(PROJECT, "A1", 1, 3))
    copy = group.join("anna", "A1", group.founder.own_address())
    with pytest.raises(ReplicaForked):
        copy.write_set(*make_set(PROJECT, "A1", first, last, b"of a copy"))
    assert len([*copy.list_sets({})]) == 1


def test_several_sets_are_replaced_by_one(group: HubGroup) -> None:
    old = [make_set("own:anna", "A1", n, n) for n in (1, 2, 3)]
    for name, content in old:
        group.founder.write_set(name, content)
    new, whole = make_set("own:anna", "A1", 1, 3, b"all")
    for _ in range(2):
        group.founder.replace_sets([name for name, _ in old], new, whole)
    assert [*group.founder.list_sets({})] == [new]
    assert group.founder.read_set(new) == whole
    with pytest.raises(ReplicaForked):
        group.founder.replace_sets([], *make_set("own:anna", "A1", 2, 5, b"other"))


def test_a_set_that_is_gone_or_changed_is_damaged(group: HubGroup) -> None:
    name, content = make_set(PROJECT, "A1", 1, 1)
    with pytest.raises(SetDamaged, match="not there"):
        group.founder.read_set(name)
    lying = SetName(*(PROJECT, "A1", 1, 1, "0" * 16))
    group.founder.write_set(lying, content)
    with pytest.raises(SetDamaged, match="not what its name says"):
        group.founder.read_set(lying)


def test_many_sets_are_read_in_few_questions(group: HubGroup) -> None:
    written = [make_set(PROJECT, "A1", n, n) for n in range(1, 41)]
    for name, content in written:
        group.founder.write_set(name, content)
    asked = 0
    run = group.founder._hub.run

    def count(work, **how):  # type: ignore[no-untyped-def]
        nonlocal asked
        asked += 1
        return run(work, **how)

    group.founder._hub.run = count  # type: ignore[method-assign]
    assert [group.founder.read_set(name) for name in group.founder.list_sets({})] == [
        content for _, content in written
    ]
    assert asked == 2


# -- the password, and what is said of it --------------------------------------------------------


def test_a_password_is_kept_in_a_private_file_alone(group: HubGroup) -> None:
    address = group.founder.invite_member("ben")
    _, password = addresses.split_password(address)
    assert password
    ben = group.join("ben", "B1", address)
    kept = files.locate_hub_passwords(group.config("ben", "B1").db)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert password not in ben.name
    again = open_postgres(group.config("ben", "B1"), ben.name, User(group.group, "ben", "B1"))
    assert again.read_cards() != []
    again.close()


@pytest.mark.parametrize("survived", [0, 1, 2])
def test_a_cut_while_a_password_is_renewed_locks_nobody_out(
    group: HubGroup, monkeypatch: pytest.MonkeyPatch, survived: int
) -> None:
    """After the new one was noted, after the server took it, after it was kept."""
    name, password = addresses.split_password(group.founder.invite_member("ben"))
    config = group.config("ben", "B1")
    keep, left = addresses.keep_password, survived + 1

    def cut(db: Path, of: str, text: str | None) -> None:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        keep(db, of, text)

    user = User(group.group, "ben", "B1")
    ben = open_postgres(config, addresses.join_password(name, password), user)
    monkeypatch.setattr(addresses, "keep_password", cut)
    if survived == 0:
        monkeypatch.setattr(hub_schema, "compose_verifier", lambda *_: cut(config.db, "", None))
    with suppress(KeyboardInterrupt):
        ben.write_card("B1", b"card")
    ben.close()
    monkeypatch.undo()
    again = open_postgres(config, name, user)
    assert again.read_cards()
    again.close()


def test_a_wrong_password_is_not_told(group: HubGroup) -> None:
    wrong = addresses.join_password(group.founder.name, "hunter2-wrong")
    with pytest.raises(PlaceUnreachable) as failure:
        open_postgres(group.config("x", "X"), wrong, User(group.group, "anna", "X"))
    assert "hunter2" not in str(failure.value)
    assert not files.locate_hub_passwords(group.config("x", "X").db).exists()


@pytest.mark.parametrize(
    ("address", "name", "password"),
    [
        ("postgres://u:p%40x@h:5433/d?x=require", "postgresql://u@h:5433/d?x=require", "p@x"),
        ("postgresql://h1:1,h2:2/db?password=s&x=1", "postgresql://h1:1,h2:2/db?x=1", "s"),
        ("postgresql:///d?host=/t/x&service=h", "postgresql:///d?host=/t/x&service=h", None),
        ("postgresql://u:@h/db", "postgresql://u@h/db", None),
        ("postgresql://u@h/db?passfile=/x", "postgresql://u@h/db?passfile=/x", None),
    ],
)
def test_an_address_is_parted_from_its_password(
    address: str, name: str, password: str | None
) -> None:
    assert addresses.split_password(address) == (name, password)
    assert addresses.split_password(addresses.join_password(name, password)) == (name, password)


@pytest.mark.parametrize(
    "address",
    ["mysql://h/db", "/a/folder", "postgresql://[::1/db", "postgresql://h/d?sslpassword=x"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError):
        addresses.split_password(address)


# -- setting up ----------------------------------------------------------------------------------


def test_a_server_that_is_away_says_so(tmp_path: Path, group: HubGroup) -> None:
    gone = f"postgresql://u:secret@/db?host={tmp_path}"
    with pytest.raises(PlaceUnreachable) as failure:
        open_postgres(group.config("x", "X"), gone, User(group.group, "x", "X"), create=True)
    assert "secret" not in str(failure.value)


def test_a_database_without_a_hub_says_so(hub_address: str, tmp_path: Path) -> None:
    from memctl.settings.config import load_config

    with pytest.raises(PlaceUnreachable, match="nobody has set up"):
        open_postgres(load_config(tmp_path / "m.db"), hub_address, User("g", "x", "X"))


def test_another_group_does_not_meet_there(group: HubGroup) -> None:
    with pytest.raises(Exception, match="another group"):
        open_postgres(
            group.config("x", "X"),
            group.founder.own_address(),
            User("other", "x", "X"),
        )


def test_the_founder_may_come_back_with_the_address_that_set_the_hub_up(group: HubGroup) -> None:
    place = group.join("anna", "A1", group.address, create=True)
    assert place.name == group.founder.name


def test_who_may_only_create_a_schema_has_a_hub_without_others(
    hub_address: str, tmp_path: Path
) -> None:
    with psycopg.connect(hub_address, autocommit=True) as raw:
        raw.execute("CREATE ROLE plain_user LOGIN PASSWORD 'pw'")
        raw.execute(f"GRANT CREATE ON DATABASE {raw.info.dbname} TO plain_user")
    plain = addresses.join_password(addresses.replace_user(hub_address, "plain_user"), "pw")
    try:
        with make_group(plain, tmp_path) as made:
            name, content = make_set("own:anna", "A1", 1, 1)
            made.founder.write_set(name, content)
            assert [*made.founder.list_sets({})] == [name]
            with pytest.raises(RefusedByPolicy):
                made.founder.invite_member("ben")
    finally:
        with psycopg.connect(hub_address, autocommit=True) as raw:
            raw.execute("DROP OWNED BY plain_user")
            raw.execute("DROP ROLE plain_user")


def test_who_may_create_roles_but_is_no_superuser_has_a_whole_hub(
    hub_address: str, tmp_path: Path
) -> None:
    with psycopg.connect(hub_address, autocommit=True) as raw:
        raw.execute("CREATE ROLE host_admin LOGIN CREATEROLE PASSWORD 'pw'")
        raw.execute(f"GRANT CREATE ON DATABASE {raw.info.dbname} TO host_admin")
    admin = addresses.join_password(addresses.replace_user(hub_address, "host_admin"), "pw")
    with make_group(admin, tmp_path) as made:
        made.founder.write_set(*make_set(PROJECT, "A1", 1, 1))
        assert len([*made.invite("ben", "B1").list_sets({})]) == 1
        assert made.founder.state.member == "anna"
    with psycopg.connect(hub_address, autocommit=True) as raw:
        raw.execute("DROP SCHEMA memctl CASCADE")
        for (role,) in raw.execute(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'memctl\\_%'"
        ).fetchall():
            if role.startswith(made.founder.state.prefix):
                raw.execute(f'DROP OWNED BY "{role}"')
                raw.execute(f'DROP ROLE "{role}"')
        raw.execute("DROP OWNED BY host_admin")
        raw.execute("DROP ROLE host_admin")


# -- what breaks ---------------------------------------------------------------------------------


def test_a_connection_that_the_server_ended_is_opened_again(
    group: HubGroup, hub_address: str
) -> None:
    group.founder.write_set(*make_set(PROJECT, "A1", 1, 1))
    with psycopg.connect(hub_address, autocommit=True) as raw:
        raw.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    group.founder.write_set(*make_set(PROJECT, "A1", 2, 2))
    assert len([*group.founder.list_sets({})]) == 2


def test_a_pooler_that_changes_connections_does_no_harm(group: HubGroup) -> None:
    """No statement is prepared, and nothing outlives its transaction."""
    group.founder.write_set(*make_set(PROJECT, "A1", 1, 1))
    for _ in range(8):
        [*group.founder.list_sets({})]
    connection = group.founder._hub._connect()
    assert connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
    assert connection.execute("SHOW statement_timeout").fetchone() == ("0",)


def test_every_statement_of_hubs_is_named_once_and_has_its_sentence() -> None:
    for topic in hub_statements.list_topics():
        for name, text in hub_statements.load_topic(topic).items():
            assert text.startswith("-- "), f"{topic}.{name}"


# -- what gets in the way ------------------------------------------------------------------------


def test_a_transaction_that_others_got_in_the_way_of_is_done_again(
    group: HubGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(clock, "sleep", waited.append)
    failures = iter(
        [psycopg.errors.SerializationFailure("x"), psycopg.errors.DeadlockDetected("x")]
    )

    def work(connection: psycopg.Connection) -> int:
        for failure in failures:
            raise failure
        row = connection.execute("SELECT 7").fetchone()
        assert row is not None
        return int(row[0])

    assert group.founder.ask(work) == 7
    assert len(waited) == 2


def test_what_never_works_is_given_up_after_a_bounded_time(
    group: HubGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(clock, "sleep", waited.append)

    def work(connection: psycopg.Connection) -> None:
        raise psycopg.errors.SerializationFailure("again")

    with pytest.raises(PlaceUnreachable, match="again"):
        group.founder.ask(work)
    assert sum(waited) < 10


def test_a_commit_that_nobody_heard_of_is_found_the_second_time(
    group: HubGroup, hub_address: str
) -> None:
    """The server did it, the answer was lost: the second try sees that all is there."""
    name, content = make_set(PROJECT, "A1", 1, 1)
    run = group.founder._hub.run

    def lose_the_answer(work, **how):  # type: ignore[no-untyped-def]
        run(work, **how)
        return run(work, **how)

    group.founder._hub.run = lose_the_answer  # type: ignore[method-assign]
    group.founder.write_set(name, content)
    assert [*group.founder.list_sets({})] == [name]


def test_a_set_that_somebody_deleted_is_written_again(group: HubGroup, hub_address: str) -> None:
    sets = [make_set(PROJECT, "A1", n, n) for n in (1, 2, 3)]
    for name, content in sets:
        group.founder.write_set(name, content)
    with psycopg.connect(hub_address, autocommit=True) as raw:
        raw.execute("DELETE FROM memctl.sets WHERE first = 2")
    group.founder.write_set(*sets[1])
    assert [*group.founder.list_sets({})] == [name for name, _ in sets]


def test_without_the_extension_a_hub_is_searched_by_words(
    hub_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_schema, "_install_vectors", lambda connection: None)
    with make_group(hub_address, tmp_path) as made:
        assert made.founder.state.vectors is None
        assert not made.founder.state.lacks_migrations()


def test_an_older_hub_is_brought_up_to_date_by_whoever_set_it_up(
    hub_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_group(hub_address, tmp_path) as made:
        later = tmp_path / "0003_later.sql"
        later.write_text(
            "CREATE TABLE memctl.later (x text); GRANT SELECT ON memctl.later TO {members}"
        )
        known = hub_statements.list_migrations()
        monkeypatch.setattr(hub_statements, "list_migrations", lambda: [*known, (3, later)])
        with pytest.raises(MemctlError, match="older than this memctl"):
            made.join("anna", "A1", made.founder.name)
        again = made.join("anna", "A1", hub_address, create=True)
        assert again.state.versions == (1, 2, 3)
        assert again.name == made.founder.name


def test_a_newer_hub_is_left_alone(group: HubGroup, hub_address: str) -> None:
    with psycopg.connect(hub_address, autocommit=True) as raw:
        raw.execute("INSERT INTO memctl.versions (version, name) VALUES (99, 'of the future')")
    with pytest.raises(StoreTooNew, match="newer memctl"):
        group.join("anna", "A1", group.founder.name)
