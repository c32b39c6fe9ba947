"""Slow work tells a person how far it is: in one line, from its beginning, and nobody else."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from threading import Event

import pytest

from memctl.cli import command_table, execution
from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.progress import ProgressLine, show_progress

# Seconds until a line that must come is given up.
_PATIENCE = 60


class Terminal(io.StringIO):
    """A terminal that notes what it is sent, and when the first line has come."""

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self.has_come = Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.has_come.set()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return Terminal()


def test_before_a_total_is_known_the_line_says_what_is_being_counted() -> None:
    line = ProgressLine("capturing", "looking for sessions", "sessions", began=100.0)
    assert line.compose(103.2) == "capturing: looking for sessions, 3 s"
    line(0, 0)
    assert "0 of 0" not in line.compose(104.0) and "?" not in line.compose(104.0)


def test_with_a_total_the_line_says_how_much_is_done_and_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memctl.core.clock.read_monotonic", lambda: 100.0)
    line = ProgressLine("storing", "checking", "records", began=100.0)
    line(0, 4000)
    assert line.compose(100.0) == "storing: 0 of 4,000 records (0%)  " + "╌" * 24
    line(1000, 4000)
    told = line.compose(110.0, ascii_only=True)
    assert told == "storing: 1,000 of 4,000 records (25%), about 30 s left  " + "######" + "." * 18
    assert line.compose(300.0).startswith(
        "storing: 1,000 of 4,000 records (25%), about 10 min left"
    )


def test_bytes_are_told_as_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memctl.core.clock.read_monotonic", lambda: 0.0)
    line = ProgressLine("capturing", "looking", "", in_bytes=True)
    line(2_500_000, 10_000_000)
    assert line.compose(0.0).startswith("capturing: 2.5 of 10.0 MB (25%)")


def test_the_line_never_breaks() -> None:
    line = ProgressLine("maintaining", "a step with a long name " * 9, "")
    for width in (20, 40, 79):
        assert len(line.compose(5.0, width=width)) <= width
    line(3, 7)
    assert len(line.compose(5.0, width=40)) <= 40


def test_a_part_that_begins_is_named_until_it_is_counted() -> None:
    line = ProgressLine("maintaining", "looking for what waits", "")
    line(3, 7)
    line.begin("extract")
    assert line.compose(0.0) == "maintaining: extract, 0 s"


def test_quick_work_shows_nothing(terminal: Terminal) -> None:
    with show_progress(terminal, "copying", "the store", patience=_PATIENCE) as line:
        line(1, 2)
    assert terminal.getvalue() == ""


def test_the_line_vanishes_with_the_work_also_when_it_fails(terminal: Terminal) -> None:
    with (
        pytest.raises(KeyError),
        show_progress(terminal, "copying", "the store", patience=0.0),
    ):
        assert terminal.has_come.wait(_PATIENCE)
        raise KeyError
    shown = terminal.getvalue()
    assert "copying: the store, 0 s" in shown
    assert shown.endswith("\r\x1b[2K") and "\n" not in shown


def test_without_colours_the_lines_are_plain(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with show_progress(terminal, "copying", "the store", patience=0.0):
        assert terminal.has_come.wait(_PATIENCE)
    assert terminal.getvalue() == "copying: the store, 0 s\n"


@pytest.mark.parametrize("kind", ["dumb", "pipe", "closed"])
def test_where_nobody_looks_there_is_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    if kind == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    stream = {"dumb": terminal, "pipe": io.StringIO(), "closed": None}[kind]
    with show_progress(stream, "copying", "the store", patience=0.0) as line:
        line(1, 2)
    assert (stream.getvalue() if stream else "") == ""


@pytest.mark.parametrize("kept_still", ["as_json", "quiet"])
def test_for_a_program_or_a_quiet_run_there_is_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, kept_still: str
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("memctl.cli.progress._PATIENCE", 0.0)
    call = Call()
    setattr(call, kept_still, True)
    with call.show_progress("copying", "the store") as line:
        line(1, 2)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("name", sorted(execution._LOOKING_AT_ALL))
def test_every_command_that_shows_progress_by_name_is_one(name: str) -> None:
    assert command_table.find_function(name.split()) is not None


def test_a_command_that_looks_at_all_records_tells_so_at_a_terminal(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("memctl.cli.progress._PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal)

    def look(_call: Call) -> Raw:
        assert terminal.has_come.wait(_PATIENCE)
        return Raw("done\n")

    assert execution.run_command("stats", look, tmp_path / "no.db", False, {}) == 0
    assert "counting: all that is stored, 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[2K")
