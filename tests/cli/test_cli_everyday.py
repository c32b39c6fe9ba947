"""The verbs of every day: what people type first works, and what nearly is a command is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.cli import command_table

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture
def as_agent(here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The command as an agent runs it."""

    def run(*args: str) -> Any:
        with monkeypatch.context() as patch:
            patch.setenv("MEMCTL_AGENT", "codex")
            return here(*args)

    return run


@pytest.fixture
def waiting(here: Callable[..., Any], as_agent: Callable[..., Any]) -> str:
    """The id of a candidate that waits in the inbox."""
    here("init")
    said = as_agent("ingest", "Always run make lint before pushing", "--global", "--json")
    return str(said.data["items"][0]["record"]["id"])


def status_of(here: Callable[..., Any], record_id: str) -> str:
    return str(here("show", record_id, "--json").data["status"])


def test_add_and_remember_write_what_ingest_writes(here: Callable[..., Any]) -> None:
    here("add", "Tests run with pytest -q", "--global")
    here("remember", "Releases are cut on Thursdays", "--global")
    assert here("list", "--json").data["total"] == 2


def test_a_candidate_is_approved_or_rejected_by_its_id_alone(
    here: Callable[..., Any], waiting: str
) -> None:
    assert here("approve", waiting[:12]).code == 0
    assert status_of(here, waiting) == "active"
    assert here("undo").code == 0
    assert status_of(here, waiting) == "inbox"
    assert here("reject", waiting, "--reason", "not ours").code == 0
    assert status_of(here, waiting) == "archived"


def test_undo_walks_back_change_by_change(here: Callable[..., Any]) -> None:
    first = here("add", "Tests run with pytest -q", "--global", "--json")
    record_id = first.data["items"][0]["record"]["id"]
    here("edit", record_id, "--content", "Tests run with pytest -x")
    here("edit", record_id, "--content", "Tests run with pytest -n 4")

    def content() -> str:
        return str(here("show", record_id, "--json").data["content"])

    here("undo", "--dry-run")
    assert content() == "Tests run with pytest -n 4"
    here("undo")
    assert content() == "Tests run with pytest -x"
    here("undo")
    assert content() == "Tests run with pytest -q"
    here("undo")
    assert status_of(here, record_id) == "archived"
    assert "Nothing to undo" in here("undo").stdout


def test_undo_leaves_the_changes_of_others_alone(
    here: Callable[..., Any], as_agent: Callable[..., Any]
) -> None:
    here("add", "Tests run with pytest -q", "--global")
    as_agent("ingest", "The queue is Kafka", "--global")
    here("undo")
    contents = {view["content"] for view in here("inbox", "--json").data["items"]}
    assert contents == {"The queue is Kafka"}
    assert here("list", "--json").data["total"] == 0


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serch", "search"),
        ("delete", "forget"),
        ("aprove", "approve"),
        ("history", "log"),
        ("capture-sesion", "capture-session"),
        ("zzz", None),
    ],
)
def test_what_is_no_command_is_told_with_what_was_meant(
    here: Callable[..., Any], typed: str, meant: str | None
) -> None:
    said = here(typed)
    assert said.code == 2 and f"there is no command '{typed}'" in said.stderr
    found = re.search(r"did you mean `memctl (\S+)`", said.stderr)
    assert (found and found[1]) == meant


def test_every_word_that_is_understood_leads_to_a_command() -> None:
    known = {*command_table.COMMANDS, *command_table.OTHER_NAMES, "--version"}
    assert set(command_table._MEANT.values()) <= known
    assert not set(command_table._MEANT) & known


def test_help_shows_every_command_once_within_eighty_columns(here: Callable[..., Any]) -> None:
    text = here("--help").stdout
    shown = re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", text, flags=re.MULTILINE)
    assert sorted(shown) == sorted(command_table.COMMANDS)
    assert max(map(len, text.splitlines())) <= 80


def test_help_of_a_command_is_what_its_option_prints(here: Callable[..., Any]) -> None:
    assert here("help", "search").stdout == here("search", "--help").stdout
    assert here("help", "profile", "set").stdout == here("profile", "set", "--help").stdout
    assert here("help", "add").stdout == here("help", "ingest").stdout


def test_help_of_a_topic_is_its_page(here: Callable[..., Any]) -> None:
    page = Path(__file__).parents[2] / "docs" / "privacy.md"
    assert here("help", "privacy").stdout == page.read_text()
    assert "keeping-true" in here("help").stdout
    assert here("help", "nothing-such").code == 2
    assert "did you mean `memctl help privacy`" in here("help", "privcy").stderr
    assert "did you mean `memctl help search`" in here("help", "serch").stderr


def test_colours_are_for_a_person_and_change_no_word(
    here: Callable[..., Any], pty_memctl: Callable[..., Any]
) -> None:
    here("add", "Tests run with pytest -q", "--global")
    plain = pty_memctl("list").stdout
    painted = pty_memctl("list", env={"NO_COLOR": ""}).stdout
    assert "\x1b[36m01" in painted and "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", painted) == plain
    assert "\x1b" not in here("list").stdout


def test_words_of_a_record_are_no_colours_of_ours(
    here: Callable[..., Any], pty_memctl: Callable[..., Any]
) -> None:
    here("add", "Never print \x1b[31mred\x1b[0m", "--global")
    assert "\x1b[31m" not in pty_memctl("list", env={"NO_COLOR": ""}).stdout


@pytest.mark.parametrize("name", ["entity", "profile", "project", "view", "model"])
def test_a_group_without_a_command_shows_what_there_is(
    here: Callable[..., Any], memctl: Callable[..., Any], name: str
) -> None:
    here("init")
    shown = memctl(name, "--json")
    child = "status" if name == "model" else "list"
    assert shown.code == 0 and shown.json == memctl(name, child, "--json").json
    assert "Commands:" in here(name, "--help").stdout


def test_an_agent_that_has_nothing_to_undo_is_told_what_it_may_undo_and_whose_change_was_last(
    here: Callable[..., Any], as_agent: Callable[..., Any]
) -> None:
    here("add", "Tests run with pytest -q", "--global")
    said = as_agent("undo").stdout
    assert "can undo only its own changes" in " ".join(said.split())
    assert "the operator's: created Tests run with pytest -q" in " ".join(said.split())


def test_undo_names_the_newer_change_of_an_agent_that_it_leaves(
    here: Callable[..., Any], as_agent: Callable[..., Any]
) -> None:
    here("add", "Tests run with pytest -q", "--global")
    as_agent("ingest", "The queue is Kafka", "--global")
    report = here("undo", "--dry-run", "--json").data
    assert report["left"]["title"] == "The queue is Kafka"
    said = " ".join(here("undo").stdout.split())
    assert "Left as it is, a newer change by agent:" in said
    assert f"memctl revert {report['left']['seq']}" in said
    again = " ".join(here("undo").stdout.split())
    assert "you have no changes left to undo" in again


def test_an_agent_is_told_nothing_of_another_agents_private_change(
    here: Callable[..., Any], as_agent: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    here("init")
    with monkeypatch.context() as patch:
        patch.setenv("MEMCTL_AGENT", "gemini-cli")
        assert here("ingest", "My own scratch note", "--scope", "agent").code == 0
    said = as_agent("undo").stdout
    assert "Nothing to undo" in said and "scratch" not in said


@pytest.mark.parametrize(("pin", "unpin"), [("--pin", "--unpin"), ("--always-load", "--on-demand")])
def test_pin_is_the_word_for_what_contexts_begin_with_and_the_old_one_works(
    here: Callable[..., Any], pin: str, unpin: str
) -> None:
    record = here("add", "Times are in UTC", "--global", pin, "--json").data["items"][0]["record"]
    assert "pinned" in here("show", record["id"]).stdout
    here("edit", record["id"], unpin)
    assert "pinned" not in here("show", record["id"]).stdout
    here("edit", record["id"], pin)
    assert here("show", record["id"], "--json").data["always_load"] is True


def test_the_words_are_told_on_one_page(here: Callable[..., Any]) -> None:
    page = here("help", "words").stdout
    for word in ("pin", "protect", "forget", "reject", "archived", "purge", "approve", "undo"):
        assert f"| {word}" in page
