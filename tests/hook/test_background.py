"""Beside its answer a hook starts upkeep where no timer does, and tells the person what waits."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hook_house import House, furnished

from memctl import hook
from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.settings.config import load_config
from memctl.store import stamps

DAY = 86400


@pytest.fixture
def house(db: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setenv("MEMCTL_MAINTAIN_AUTO", "true")
    monkeypatch.setenv("MEMCTL_HOOK_NOTICES", "true")
    return furnished(db, home, tmp_path / "harbor")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that hooks start, which do not run here."""
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    return commands


def call(house: House, event: str, agent: str = "claude-code") -> str:
    return hook.run_hook(agent, event, json.dumps(house.input_of(agent, event)).encode(), house.db)


def age(house: House, name: str, seconds: float) -> None:
    """Make something have been done so long ago."""
    path = stamps.locate_stamp(load_config(house.db), name)
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def wait_in_inbox(house: House, count: int = 2) -> None:
    with MemoryEngine.open(house.db, actor="agent:codex") as engine:
        engine.ingest(
            [
                NewMemory(type="project", kind="convention", content=text, scope="global")
                for text in ("Always run make lint first", "Never push on Fridays")[:count]
            ]
        )


def test_a_session_that_ends_where_no_timer_runs_starts_one_upkeep(
    house: House, started: list[list[str]]
) -> None:
    call(house, "SessionEnd")
    call(house, "SessionEnd")
    assert len(started) == 1
    assert started[0][3:] == ["--db", str(house.db), "maintain", "--quiet", "--budget", "300s"]


def test_it_is_started_again_only_after_a_pause(house: House, started: list[list[str]]) -> None:
    call(house, "SessionEnd")
    age(house, stamps.MAINTAINED, 1700)
    call(house, "SessionEnd")
    assert len(started) == 1
    age(house, stamps.MAINTAINED, 200)
    call(house, "SessionEnd")
    assert len(started) == 2


def test_a_timer_that_ran_keeps_hooks_from_it(house: House, started: list[list[str]]) -> None:
    with MemoryEngine.open(house.db, actor="operator") as engine:
        engine.maintain()
    call(house, "SessionEnd")
    assert started == []


def test_a_prompt_starts_nothing_and_a_start_only_for_the_spool(
    house: House, started: list[list[str]]
) -> None:
    call(house, "UserPromptSubmit")
    call(house, "SessionStart")
    assert started == []
    with MemoryEngine.open(house.db, actor="agent:claude-code") as engine:
        engine.captures.request(
            house.home / "left.jsonl", agent="claude-code", session_id="x1234567", trigger="test"
        )
    call(house, "SessionStart")
    assert len(started) == 1


def test_the_setting_turns_it_off(
    house: House, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_MAINTAIN_AUTO", "false")
    call(house, "SessionEnd")
    assert started == []


def test_the_upkeep_that_is_started_reads_what_was_captured(
    house: House, monkeypatch: pytest.MonkeyPatch, memctl: Callable[..., Any]
) -> None:
    real = subprocess.Popen

    def run_to_its_end(command: list[str], **options: Any) -> None:
        assert real(command, **options).wait() == 0

    house.lay_out("claude-code")
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", run_to_its_end)
        call(house, "SessionEnd")
    with MemoryEngine.open(house.db, actor="operator") as engine:
        status = engine.upkeep.status()
    assert status.sources == 1 and "queued" not in status.queue
    assert "started by a hook" in memctl("--db", house.db, "doctor").stdout


def test_the_person_is_told_once_a_day_that_candidates_wait(house: House) -> None:
    wait_in_inbox(house)
    first, second = (json.loads(call(house, "SessionStart")) for _ in range(2))
    assert first["systemMessage"] == ("memctl: 2 candidates wait for your decision (memctl inbox)")
    assert first["hookSpecificOutput"]["additionalContext"]
    assert "systemMessage" not in second
    age(house, stamps.NOTICED, DAY + 1)
    assert "systemMessage" in json.loads(call(house, "SessionStart"))


def test_no_agent_is_told_what_only_the_person_should_see(house: House) -> None:
    wait_in_inbox(house, 1)
    said = call(house, "SessionStart", "codex")
    assert "inbox" not in said and "systemMessage" not in said
    told = json.loads(call(house, "SessionStart"))
    assert told["systemMessage"].startswith("memctl: 1 candidate waits")
    assert "candidate" not in told["hookSpecificOutput"]["additionalContext"]


def test_nothing_is_said_where_nothing_waits_and_no_day_is_lost(house: House) -> None:
    assert "systemMessage" not in call(house, "SessionStart")
    wait_in_inbox(house)
    assert "systemMessage" in call(house, "SessionStart")


def test_a_stamp_of_tomorrow_is_no_reason_to_wait(house: House, started: list[list[str]]) -> None:
    call(house, "SessionEnd")
    age(house, stamps.MAINTAINED, -DAY)
    call(house, "SessionEnd")
    assert len(started) == 2


def test_a_person_at_a_terminal_is_told_once(house: House, pty_memctl: Callable[..., Any]) -> None:
    wait_in_inbox(house)
    first = pty_memctl("--db", house.db, "search", "tides")
    assert "memctl: 2 candidates wait for your decision (memctl inbox)" in first.stdout
    assert "candidates wait" not in pty_memctl("--db", house.db, "search", "tides").stdout
