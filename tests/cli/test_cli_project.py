"""Projects at the command line: doubtful pairs are asked about once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine

Run = Callable[..., Any]
QUESTION = r"One project\?.*:"


@pytest.fixture
def alike(tmp_path: Path, db: Path) -> None:
    """Three projects called harbor, in three folders."""
    with MemoryEngine.open(db) as engine:
        for place in ("a", "b", "c"):
            (tmp_path / place / "harbor").mkdir(parents=True)
            engine.init(project=tmp_path / place / "harbor")


def test_doubts_are_settled_one_by_one_at_a_terminal(
    memctl: Run, pty_memctl: Run, alike: None
) -> None:
    assert len(memctl("project", "list", "--json").data["doubtful"]) == 3
    seen = pty_memctl("project", "settle", answers=[(QUESTION, "y"), (QUESTION, "n")])
    assert seen.code == 0 and "both called harbor" in " ".join(seen.stdout.split())
    after = memctl("project", "list", "--json").data
    assert len(after["items"]) == 2 and after["doubtful"] == []
    assert pty_memctl("project", "settle").code == 0, "nothing is left to ask"


def test_what_is_put_off_is_asked_again(memctl: Run, pty_memctl: Run, alike: None) -> None:
    pty_memctl("project", "settle", answers=[(QUESTION, "l")] * 3)
    assert len(memctl("project", "list", "--json").data["doubtful"]) == 3


def test_where_nobody_can_be_asked_the_doubt_stays_and_the_way_is_told(
    memctl: Run, alike: None
) -> None:
    told = memctl("project", "settle")
    assert told.code == 2 and "project apart" in told.stderr
    assert "memctl project settle" in memctl("project", "list").stdout
    assert "memctl project settle" in memctl("doctor").stdout


def test_two_projects_are_kept_apart_by_their_ids(memctl: Run, alike: None) -> None:
    doubt = memctl("project", "list", "--json").data["doubtful"][0]
    assert memctl("project", "apart", doubt["project_id"], doubt["other_id"]).code == 0
    assert len(memctl("project", "list", "--json").data["doubtful"]) == 2
