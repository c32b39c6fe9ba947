"""Stores follow one another through a PostgreSQL database: the real commands, a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.machines import Machine

from tests.sync.postgres_server import Server, run_server

Here = Callable[..., Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server for these tests."""
    with run_server() as running:
        yield running


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    """An empty database."""
    made = server.make_database()
    yield made
    server.drop_database(made)


@pytest.fixture
def team(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> tuple[Machine, Machine]:
    """Two people who meet at a hub and share what holds everywhere."""
    vera, ines = (Machine(name, tmp_path / name, here, monkeypatch) for name in ("vera", "ines"))
    for each in (vera, ines):
        each.run("init")
    vera.run("sync", address, "--as", "Vera", "--yes")
    vera.run("sync", "share", "--global")
    # The code holds the address of the hub with a login of its own.
    ines.run("sync", "join", vera.invite("Ines"), "--yes")
    ines.run("sync", "share", "--global")
    settle(vera, ines)
    return vera, ines


def settle(*machines: Machine) -> None:
    """Sync until everybody has everything."""
    for _ in range(2):
        for each in machines:
            each.sync()


def test_a_record_reaches_the_other_person_and_a_purge_too(
    team: tuple[Machine, Machine],
) -> None:
    vera, ines = team
    record = vera.write("Deploys happen on Tuesdays")
    settle(vera, ines)
    assert (ines.show(record)["status"], ines.show(record)["origin"]) == ("inbox", "Vera")
    vera.run("purge", record, "--yes")
    settle(vera, ines)
    ines.run("show", record, code=20)


def test_a_further_machine_joins_with_the_code_alone(
    team: tuple[Machine, Machine], here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vera, _ = team
    own = vera.write("I like my tea black")
    vera.sync()
    lap = Machine("lap", tmp_path / "lap", here, monkeypatch)
    lap.run("init")
    lap.run("sync", "join", vera.invite(), "--yes")
    assert lap.show(own)["status"] == "active"
    lap.run("edit", own, "--content", "I like my tea green")
    settle(lap, vera)
    assert vera.show(own)["content"] == "I like my tea green"


def test_a_removed_member_is_refused_by_the_server(team: tuple[Machine, Machine]) -> None:
    vera, ines = team
    vera.run("sync", "remove", "Ines", "--yes")
    late = ines.write("Sent after the removal")
    # The server closes its door, whatever the client says.
    assert _run_to_any_code(ines, "sync") in (21, 40)
    settle(vera)
    vera.run("show", late, code=20)


def _run_to_any_code(machine: Machine, *words: object) -> int:
    machine.sit_down()
    return int(machine.here(*words).code)


def test_no_password_stands_in_an_answer_or_in_the_store(team: tuple[Machine, Machine]) -> None:
    _, ines = team
    kept = (ines.db.parent / f"{ines.db.name}.hubs").read_text()
    password = next(word for word in kept.split('"') if len(word) > 20 and "/" not in word)
    for words in (("sync", "status"), ("status",), ("doctor",), ("sync", "members")):
        assert password not in ines.say(*words)
    assert password.encode() not in ines.db.read_bytes()


def test_maintain_syncs_with_the_hub(team: tuple[Machine, Machine]) -> None:
    vera, ines = team
    record = vera.write("Deploys happen on Tuesdays")
    for each in (vera, ines):
        assert each.run("maintain", "--step", "sync")["steps"][0]["state"] == "done"
    assert ines.show(record)["origin"] == "Vera"
