"""What is private to one agent is not there for another, in no command; its own it finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.core import errors
from memctl.core.frozen import replace
from memctl.core.model import NewMemory, Place, Query
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


@pytest.mark.parametrize(
    "words",
    [
        ("search", "staging door"),
        ("search", "--turns", "staging door"),
        ("context", "--task", "when does the staging door open"),
        ("ingest", "The staging door is shut", "--scope", "agent"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
@pytest.mark.parametrize(
    "marks", [{"MEMCTL_AGENT": "claude-code"}, {"CLAUDECODE": "1"}], ids=["named", "marked"]
)
def test_no_agent_calls_itself_by_the_name_of_another(
    here: Run,
    monkeypatch: pytest.MonkeyPatch,
    record: str,
    words: tuple[str, ...],
    marks: dict[str, str],
) -> None:
    for name, value in marks.items():
        monkeypatch.setenv(name, value)
    said = here(*words, "--agent", "codex")
    assert said.code == 21
    assert SECRET not in said.stdout + said.stderr
    assert "this call comes from claude-code" in said.stderr
    assert here(*words, "--agent", "claude-code").code == 0


def test_an_agent_that_another_one_started_may_use_its_own_name(
    here: Run, monkeypatch: pytest.MonkeyPatch, record: str
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CODEX_SANDBOX", "seatbelt")
    assert SECRET in here("search", "staging door", "--agent", "codex").stdout


def test_a_file_of_records_brings_none_among_the_notes_of_another_agent(
    here: Run, monkeypatch: pytest.MonkeyPatch, record: str, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMCTL_AGENT", "claude-code")
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "The kiln is green", "scope": "agent", "agent": "codex"}\n')
    here("ingest", "--file", str(lines))
    with MemoryEngine.open(actor="operator") as engine:
        private = [
            view.memory for view in engine.records.list().items if view.memory.agent_id == "codex"
        ]
    assert [memory.content for memory in private] == [SECRET]


def _ask(engine: MemoryEngine, codex: Place) -> list[Callable[[], object]]:
    note = NewMemory("project", "The kiln is green", scope="agent")
    return [
        lambda: engine.search(Query("staging door", codex)),
        lambda: engine.search("staging door", place=codex),
        lambda: engine.context_for(place=codex, task="when does the staging door open"),
        lambda: engine.format_for_injection(max_tokens=99, task="staging door", place=codex),
        lambda: engine.ingest([replace(note, agent_id="codex")], place=Place()),
        lambda: engine.ingest([note], place=codex),
        lambda: engine.manage("The kiln is green", scope=("agent",), place=codex),
        lambda: engine.flush([{"role": "user", "content": "Hello"}], ("agent",), place=codex),
        lambda: engine.leave_for_later([note], None, agent="codex"),
    ]


@pytest.mark.parametrize("number", range(9))
def test_a_program_reaches_no_notes_of_another_agent_by_its_place(record: str, number: int) -> None:
    codex = Place(agent_id="codex")
    with MemoryEngine.open(actor="agent:claude-code") as engine:
        with pytest.raises(errors.RefusedByPolicy, match="codex alone"):
            _ask(engine, codex)[number]()
        assert not engine.config.spool.exists()
    with MemoryEngine.open(actor="operator") as engine:
        assert _ask(engine, codex)[number]() is not None, "the operator may"
