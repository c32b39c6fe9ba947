"""A member who writes whatever they like, well signed, stops nobody and damages nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cli.machines import Machine

from memctl.settings.config import load_config
from memctl.sync import change_set, keys, roster
from memctl.sync.folder_place import FolderPlace
from tests.sync.hostile import Liar

STREAM = "project:global"
MANY = 250


def write_lies(zed: Machine, folder: Path, seed: int) -> None:
    """Put a change set of made-up changes into the folder, signed by a member's key."""
    own = keys.load_keys(load_config(zed.db))
    assert own is not None
    liar = Liar(own, seed)
    entries = [liar.make_up(number) for number in range(MANY)]
    with closing(FolderPlace.open(folder, own.group, own.replica)) as place:
        known = roster.build_roster(own.group, place.read_cards(), place.read_removals())
        first = 1 + MANY * seed
        made = change_set.encode_set(own, STREAM, first, "", entries, known.list_recipients(STREAM))
        place.write_set(*made)


def list_problems(machine: Machine) -> list[str]:
    """What doctor finds wrong."""
    machine.sit_down()
    checks = machine.here("doctor", "--json").data["checks"]
    return [each["detail"] for each in checks if each["state"] == "problem"]


@pytest.mark.proof
def test_what_a_member_makes_up_stops_nobody_and_damages_nothing(
    here: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shared"
    vera, ines, zed = (
        Machine(name, tmp_path / name, here, monkeypatch) for name in ("vera", "ines", "zed")
    )
    for each in (vera, ines, zed):
        each.run("init")
    ours = vera.write("The harbour office opens at nine")
    vera.begin(folder)
    vera.run("sync", "share", "--global")
    ines.join(folder, vera.invite("Ines"))
    zed.join(folder, vera.invite("Zed"))
    ines.configure(others="active")
    vera.sync()
    for seed in range(6):
        write_lies(zed, folder, seed)
        for each in (vera, ines):
            each.say("sync")
    for each in (vera, ines):
        assert list_problems(each) == []
        assert each.show(ours)["content"] == "The harbour office opens at nine"
    assert vera.show(ours)["status"] == "active"
    vera.run("sync", "remove", "Zed", "--yes")
    vera.write("Said after Zed was gone")
    vera.sync()
    ines.sync()
    assert ines.find("Zed gone") == ["Said after Zed was gone"]
