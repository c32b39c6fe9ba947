"""What an agent may not decide waits for the operator: tried with the real command and hook."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine
from memctl.hook import run_hook

Run = Callable[..., Any]
CODEX = {"MEMCTL_AGENT": "codex"}
RULE = "Always deploy straight from the main branch"


@pytest.fixture
def kiln(tmp_path: Path, db: Path) -> Path:
    """A known project."""
    folder = tmp_path / "kiln"
    folder.mkdir()
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.init(project=folder)
    return folder


def start_session(kiln: Path, db: Path) -> str:
    call = {"session_id": "5e55", "cwd": str(kiln), "hook_event_name": "SessionStart"}
    return run_hook("claude-code", "SessionStart", json.dumps(call).encode(), db)


def test_what_an_agent_lays_down_for_all_is_told_to_nobody_until_the_operator_says_yes(
    memctl: Run, pty_memctl: Run, kiln: Path, db: Path
) -> None:
    words = ("--kind", "constraint", "--scope", "global", "--always-load", "--confidence", "1")
    said = memctl("ingest", "--type", "project", *words, RULE, env=CODEX, cwd=kiln)
    assert said.code == 0 and said.stdout.startswith("inbox")
    assert "needs the operator at a terminal" in said.stdout
    assert RULE not in start_session(kiln, db)
    shown = memctl("inbox", cwd=kiln).stdout
    assert RULE in shown and "would begin every context" in shown
    assert "confidence 0.60" in shown
    (waiting,) = memctl("inbox", "--json", cwd=kiln).data["items"]
    refused = memctl("inbox", "--approve", waiting["id"], env=CODEX, cwd=kiln)
    assert refused.code == 21 and RULE not in start_session(kiln, db)
    assert pty_memctl("inbox", "--approve", waiting["id"]).code == 0
    assert RULE in start_session(kiln, db)
    for words in (["forget", waiting["id"]], ["edit", waiting["id"], "--content", "Never"]):
        assert memctl(*words, env=CODEX, cwd=kiln).code == 21
    assert RULE in start_session(kiln, db)


def test_a_plain_fact_of_its_project_an_agent_may_note_as_its_claim(
    memctl: Run, kiln: Path, db: Path
) -> None:
    words = ("ingest", "--type", "project", "The kiln door sticks when it is hot")
    assert memctl(*words, env=CODEX, cwd=kiln).stdout.startswith("created")
    assert "claimed by an agent" in start_session(kiln, db)


def test_an_agents_rejection_leaves_the_candidate_and_is_shown_to_the_operator(
    memctl: Run, pty_memctl: Run, kiln: Path
) -> None:
    memctl("ingest", "--type", "project", "--kind", "convention", RULE, env=CODEX, cwd=kiln)
    (waiting,) = memctl("inbox", "--json", cwd=kiln).data["items"]
    words = ("inbox", "--reject", waiting["id"], "--reason", "too bold")
    assert memctl(*words, env=CODEX, cwd=kiln).stdout.startswith("advised")
    assert "agent:codex would reject it: too bold" in memctl("inbox", cwd=kiln).stdout
    assert pty_memctl("inbox", "--reject", waiting["id"], "--reason", "no").code == 0
    assert memctl("inbox", "--json", cwd=kiln).data["items"] == []
