"""A session is told things once, through the real command and the real hooks; each is a process
of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.hook import run_hook

FACTS = ("The kiln has two doors", "The kiln is fired with gas", "Never run the kiln unattended")
PROMPT = "is the kiln fired with gas?"


@pytest.fixture
def filled(db: Path) -> Path:
    """A store that knows three things of the project in the working folder."""
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.init(project=Path.cwd())
        place = engine.place(Path.cwd())
        engine.ingest([NewMemory("project", fact) for fact in FACTS], place=place)
    return db


def hook(event: str, session: str = "5e551011", **fields: object) -> str:
    """What a hook of Claude Code adds to the session."""
    answer = run_hook(
        "claude-code",
        event,
        json.dumps({"session_id": session, "cwd": str(Path.cwd()), **fields}).encode(),
    )
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def said(text: str) -> set[str]:
    return {fact for fact in FACTS if fact in text}


def test_the_command_leaves_out_what_the_session_was_given(
    filled: Path, memctl: Callable[..., Any]
) -> None:
    first = memctl("context", "--session", "s-1", "--json").data
    again = memctl("context", "--session", "s-1", "--fresh", "--json").data
    assert said(first["text"]) == set(FACTS) and (again["text"], again["known"]) == ("", len(FACTS))
    assert memctl("context", "--session", "s-1", "--fresh").stdout == ""
    assert said(memctl("context", "--session", "s-2", "--fresh").stdout) == set(FACTS)
    memctl("ingest", "The kiln cools in six hours")
    told = memctl("context", "--session", "s-1", "--fresh").stdout
    assert "six hours" in told and not said(told)


def test_fresh_without_a_session_is_a_usage_error(filled: Path, memctl: Callable[..., Any]) -> None:
    done = memctl("context", "--fresh")
    assert done.code == 2 and "--session" in done.stderr


def test_what_hooks_gave_is_known_to_the_command(filled: Path, memctl: Callable[..., Any]) -> None:
    assert said(hook("SessionStart", source="startup")) == set(FACTS)
    assert memctl("context", "--session", "5e551011", "--fresh").stdout == ""


def test_prompts_repeat_nothing_unless_the_operator_wants_it_otherwise(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook("SessionStart", source="startup")
    assert hook("UserPromptSubmit", prompt=PROMPT) == ""
    assert said(hook("UserPromptSubmit", session="another1", prompt=PROMPT)), (
        "that session was told nothing"
    )
    assert hook("UserPromptSubmit", session="another1", prompt=PROMPT) == ""
    monkeypatch.setenv("MEMCTL_CONTEXT_OMIT_ALREADY_SERVED", "false")
    assert said(hook("UserPromptSubmit", prompt=PROMPT))


def test_a_session_that_goes_on_still_has_what_it_was_told(filled: Path) -> None:
    hook("SessionStart", source="startup")
    assert hook("SessionStart", source="resume") == ""


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_a_start_says_all_of_it_again_and_is_what_is_known_from_then_on(
    filled: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_CONTEXT_OMIT_ALREADY_SERVED", "true")
    hook("UserPromptSubmit", prompt=PROMPT)
    assert said(hook("SessionStart", source=source)) == set(FACTS)
    assert hook("UserPromptSubmit", prompt=PROMPT) == ""


def test_a_start_that_had_no_room_for_it_leaves_it_to_the_prompts(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_CONTEXT_OMIT_ALREADY_SERVED", "true")
    hook("UserPromptSubmit", prompt=PROMPT)
    monkeypatch.setenv("MEMCTL_CONTEXT_BUDGET", "0")
    assert hook("SessionStart", source="compact") == ""
    assert "fired with gas" in hook("UserPromptSubmit", prompt=PROMPT)
