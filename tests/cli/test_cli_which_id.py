"""Ids that commands print are ids that commands take, or they say which command does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import Said
from cli.test_cli_turns import write_session

Here = Callable[..., Said]
ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
PRINTING = (
    "log events",
    "log retrievals",
    "log changes",
    "list --all --status inbox --status active",
    "inbox",
    "entity list",
    "project list",
    "source list",
    "status",
    "digest",
    "conflicts",
    "ls /inbox",
    "search --turns valkey",
    "maintain --steps",
)


@pytest.fixture
def furnished(here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a session, what was extracted from it, a record, an entity and a search."""
    assert here("init").code == 0
    assert here("capture-session", write_session(tmp_path)).code == 0
    monkeypatch.chdir(tmp_path / "harbor")
    assert here("ingest", "Tests run with pytest.", "--entity", "tool:pytest").code == 0
    assert here("maintain").code == 0
    assert here("search", "pytest").code == 0
    return tmp_path


def find_taker(here: Here, some_id: str) -> str | None:
    """The command that takes an id: `show`, or the one that `show` names."""
    shown = here("show", some_id)
    if shown.code == 0:
        return "show"
    named = re.search(r"is (?:a|an) [a-z ]+: memctl ([^,\n]+)", shown.stderr)
    if named is None:
        return None
    command = named[1].strip()
    options = ("--dry-run",) if command.startswith(("revert", "inbox")) else ()
    return command if here(*command.split(), *options).code in (0, 20, 21) else None


@pytest.mark.parametrize("printing", PRINTING)
def test_every_id_that_is_printed_has_a_command_that_takes_it(
    here: Here, furnished: Path, printing: str
) -> None:
    said = here(*printing.split(), "--json")
    assert said.code == 0, said.stderr
    homeless = [
        some_id for some_id in sorted({*ID.findall(said.stdout)}) if not find_taker(here, some_id)
    ]
    assert homeless == []


def test_a_session_and_a_number_of_a_change_say_where_they_belong(
    here: Here, furnished: Path
) -> None:
    (source,) = here("source", "list", "--json").data["items"]
    assert f"memctl source show {source['session_id']}" in here("show", source["session_id"]).stderr
    change = here("log", "changes", "--json").data["changes"][0]["seq"]
    assert f"memctl revert {change}" in here("explain", str(change)).stderr
    record = here("list", "--json").data["items"][0]["id"]
    assert f"memctl show {record}" in here("source", "show", record).stderr
    assert f"memctl show {record}" in here("entity", "show", record).stderr
    assert f"memctl show {record}" in here("project", "show", record).stderr
