"""The command in this process, for tests that run it many times.

What only a process of its own shows is tested with `memctl`.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from memctl.cli.main import app

SESSION = Path(__file__).resolve().parent.parent.parent / "scripts" / "demo-session.jsonl"


@dataclass(frozen=True)
class Said:
    """What one run printed, and its exit code."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def data(self) -> Any:
        return self.json["data"]


@pytest.fixture
def operator(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator trusts whoever runs the command, as the demo does."""
    config = tmp_path_factory.mktemp("operator") / "config.yaml"
    config.write_text("operator:\n  require_terminal: false\n")
    monkeypatch.setenv("MEMCTL_CONFIG", str(config))


@pytest.fixture
def here(
    db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Said]:
    """`here("search", "x", stdin="...")` runs a command line in this process."""

    def run(*args: object, stdin: str | bytes = "") -> Said:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        capsys.readouterr()
        code = typer.main.get_command(app).main([str(arg) for arg in args], standalone_mode=False)
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return run


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The demo's session, in a project of this test."""
    project = tmp_path / "work"
    path = tmp_path / "session.jsonl"
    path.write_text(SESSION.read_text().replace("/demo/harbor-tides", str(project)))
    return path


@pytest.fixture
def candidates(here: Callable[..., Said], session: Path) -> list[dict[str, Any]]:
    """What waits in the inbox once the demo's session was taken in."""
    assert here("capture-session", session).code == 0
    assert here("maintain").code == 0
    found: list[dict[str, Any]] = here("inbox", "--all", "--json").data["items"]
    assert len(found) > 3
    return found
