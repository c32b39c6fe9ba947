"""`memctl setup` at a terminal goes on from connected agents to a first useful context."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SESSION = Path(__file__).resolve().parent.parent.parent / "scripts" / "demo-session.jsonl"
EVERY_STEP = (
    ("Write this", "y"),
    ("Capture 1 past session", ""),
    ("Propose 2 rules", ""),
    ("Read 1 captured session", ""),
)


@pytest.fixture
def folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one past session of Claude Code, and its rules."""
    project = home / "src" / "harbor"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    past = home / ".claude" / "projects" / "-src-harbor"
    past.mkdir(parents=True)
    text = SESSION.read_text().replace("/demo/harbor-tides", str(project))
    (past / "5f1d2c3b-7a60-4e1b-9c55-0d6f3b8a9e21.jsonl").write_text(text)
    (home / ".claude" / "settings.json").write_text("{}\n")
    (home / ".claude" / "CLAUDE.md").write_text(
        "- Always use pnpm, never npm\n- Answer in British English\n"
    )
    monkeypatch.chdir(project)
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")
    return project


def test_each_step_that_has_something_to_do_is_offered_and_done(
    folder: Path, pty_memctl: Callable[..., Any], memctl: Callable[..., Any]
) -> None:
    said = pty_memctl(
        "setup",
        answers=[
            EVERY_STEP[0],
            ("MCP server", ""),
            *EVERY_STEP[1:],
            ("candidates found", "n"),
        ],
    )
    assert said.code == 0
    assert "No timer can be installed here: hooks start the upkeep." in said.stdout
    assert "later: memctl review" in said.stdout
    status = memctl("status", "--json").data
    assert status["sources"] == 2 and status["records"]["inbox"] > 4


def test_at_its_end_the_first_context_is_shown_line_by_line(
    folder: Path, pty_memctl: Callable[..., Any], memctl: Callable[..., Any]
) -> None:
    memctl("init")
    memctl("add", "The tide tables are drawn in metres")
    skipped = ((question, "n") for question, _ in EVERY_STEP[1:3])
    said = pty_memctl("setup", answers=[EVERY_STEP[0], ("MCP server", ""), *skipped])
    shown = said.stdout.partition("starts in this folder is told:")[2].split("\n")
    (line,) = [line for line in shown if "The tide tables are drawn in metres" in line]
    assert line.startswith("- [") and "## What holds here" in shown
    assert "\\x0a" not in said.stdout


def test_what_is_skipped_is_not_done_and_may_be_done_later(
    folder: Path, pty_memctl: Callable[..., Any], memctl: Callable[..., Any]
) -> None:
    said = pty_memctl(
        "setup",
        answers=[
            EVERY_STEP[0],
            ("MCP server", ""),
            ("Capture 1 past session", "n"),
            ("Propose 2 rules", "n"),
        ],
    )
    assert said.code == 0 and "Done." in said.stdout
    assert memctl("status", "--json").data["sources"] == 0


def test_every_line_of_the_change_is_shown_where_it_is_asked_for(
    folder: Path, pty_memctl: Callable[..., Any], home: Path
) -> None:
    said = pty_memctl(
        "setup", answers=[("Write this", "d"), (r'"SessionEnd"[\s\S]*Write this', "q")]
    )
    assert said.code == 130
    assert (home / ".claude" / "settings.json").read_text() == "{}\n"


def test_a_no_to_the_first_question_skips_that_step_alone(
    folder: Path, pty_memctl: Callable[..., Any], home: Path, memctl: Callable[..., Any]
) -> None:
    said = pty_memctl(
        "setup",
        answers=[
            ("Write this", "n"),
            ("MCP server", ""),
            *EVERY_STEP[1:],
            ("candidates found", "n"),
        ],
    )
    assert said.code == 0 and "skipped: nothing was written" in said.stdout
    assert "claude-code: not connected" in said.stdout
    assert (home / ".claude" / "settings.json").read_text() == "{}\n"
    assert memctl("status", "--json").data["sources"] == 2


def test_q_at_the_first_question_ends_the_path(
    folder: Path, pty_memctl: Callable[..., Any], home: Path
) -> None:
    said = pty_memctl("setup", answers=[("Write this", "q")])
    assert said.code == 130 and "nothing was changed" in said.stdout
    assert "past session" not in said.stdout


def test_every_step_names_its_undo(folder: Path, pty_memctl: Callable[..., Any]) -> None:
    said = pty_memctl(
        "setup",
        answers=[
            EVERY_STEP[0],
            ("MCP server", ""),
            *EVERY_STEP[1:],
            ("candidates found", "n"),
        ],
    )
    text = " ".join(said.stdout.split())
    assert text.count("undo: memctl") >= 4 and "undo: memctl setup --undo" in text
    assert "undo: u there, or memctl undo" in text


def test_an_agent_that_was_named_is_connected_and_nothing_more_is_asked(
    folder: Path, pty_memctl: Callable[..., Any]
) -> None:
    said = pty_memctl("setup", "claude-code", answers=[("Write this", "y")])
    assert said.code == 0 and "past session" not in said.stdout


@pytest.mark.parametrize("stop", ["\x03", "\x04", "q"])
def test_who_stops_in_the_middle_is_told_what_is_done_and_how_it_goes_on(
    folder: Path, pty_memctl: Callable[..., Any], home: Path, stop: str
) -> None:
    said = pty_memctl(
        "setup", answers=[EVERY_STEP[0], ("MCP server", ""), ("Capture 1 past session", stop)]
    )
    assert said.code == 130
    assert "what you agreed to so far is done" in said.stdout
    assert "Propose" not in said.stdout
    assert "memctl" in (home / ".claude" / "settings.json").read_text()


def test_an_answer_that_is_none_is_asked_again_and_not_taken_as_one(
    folder: Path, pty_memctl: Callable[..., Any], memctl: Callable[..., Any]
) -> None:
    said = pty_memctl(
        "setup",
        answers=[
            EVERY_STEP[0],
            ("MCP server", ""),
            ("Capture 1 past session", "maybe"),
            ("q: stop here", "y"),
            ("Propose 2 rules", "q"),
        ],
    )
    assert "1 session captured" in said.stdout
    assert memctl("status", "--json").data["sources"] == 1
