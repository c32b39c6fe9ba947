"""Sixteen stores that sync through a folder or a hub at once, killed, parted, put back and brought
together again, hold the same at the end: nothing is lost, and nothing that was erased comes back.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from proofs.shim import Shim
from proofs.sync_world import Carrier, Computer, found, iterate_rounds, sync_at_once

MEMBERS = ("anna", "ben")
MACHINES = 8
ROUNDS = 5


@pytest.fixture(params=["folder", "hub"])
def hub(request: pytest.FixtureRequest) -> str:
    """The address of a hub; "" for a folder."""
    return "" if request.param == "folder" else str(request.getfixturevalue("hub_address"))


@pytest.mark.proof
def test_sixteen_stores_that_sync_end_up_the_same(
    shim: Shim, hub: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(18)
    computers = found(shim, tmp_path, MEMBERS, MACHINES, hub)
    carriers = [Carrier(tmp_path / "west"), Carrier(tmp_path / "east")]
    sides = [computers[0::2], computers[1::2]]
    written: list[tuple[str, str, str]] = []  # member, record, text
    syncs = kills = 0
    for number in range(ROUNDS):
        change_somewhere(computers, chance, written)
        written += write_somewhere(computers, chance, number)
        if number == 1:
            computers[3].keep_copy()
        if number == 3:
            computers[3].put_back()
        for side, carrier in zip(sides, carriers, strict=True):
            ran, killed = sync_at_once(side, chance, kills=0.4)
            syncs, kills = syncs + ran, kills + killed
            carrier.carry([each.shared for each in side])
        if number % 2:  # For a while both sides are in touch.
            carriers[0].meet(carriers[1])
    doomed = next(each for each in written if each[0] == computers[0].member)
    settle(computers, sides, carriers, chance)
    computers[0].run("purge", doomed[1], "--yes")
    settle(computers, sides, carriers, chance)
    judge(computers, written, doomed)
    record_property("stores", len(computers))
    record_property("syncs", syncs)
    record_property("kills", kills)
    record_property("lost", 0)
    assert kills > 5


def write_somewhere(
    computers: list[Computer], chance: random.Random, number: int
) -> list[tuple[str, str, str]]:
    """Write records on some machines."""
    made = []
    for place, text in iterate_rounds(chance, 6):
        computer = computers[place % len(computers)]
        text = f"{text}, says round {number}"
        made.append((computer.member, computer.write(text), text))
    return made


def change_somewhere(
    computers: list[Computer], chance: random.Random, written: Sequence[tuple[str, str, str]]
) -> None:
    """Change records on machines that may not have the newest of them, or nothing at all."""
    for member, record, text in chance.sample(written, min(6, len(written))):
        computer = chance.choice([each for each in computers if each.member == member])
        words: tuple[object, ...] = chance.choice(
            (
                ("edit", record, "--content", f"{text}, or at {chance.randrange(24)}"),
                ("edit", record, "--tag", chance.choice(("tide", "lock", "hours"))),
                ("edit", record, "--protect"),
                ("forget", record, "--reason", "no longer so"),
            )
        )
        computer.run(*words, codes=(0, 1, 20, 21))


def settle(
    computers: list[Computer],
    sides: list[list[Computer]],
    carriers: list[Carrier],
    chance: random.Random,
) -> None:
    """Let everybody sync until everybody has everything."""
    for _ in range(3):
        sync_at_once(computers, chance, kills=0)
        for _ in range(2):
            for side, carrier in zip(sides, carriers, strict=True):
                carrier.carry([each.shared for each in side])
            carriers[0].meet(carriers[1])


def judge(
    computers: list[Computer],
    written: list[tuple[str, str, str]],
    doomed: tuple[str, str, str],
) -> None:
    for member in MEMBERS:
        own = [each for each in computers if each.member == member]
        exports = [each.export() for each in own]
        assert exports[0], member
        for computer, export in zip(own, exports, strict=True):
            assert export == exports[0], computer.root
        for who, record, text in written:
            is_there = who == member and (who, record, text) != doomed
            assert (text in exports[0]) == is_there, (who, text)
    for computer in computers:
        assert doomed[2].encode() not in computer.db.read_bytes()
        computer.run("doctor", codes=(0, 1))
