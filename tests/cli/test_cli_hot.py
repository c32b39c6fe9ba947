"""A hot command imports what it needs and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HEAVY = {
    "rich",
    "pydantic",
    "numpy",
    "sqlite_utils",
    "llm",
    "yaml",
    "sqlite_vec",
    "asyncio",
    "http",
    "urllib.request",
}


def imported_by(*words: str, stdin: str = "") -> set[str]:
    """The modules in a process that ran the command."""
    script = (
        "import sys; from memctl.cli.main import app; import typer\n"
        f"code = typer.main.get_command(app).main({list(words)!r}, standalone_mode=False)\n"
        "print(chr(10).join(['', 'MODULES', *sys.modules])); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=stdin, capture_output=True, text=True, check=True
    )
    return set(done.stdout.partition("\nMODULES\n")[2].split())


@pytest.mark.parametrize(
    "words",
    [
        ("context", "--json"),
        ("context", "--task", "run the tests", "--budget", "300", "--level", "1"),
        ("search", "tests", "--limit", "3", "--type", "project", "--json"),
        ("search", "tests"),
        ("hook", "claude-code", "SessionStart"),
    ],
    ids=" ".join,
)
def test_a_hot_command_imports_nothing_heavy(
    memctl: Callable, db: Path, words: tuple[str, ...]
) -> None:
    memctl("ingest", "Tests run with pytest -q", "--global")
    assert imported_by(*words) & HEAVY == set()


def test_capturing_a_session_imports_nothing_heavy(
    memctl: Callable, db: Path, session: Path
) -> None:
    memctl("init")
    assert (
        imported_by("capture-session", str(session), "--agent", "claude-code", "--json") & HEAVY
        == set()
    )


def test_only_the_module_of_the_command_is_imported(memctl: Callable, db: Path) -> None:
    memctl("init")
    loaded = {name for name in imported_by("status") if name.startswith("memctl.cli.commands.")}
    assert loaded == {"memctl.cli.commands.status"}
