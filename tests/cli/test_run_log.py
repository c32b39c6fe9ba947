"""What a timer's run prints goes into a log beside the store, which stays private and small."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from memctl.cli import run_log


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # What the log replaces is put back behind each test.
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    return tmp_path


def test_what_is_printed_goes_into_the_log(folder: Path) -> None:
    run_log.print_into_log(folder / "m.db", "maintain")
    print("taken in: 3")
    print("careful", file=sys.stderr, flush=True)
    lines = (folder / "maintain.log").read_text().splitlines()
    assert lines[0].endswith(" memctl maintain") and lines[1:] == ["taken in: 3", "careful"]


def test_a_log_that_others_could_read_becomes_private(folder: Path) -> None:
    (folder / "maintain.log").write_text("old\n")
    (folder / "maintain.log").chmod(0o644)
    run_log.print_into_log(folder / "m.db", "maintain")
    assert stat.S_IMODE((folder / "maintain.log").stat().st_mode) == 0o600


def test_a_log_that_has_grown_makes_room(folder: Path) -> None:
    (folder / "maintain.log").write_text("x" * (run_log.LIMIT_BYTES + 1))
    (folder / "maintain.log.1").write_text("older")
    run_log.print_into_log(folder / "m.db", "doctor")
    assert (folder / "maintain.log").stat().st_size < 100
    assert (folder / "maintain.log.1").stat().st_size == run_log.LIMIT_BYTES + 1


def test_a_link_in_its_place_is_not_followed(folder: Path) -> None:
    (folder / "mine").write_text("mine")
    (folder / "maintain.log").symlink_to(folder / "mine")
    before = sys.stdout
    run_log.print_into_log(folder / "m.db", "maintain")
    assert (folder / "mine").read_text() == "mine" and sys.stdout is before
