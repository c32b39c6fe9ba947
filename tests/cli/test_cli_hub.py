"""Machines that meet at a hub, by the commands that a person types."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli.machines import Machine, Make

from memctl.sync import addresses, keys
from tests.sync.postgres_server import Server, run_server

Here = Callable[..., Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with run_server() as made:
        yield made


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    """The address of an empty database for whoever may create roles."""
    made = server.make_database()
    yield made
    server.drop_database(made)


@pytest.fixture
def make(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Machines by name."""

    def build(name: str) -> Machine:
        machine = Machine(name, tmp_path / name, here, monkeypatch)
        machine.run("init")
        return machine

    return build


def join(machine: Machine, code: str) -> Any:
    """Join with the code alone, which names the hub."""
    return machine.run("sync", "join", keys.read_code(code).place, code, "--yes")


@pytest.fixture
def vera(make: Make, address: str) -> Machine:
    """Who founded the group, and shares what holds everywhere."""
    machine = make("vera")
    machine.run("sync", address, "--as", "Vera", "--yes")
    machine.run("sync", "share", "--global")
    return machine


def ask_root(address: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address, autocommit=True) as raw:
        return raw.execute(statement.encode()).fetchall()


def test_a_colleague_gets_what_is_shared_and_decides(vera: Machine, make: Make) -> None:
    vera.write("Tide data comes from the harbour office")
    vera.sync()
    ines = make("ines")
    join(ines, vera.invite("Ines"))
    waiting = ines.run("inbox")["items"]
    assert [each["content"] for each in waiting] == ["Tide data comes from the harbour office"]


def test_maintenance_syncs_with_the_hub(vera: Machine, make: Make) -> None:
    ines = make("ines")
    join(ines, vera.invite("Ines"))
    record = vera.write("Deploys happen on Tuesdays")
    for each in (vera, ines):
        assert each.run("maintain", "--step", "sync")["steps"][0]["state"] == "done"
    assert ines.show(record)["origin"] == "Vera"


def test_a_further_machine_of_ones_own_has_all(vera: Machine, make: Make) -> None:
    record = vera.write("Tide data comes from the harbour office")
    vera.sync()
    second = make("second")
    join(second, vera.invite())
    assert second.show(record)["status"] == "active"


def test_the_hub_knows_what_was_not_taken_in_yet(vera: Machine, make: Make) -> None:
    ines = make("ines")
    join(ines, vera.invite("Ines"))
    vera.write("The pilot boat leaves at the second bell")
    vera.sync()
    ines.sit_down()
    told = ines.say("search", "pilot", "boat", "--hub")
    assert "The pilot boat leaves at the second bell" in told
    assert "said by Vera; not in this store, only at a hub" in told
    ines.sync()
    assert "only at a hub" not in ines.say("search", "pilot", "boat", "--hub")


def test_no_password_is_shown_or_stored(vera: Machine, address: str) -> None:
    kept = vera.db.with_name("memory.db.hubs")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    (password,) = json.loads(kept.read_text()).values()
    told = [
        vera.say(*words)
        for words in (
            ("sync",),
            ("sync", "status"),
            ("status",),
            ("sync", "--json"),
            ("sync", "members"),
            ("export", "--shared", "-"),
            ("log",),
        )
    ]
    assert password not in "".join(told)
    assert password.encode() not in vera.db.read_bytes()
    for file in vera.db.parent.iterdir():
        assert file == kept or not file.is_file() or password.encode() not in file.read_bytes()
    vera.run("sync", "leave", "--yes")
    assert not kept.exists()


def test_what_is_purged_is_gone_from_the_hub(vera: Machine, address: str, make: Make) -> None:
    record = vera.write("The harbour master drinks jasmine tea")
    vera.sync()
    assert "jasmine" in str(ask_root(address, "SELECT body, words::text FROM memctl.records"))
    before = ask_root(address, "SELECT digest FROM memctl.sets")
    vera.run("purge", record, "--yes")
    vera.sync()
    assert "jasmine" not in str(ask_root(address, "SELECT body, words::text FROM memctl.records"))
    assert ask_root(address, "SELECT digest FROM memctl.sets") != before
    ines = make("ines")
    join(ines, vera.invite("Ines"))
    assert ines.run("inbox")["items"] == []
    assert ines.run("search", "jasmine", "tea", "--hub")["items"] == []


def test_somebody_who_is_removed_gets_nothing_more(vera: Machine, make: Make) -> None:
    ines = make("ines")
    join(ines, vera.invite("Ines"))
    vera.sync()
    vera.run("sync", "remove", "Ines", "--yes")
    vera.write("Said after Ines left the harbour")
    vera.sync()
    ines.run("sync", code=40)
    told = ines.say("search", "harbour", "--hub")
    assert "Said after" not in told
    assert "gave no answer" in told


def test_a_member_is_limited_to_the_projects_of_its_invitation(
    vera: Machine, make: Make, address: str
) -> None:
    for name in ("tides", "charts"):
        folder = vera.work / name
        folder.mkdir()
        vera.run("init", "--project", folder)
        vera.run("ingest", f"The {name} are printed on Mondays", "--project", name)
        vera.run("sync", "share", name)
    vera.sync()
    ines = make("ines")
    join(ines, vera.invite("Ines", "--only", "tides"))
    waiting = [each["content"] for each in ines.run("inbox")["items"]]
    assert waiting == ["The tides are printed on Mondays"]
    assert ines.run("search", "charts", "--hub")["items"] == []


def test_only_a_hub_limits_members(make: Make, tmp_path: Path) -> None:
    machine = make("vera")
    machine.begin(tmp_path / "shared")
    told = machine.say("sync", "invite", "Ines", "--only", "tides", code=2)
    assert "only a hub" in told


def test_the_address_that_set_the_hub_up_may_be_typed_again(vera: Machine, address: str) -> None:
    vera.run("sync", address)
    assert len(vera.run("sync", "status")["places"]) == 1


def test_a_server_that_is_away_is_no_harm(vera: Machine, address: str) -> None:
    with_hub = addresses.hide_password(address)
    ask_root(address, "SELECT 1")
    with psycopg.connect(with_hub, autocommit=True) as raw:
        raw.execute(f"REVOKE CONNECT ON DATABASE {raw.info.dbname} FROM PUBLIC".encode())
    vera.write("Written while the hub was away")
    vera.run("sync", code=40)
    vera.run("maintain", "--step", "sync")
    with psycopg.connect(with_hub, autocommit=True) as raw:
        raw.execute(f"GRANT CONNECT ON DATABASE {raw.info.dbname} TO PUBLIC".encode())
    assert vera.sync()["places"][0]["sent"] > 0


def test_a_group_may_meet_at_two_databases_of_one_server(
    vera: Machine, server: Server, address: str
) -> None:
    second = server.make_database()
    try:
        vera.run("sync", second, "--yes")
        vera.write("Written for both hubs")
        assert all(place["sent"] > 0 for place in vera.sync()["places"])
        assert [place["sent"] for place in vera.sync()["places"]] == [0, 0]
    finally:
        server.drop_database(second)
