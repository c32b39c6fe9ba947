"""Within a session a record is told once: by the hook at its start and at prompts, and by
`memctl context --session`; what changes or holds no more meanwhile is told, whatever is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import Bench

from memctl.core.model import Memory
from memctl.hook import run_hook
from memctl.store import logs

SESSION = "0b8e7c1a-1111-4222-8333-444455556666"
VALVES = "The kiln has nine valves in the east wall"
QUESTION = "how many valves has the kiln in the east wall?"
STARTS = {"claude-code": "SessionStart", "codex": "SessionStart", "gemini-cli": "SessionStart"}
PROMPTS = {
    "claude-code": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "gemini-cli": "BeforeAgent",
}
Ask = Callable[..., str]


@pytest.fixture
def valves(bench: Bench) -> Memory:
    bench.placed = True
    return bench.put(VALVES)


@pytest.fixture
def ask(bench: Bench, valves: Memory) -> Ask:
    """Fire a hook of a session in the kiln; what its agent is told."""

    def fire(event: str, agent: str = "claude-code", session: str = SESSION, **given: Any) -> str:
        payload = {"session_id": session, "cwd": str(bench.home), "hook_event_name": event, **given}
        names = {"prompt": PROMPTS, "start": STARTS}.get(event, {})
        raw = json.dumps(payload).encode()
        said = run_hook(agent, names.get(agent, event), raw, bench.path)
        if not said:
            return ""
        answer = json.loads(said)
        text: str = answer.get("context") or answer["hookSpecificOutput"]["additionalContext"]
        return text

    return fire


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli"])
def test_what_the_start_told_is_not_told_at_a_prompt(ask: Ask, agent: str) -> None:
    assert VALVES in ask("start", agent, source="startup")
    assert ask("prompt", agent, prompt=QUESTION) == ""
    assert VALVES in ask("prompt", agent, session="another-session", prompt=QUESTION)


@pytest.mark.parametrize(("agent", "again"), [("claude-code", False), ("gemini-cli", True)])
def test_what_a_prompt_told_is_told_again_only_to_an_agent_that_has_lost_it(
    ask: Ask, agent: str, again: bool
) -> None:
    assert VALVES in ask("prompt", agent, prompt=QUESTION)
    assert (VALVES in ask("prompt", agent, prompt=QUESTION)) is again


def test_the_plugin_of_opencode_puts_the_latest_answer_in_the_place_of_the_last(ask: Ask) -> None:
    asked = {"directory": None, "sessionID": SESSION, "prompt": QUESTION}
    assert VALVES in ask("chat.message", "opencode", **asked)
    assert VALVES in ask("chat.message", "opencode", **asked)
    ask("session.created", "opencode", sessionID=SESSION)
    assert ask("chat.message", "opencode", **asked) == ""


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_session_that_begins_anew_is_told_everything(ask: Ask, source: str) -> None:
    ask("start", source="startup")
    assert VALVES in ask("start", source=source)
    assert ask("prompt", prompt=QUESTION) == ""


@pytest.mark.parametrize(("agent", "again"), [("claude-code", False), ("gemini-cli", True)])
def test_a_resumed_session_is_told_again_only_what_its_agent_does_not_replay(
    bench: Bench, ask: Ask, agent: str, again: bool
) -> None:
    ask("start", agent, source="startup")
    bench.put("Clay comes on Mondays")
    resumed = ask("start", agent, source="resume")
    assert "Clay comes on Mondays" in resumed
    assert (VALVES in resumed) is again


@pytest.mark.parametrize(
    ("agent", "event"), [("gemini-cli", "PreCompress"), ("claude-code", "PreCompact")]
)
def test_a_session_that_was_compacted_is_told_again(ask: Ask, agent: str, event: str) -> None:
    ask("start", agent, source="startup")
    ask(event, agent, trigger="auto")
    assert VALVES in ask("prompt", agent, prompt=QUESTION)


def test_a_compaction_counts_as_no_retrieval(bench: Bench, ask: Ask) -> None:
    ask("PreCompress", "gemini-cli", trigger="auto")
    with bench.db.snapshot():
        assert [row["command"] for row in logs.list_recent(bench.db, limit=5)] == ["compaction"]
    assert bench.operator.upkeep.stats().retrievals == (0, 0)


def test_an_edited_record_is_told_again_and_says_that_it_changed(
    bench: Bench, ask: Ask, valves: Memory
) -> None:
    ask("start", source="startup")
    bench.operator.records.edit(valves.id, {"content": "The kiln has ten valves in the east wall"})
    told = ask("prompt", prompt="what colour is the door of the shed?")
    assert "ten valves" in told and "changed since it was told" in told
    assert ask("prompt", prompt=QUESTION) == ""


def test_a_record_that_was_only_confirmed_is_not_told_again(
    bench: Bench, ask: Ask, valves: Memory
) -> None:
    ask("start", source="startup")
    bench.operator.records.pin([valves.id])
    assert bench.get(valves).updated_at > valves.updated_at
    assert ask("prompt", prompt=QUESTION) == ""


def test_what_replaces_a_record_is_told_whatever_is_asked(
    bench: Bench, ask: Ask, valves: Memory
) -> None:
    ask("start", source="startup")
    new = bench.put("The kiln has twelve valves since the rebuild")
    bench.operator.records.link(new.id, "supersedes", valves.id)
    told = ask("prompt", prompt="what colour is the door of the shed?")
    assert "twelve valves" in told and f"replaces [{valves.id[:10]}]" in told
    assert VALVES not in told
    assert ask("prompt", prompt=QUESTION) == ""


def test_what_no_longer_holds_is_named_once_without_its_words(
    bench: Bench, ask: Ask, valves: Memory
) -> None:
    ask("start", source="startup")
    bench.operator.forget([valves.id])
    told = ask("prompt", prompt="what colour is the door of the shed?")
    assert f"told before, no longer holds: [{valves.id[:10]}]" in told and "nine" not in told
    assert ask("prompt", prompt="what colour is the door of the shed?") == ""


def test_what_was_not_told_is_not_taken_back(bench: Bench, ask: Ask, valves: Memory) -> None:
    bench.operator.forget([valves.id])
    ask("start", source="startup")
    assert ask("prompt", prompt=QUESTION) == ""


def test_the_setting_turns_it_off(bench: Bench, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCTL_CONTEXT_OMIT_ALREADY_SERVED", "false")
    ask("start", source="startup")
    assert VALVES in ask("prompt", prompt=QUESTION)


def test_the_command_knows_what_the_hook_told(
    bench: Bench, ask: Ask, memctl: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("start", source="startup")
    monkeypatch.setenv("MEMCTL_DB", str(bench.path))
    here: dict[str, Path] = {"cwd": bench.home}
    first = memctl("context", "--session", SESSION, "--explain", "--json", **here)
    assert (first.data["text"], first.data["known"]) == ("", 1)
    assert first.data["omissions"][0]["reason"] == "told_before"
    assert VALVES in memctl("context", "--session", SESSION, "--repeat", **here).stdout
    assert VALVES in memctl("context", **here).stdout
