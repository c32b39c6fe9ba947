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


# Runs a command as the installed program does, and lists the modules where the process would end.
SCRIPT = """
import os, sys

end_process = os._exit

def report(code):
    sys.stdout.flush()
    print("\\nMODULES", *sys.modules, sep="\\n", flush=True)
    end_process(0)

os._exit = report
from memctl.entry import main
try:
    main()
finally:
    report(0)
"""


def imported_by(*words: str, stdin: str = "") -> set[str]:
    """The modules in a process that ran the command."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words], input=stdin, capture_output=True, text=True
    )
    assert not done.stderr, done.stderr
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


@pytest.mark.parametrize("words", [("context",), ("search", "tests", "--json")], ids=" ".join)
def test_a_hot_command_is_parsed_without_typer(
    memctl: Callable, db: Path, words: tuple[str, ...]
) -> None:
    memctl("init")
    assert not {"typer", "memctl.cli.main", "memctl.cli.command"} & imported_by(*words)


def test_a_command_that_prints_json_loads_no_text(memctl: Callable, db: Path) -> None:
    memctl("init")
    names = imported_by("search", "tests", "--json")
    assert not {name for name in names if name.startswith("memctl.cli.text")}


def test_the_text_of_a_result_loads_no_text_of_others(memctl: Callable, db: Path) -> None:
    memctl("ingest", "Tests run with pytest -q", "--global")
    names = {name for name in imported_by("search", "tests") if name.startswith("memctl.cli.text.")}
    assert {name.removeprefix("memctl.cli.text.") for name in names} == {
        "formatting",
        "record_parts",
        "renderers",
        "retrieval",
    }


def test_only_the_module_of_the_command_is_imported(memctl: Callable, db: Path) -> None:
    memctl("init")
    loaded = {name for name in imported_by("status") if name.startswith("memctl.cli.commands.")}
    assert loaded == {"memctl.cli.commands.status"}
