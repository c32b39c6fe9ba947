"""Stores of several machines follow one another: the real commands, one folder between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.machines import Machine, Make

Here = Callable[..., Any]


@pytest.fixture
def make(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Machines by name."""

    def build(name: str) -> Machine:
        machine = Machine(name, tmp_path / name, here, monkeypatch)
        machine.run("init")
        return machine

    return build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that reaches all machines."""
    return tmp_path / "shared"


@pytest.fixture
def two(make: Make, folder: Path) -> tuple[Machine, Machine]:
    """Two machines of one person, both in line."""
    desk, lap = make("desk"), make("lap")
    desk.write("Tide data comes from the harbour office")
    desk.begin(folder)
    lap.join(folder, desk.invite())
    settle(desk, lap)
    return desk, lap


def settle(*machines: Machine) -> None:
    """Sync until everybody has everything."""
    for _ in range(2):
        for each in machines:
            each.sync()


def test_what_is_written_on_one_machine_is_found_on_the_other(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    assert lap.find("tide data") == ["Tide data comes from the harbour office"]
    lap.write("Charts are drawn at noon")
    settle(lap, desk)
    assert desk.find("charts noon") == ["Charts are drawn at noon"]
