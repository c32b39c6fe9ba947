"""A plain command line of a hot command is parsed without typer, to the same options."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.cli import fast_args

PLAIN = [
    ("context",),
    ("context", "--task", "run the tests", "--budget", "300", "--level", "1", "--json"),
    ("context", "--task=a=b", "--since", "2026-01-31", "--global"),
    ("search", "tests"),
    ("search",),
    ("search", "--view", "rules"),
    ("context", "--view", "rules", "--level", "2", "--fresh"),
    (
        "search",
        "run",
        "the tests",
        "--limit",
        "3",
        "--type",
        "project",
        "--type",
        "decision",
        "--json",
    ),
    ("search", "--min-confidence", "0.5", "tests", "--all-projects"),
    ("capture-session", "a.jsonl", "--agent", "codex", "--cwd", "/"),
    ("purge", "01JV3KQX2M", "-y"),
    ("edit", "01JV3KQX2M", "--content", "Tests run with pytest -q"),
    ("reject", "01JV3KQX2M", "01JV3KR7AA", "--reason", "so it is"),
    ("status",),
]
OTHER = [
    ("context", "--help"),
    ("context", "-h"),
    ("context", "word"),
    ("context", "--budget", "many"),
    ("context", "--level", "3"),
    ("context", "--task"),
    ("context", "--task", "--json"),
    ("context", "--tas", "x"),
    ("context", "--json=yes"),
    ("context", "--", "x"),
    ("context", "--task", "a", "--task", "b"),
    ("search", "x", "--type", "thing"),
    ("search", "x", "--", "-y"),
    ("capture-session", "a", "b"),
    ("edit", "01JV3KQX2M", "--always-load"),
]


def function(name: str) -> Callable[..., Any]:
    return importlib.import_module(f"memctl.cli.commands.{name.replace('-', '_')}").run  # type: ignore[no-any-return]


def by_typer(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What typer makes of a command line: the options that are not what they are by default."""
    import typer

    from memctl.cli import execution, main

    seen: dict[str, Any] = {}

    def answer(
        _name: str, _function: Any, db: Path | None, as_json: bool, options: dict[str, Any]
    ) -> int:
        seen.update(options, db=db, as_json=as_json)
        return 0

    monkeypatch.setattr(execution, "run_command", answer)
    assert typer.main.get_command(main.app).main(list(words), standalone_mode=False) == 0
    return {name: value for name, value in seen.items() if value not in (None, False, [], ())}


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_a_plain_line_means_what_it_means_to_typer(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fast_args.parse_options(function(words[0]), words[1:]) == by_typer(words, monkeypatch)


@pytest.mark.parametrize("words", OTHER, ids=" ".join)
def test_any_other_line_is_left_to_typer(words: tuple[str, ...]) -> None:
    assert fast_args.prepare_command(words) is None


def test_completion_and_groups_without_a_command_are_left_to_typer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (
        fast_args.prepare_command(("vault",)) is None
        and fast_args.prepare_command(("nonsense",)) is None
        and fast_args.prepare_command(("--db", "x", "context")) is None
    )
    monkeypatch.setenv("_MEMCTL_COMPLETE", "complete_bash")
    assert fast_args.prepare_command(("context",)) is None


def test_a_plain_line_does_not_import_typer(
    memctl: Callable[..., Any], db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")
    memctl("ingest", "Tests run with pytest -q")
    script = (
        "import os, sys; from memctl.entry import main\n"
        "sys.argv = ['memctl', 'search', 'tests', '--json']\n"
        "def report(code):\n"
        "    print(chr(10).join(['', 'MODULES', *sys.modules]), flush=True)\n"
        "    sys.exit(code)\n"
        "os._exit = report\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    said, _, modules = done.stdout.partition("\nMODULES\n")
    assert (
        "pytest -q" in said and {"typer", "inspect", "dataclasses"} & set(modules.split()) == set()
    )


def test_a_failure_is_told_as_typer_tells_it(memctl: Callable[..., Any], db: Path) -> None:
    plain, other = memctl("search", "x", "--json"), memctl("--db", str(db), "search", "x", "--json")
    assert (plain.code, plain.json["errors"]) == (
        other.code,
        other.json["errors"],
    ) and plain.code == 10
