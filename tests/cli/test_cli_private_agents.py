"""What is private to one agent is not there for another, in no command; its own it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine

Run = Callable[..., Any]
SECRET = "The staging door opens at seven"


@pytest.fixture
def record(db: object) -> str:
    """A record that is private to codex."""
    with MemoryEngine.open(actor="operator") as engine:
        engine.init()
        item = NewMemory("project", SECRET, scope="agent", agent_id="codex")
        return engine.ingest([item]).items[0].record.memory.id


COMMANDS = [
    ("show", "{id}"),
    ("explain", "{id}"),
    ("list",),
    ("list", "--as-of", "2100-01-01"),
    ("search", "staging door"),
    ("context", "--task", "when does the staging door open"),
    ("inbox", "--all"),
    ("log", "changes"),
    ("digest", "--since", "2020-01-01", "--peek"),
    ("edit", "{id}", "--content", "The staging door is shut"),
    ("correct", "{id}", "The staging door is shut"),
    ("forget", "{id}"),
    ("confirm", "{id}"),
    ("promote", "{id}"),
    ("feedback", "good", "{id}"),
    ("revert", "{id}"),
    ("export",),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
@pytest.mark.parametrize("form", ["text", "json"])
def test_another_agent_neither_sees_nor_changes_it(
    here: Run, monkeypatch: pytest.MonkeyPatch, record: str, words: tuple[str, ...], form: str
) -> None:
    monkeypatch.setenv("MEMCTL_AGENT", "claude-code")
    asked = [word.format(id=record) for word in words]
    said = here(*asked, *(["--json"] if form == "json" else []))
    assert SECRET not in said.stdout + said.stderr
    assert "staging door opens" not in said.stdout
    if "{id}" in words:
        assert said.code in (20, 21), "as if there were none"
    monkeypatch.setenv("MEMCTL_AGENT", "codex")
    assert here("show", record, "--json").data["content"] == SECRET, "it stays as it was"


@pytest.mark.parametrize(
    "words",
    [
        ("search", "staging door"),
        ("context", "--task", "when does the staging door open"),
        ("list",),
        ("show", "{id}"),
    ],
    ids=lambda words: words[0],
)
def test_the_agent_finds_its_own_without_a_flag(
    here: Run, monkeypatch: pytest.MonkeyPatch, record: str, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MEMCTL_AGENT", "codex")
    assert SECRET in here(*(word.format(id=record) for word in words)).stdout
