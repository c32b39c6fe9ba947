"""Each agent's hook contract: what is read from its JSON, what may be answered, where its
transcripts lie.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.agents import hook_contracts
from memctl.agents.hook_contracts import AGENTS, HookCall
from memctl.core.model import SENTINEL_CLOSE

CONTEXT = f"<memctl-context>\nThe project uses pnpm.\n{SENTINEL_CLOSE}"
SESSION = "0b8e7c1a-1111-4222-8333-444455556666"


def call(agent: str, event: str, /, **payload: object) -> HookCall:
    return hook_contracts.read_call(AGENTS[agent], event, payload)


@pytest.mark.parametrize(
    ("agent", "event", "payload", "meaning"),
    [
        (
            "claude-code",
            "SessionEnd",
            {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": "/w", "reason": "clear"},
            "end",
        ),
        (
            "codex",
            "Stop",
            {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": "/w", "reason": "clear"},
            "stop",
        ),
        (
            "gemini-cli",
            "PreCompress",
            {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": "/w", "trigger": "clear"},
            "compact",
        ),
        (
            "cursor",
            "stop",
            {
                "conversation_id": SESSION,
                "transcript_path": "/t.jsonl",
                "workspace_roots": ["/w"],
                "status": "clear",
            },
            "stop",
        ),
        (
            "copilot-cli",
            "agentStop",
            {
                "sessionId": SESSION,
                "transcriptPath": "/t.jsonl",
                "cwd": "/w",
                "stopReason": "clear",
            },
            "stop",
        ),
        (
            "opencode",
            "session.idle",
            {
                "sessionID": SESSION,
                "transcript_path": "/t.jsonl",
                "directory": "/w",
                "reason": "clear",
            },
            "stop",
        ),
    ],
)
def test_the_same_words_are_found_in_every_agents_json(
    agent: str, event: str, payload: dict[str, object], meaning: str
) -> None:
    assert call(agent, event, **payload) == HookCall(
        agent=agent,
        event=event,
        meaning=meaning,
        session_id=SESSION,
        transcript="/t.jsonl",
        cwd="/w",
        reason="clear",
    )


def test_cursor_calls_its_session_a_conversation() -> None:
    assert (
        call("cursor", "stop", conversation_id=SESSION, session_id="another").session_id == SESSION
    )


def test_windsurf_hides_its_transcript_one_level_down() -> None:
    found = call(
        "windsurf",
        "post_cascade_response_with_transcript",
        trajectory_id="t-1",
        tool_info={"transcript_path": "/t.jsonl"},
    )
    assert (found.session_id, found.transcript, found.meaning) == ("t-1", "/t.jsonl", "stop")


def test_a_codex_notification_is_a_stop_of_its_thread() -> None:
    found = call(
        "codex", "notify", **{"type": "agent-turn-complete", "thread-id": SESSION, "cwd": "/w"}
    )
    assert (found.session_id, found.meaning) == (SESSION, "stop")


@pytest.mark.parametrize(
    "spelled", ["SessionStart", "sessionStart", "session-start", "session_start", "SESSIONSTART"]
)
def test_an_events_case_and_separators_do_not_matter_and_the_answer_uses_the_agents_spelling(
    spelled: str,
) -> None:
    found = call("claude-code", spelled)
    assert (found.event, found.meaning) == ("SessionStart", "start")


def test_an_unknown_event_means_nothing_unless_the_json_names_a_known_one() -> None:
    assert call("claude-code", "Whatever").meaning == "none"
    assert call("claude-code", "Whatever", hook_event_name="Stop").meaning == "stop"


@pytest.mark.parametrize("name", ["claude", "claude-code", "claude_code", "Claude-Code"])
def test_an_agent_answers_to_its_short_name(name: str) -> None:
    assert hook_contracts.find_agent(name) is AGENTS["claude-code"]


def test_a_stranger_is_no_agent() -> None:
    assert hook_contracts.find_agent("netscape") is None


@pytest.mark.parametrize(
    ("agent", "event", "expected"),
    [
        (
            "claude-code",
            "SessionStart",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": CONTEXT}},
        ),
        (
            "codex",
            "UserPromptSubmit",
            {
                "hookSpecificOutput": {
                    "hookEventName": "UserPromptSubmit",
                    "additionalContext": CONTEXT,
                }
            },
        ),
        (
            "gemini-cli",
            "BeforeAgent",
            {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": CONTEXT}},
        ),
        ("cursor", "sessionStart", {"additional_context": CONTEXT}),
        ("copilot-cli", "sessionStart", {"additionalContext": CONTEXT}),
        ("opencode", "system.transform", {"context": CONTEXT}),
    ],
)
def test_context_is_answered_in_the_agents_own_shape(
    agent: str, event: str, expected: dict[str, object]
) -> None:
    assert json.loads(hook_contracts.render_output(AGENTS[agent], event, CONTEXT)) == expected


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_nothing_is_answered_where_the_agent_would_not_read_it(agent: str) -> None:
    for event, meaning in AGENTS[agent].events.items():
        answer = hook_contracts.render_output(AGENTS[agent], event, CONTEXT)
        assert bool(answer) == (event in AGENTS[agent].answers)
        assert not answer or meaning in ("start", "prompt")


def test_an_empty_context_is_answered_with_nothing() -> None:
    assert hook_contracts.render_output(AGENTS["claude-code"], "SessionStart", " \n") == ""


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_a_long_context_keeps_within_the_agents_limit_and_keeps_its_closing_mark(
    agent: str,
) -> None:
    known = AGENTS[agent]
    long = "<memctl-context>\n" + "\N{GRINNING FACE} one fact\n" * 4000 + SENTINEL_CLOSE
    cut = hook_contracts.truncate_to_limit(long, known.limit)
    assert len(cut.encode("utf-16-le")) // 2 <= known.limit
    assert cut.startswith("<memctl-context>\n") and cut.endswith("\n" + SENTINEL_CLOSE)


@given(st.text(max_size=300), st.integers(min_value=20, max_value=200))
def test_fitting_never_exceeds_the_limit_and_leaves_short_texts_alone(
    text: str, limit: int
) -> None:
    cut = hook_contracts.truncate_to_limit(text, limit)
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert (
        cut == text
        if units <= limit
        else len(cut.encode("utf-16-le", "surrogatepass")) // 2 <= limit
    )


FIELDS = ["cwd", "session_id", "tool_info", "workspace_roots"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted(AGENTS)),
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=12), json_values),
)
def test_odd_json_is_never_an_error(agent: str, event: str, payload: dict[str, object]) -> None:
    found = call(agent, event, **{"cwd": 3, "workspace_roots": {}, **payload})
    assert hook_contracts.locate_transcript(AGENTS[agent], found, {}) is None or found.transcript


PLACES = {
    "claude-code": f".claude/projects/-w-app/{SESSION}.jsonl",
    "codex": f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{SESSION}.jsonl",
    "gemini-cli": f".gemini/tmp/abc/chats/session-2026-01-02T03-04-{SESSION[:8]}.json",
    "cursor": f".cursor/projects/w-app/agent-transcripts/{SESSION}/{SESSION}.jsonl",
    "copilot-cli": f".copilot/session-state/{SESSION}/events.jsonl",
}


@pytest.mark.parametrize(("agent", "place"), sorted(PLACES.items()))
def test_a_transcript_is_found_by_its_session_when_no_path_is_given(
    agent: str, place: str, home: Path
) -> None:
    transcript = home / place
    transcript.parent.mkdir(parents=True)
    transcript.touch()
    found = hook_contracts.locate_transcript(
        AGENTS[agent], HookCall(agent, "x", "end", session_id=SESSION), {"HOME": str(home)}
    )
    assert found == transcript


@pytest.mark.parametrize(
    ("agent", "variable", "place"),
    [("codex", "CODEX_HOME", ".codex"), ("copilot-cli", "COPILOT_HOME", ".copilot")],
)
def test_an_agents_home_can_be_elsewhere(
    agent: str, variable: str, place: str, tmp_path: Path
) -> None:
    transcript = tmp_path / "elsewhere" / PLACES[agent].removeprefix(place + "/")
    transcript.parent.mkdir(parents=True)
    transcript.touch()
    environ = {"HOME": "/nowhere", variable: str(tmp_path / "elsewhere")}
    assert (
        hook_contracts.locate_transcript(
            AGENTS[agent], HookCall(agent, "x", "end", session_id=SESSION), environ
        )
        == transcript
    )


def test_a_given_path_may_start_with_the_home_mark(home: Path) -> None:
    (home / "t.jsonl").touch()
    found = call("claude-code", "SessionEnd", transcript_path="~/t.jsonl")
    assert (
        hook_contracts.locate_transcript(AGENTS["claude-code"], found, {"HOME": str(home)})
        == home / "t.jsonl"
    )


def test_a_path_that_is_not_whole_counts_only_where_there_is_such_a_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = call("claude-code", "SessionEnd", transcript_path="t.jsonl")
    assert hook_contracts.read_transcript_path(found, {"HOME": str(home)}) is None
    Path("t.jsonl").touch()
    assert hook_contracts.read_transcript_path(found, {"HOME": str(home)}) == Path("t.jsonl")
    absent = call("claude-code", "SessionEnd", transcript_path="/w/t.jsonl")
    assert hook_contracts.read_transcript_path(absent, {}) == Path("/w/t.jsonl")


@pytest.mark.parametrize(
    ("agent", "event", "payload", "said"),
    [
        ("claude-code", "Stop", {"last_assistant_message": "Done."}, (("assistant", "Done."),)),
        (
            "claude-code",
            "PostCompact",
            {"compact_summary": "We chose pnpm."},
            (("summary", "We chose pnpm."),),
        ),
        ("codex", "Stop", {"last_assistant_message": None}, ()),
        (
            "codex",
            "notify",
            {"input-messages": ["a", "", 3, "b"], "last-assistant-message": "c"},
            (("human", "a"), ("human", "b"), ("assistant", "c")),
        ),
        (
            "gemini-cli",
            "AfterAgent",
            {"prompt": "a", "prompt_response": "b"},
            (("human", "a"), ("assistant", "b")),
        ),
        ("gemini-cli", "BeforeAgent", {"prompt": "a"}, ()),
        ("claude-code", "Stop", {"last_assistant_message": {"text": "x"}}, ()),
    ],
)
def test_what_a_call_says_of_the_conversation_is_kept(
    agent: str, event: str, payload: dict[str, object], said: object
) -> None:
    assert call(agent, event, **payload).said == said


@pytest.mark.parametrize(
    ("payload", "transcript"),
    [
        (
            {
                "agent_transcript_path": "/p/s/subagents/agent-a1b2.jsonl",
                "transcript_path": "/p/s.jsonl",
            },
            "/p/s/subagents/agent-a1b2.jsonl",
        ),
        ({"agent_id": "a1b2", "transcript_path": "/p/s.jsonl"}, "/p/s/subagents/agent-a1b2.jsonl"),
        ({"agent_id": "../../x", "transcript_path": "/p/s.jsonl"}, None),
        ({"transcript_path": "/p/s.jsonl"}, None),
        ({"agent_id": "a1b2", "transcript_path": None}, None),
    ],
)
def test_a_sub_agents_end_is_about_its_own_file_and_never_its_parents(
    payload: dict[str, object], transcript: str | None
) -> None:
    found = call("claude-code", "SubagentStop", session_id=SESSION, **payload)
    assert (found.transcript, found.is_sub, found.meaning) == (transcript, True, "stop")


def test_hooks_of_claude_code_that_run_elsewhere_are_known_by_what_they_are_given(
    home: Path,
) -> None:
    claude, environ = AGENTS["claude-code"], {"HOME": str(home)}
    assert hook_contracts.identify_agent(claude, {"session_id": SESSION}, environ) is claude
    assert (
        hook_contracts.identify_agent(
            claude, {"session_id": SESSION, "cursor_version": "3.12.0"}, environ
        )
        is AGENTS["cursor"]
    )
    assert (
        hook_contracts.identify_agent(
            AGENTS["codex"], {"session_id": SESSION, "cursor_version": "3.12.0"}, environ
        )
        is AGENTS["codex"]
    )
    (home / PLACES["copilot-cli"]).parent.mkdir(parents=True)
    (home / PLACES["copilot-cli"]).touch()
    assert (
        hook_contracts.identify_agent(claude, {"session_id": SESSION}, environ)
        is AGENTS["copilot-cli"]
    )
    assert hook_contracts.identify_agent(claude, {"session_id": "../" + SESSION}, environ) is claude


def test_opencodes_sessions_are_in_its_database_or_in_its_tree(home: Path) -> None:
    root = home / ".local/share/opencode"
    tree = root / "storage/session/p1/ses_0b8e7c1a.json"
    tree.parent.mkdir(parents=True)
    tree.touch()
    assert hook_contracts.find_session("opencode", "ses_0b8e7c1a", {"HOME": str(home)}) == tree
    (root / "opencode.db").touch()
    assert (
        hook_contracts.find_session(
            "opencode", "ses_0b8e7c1a", {"XDG_DATA_HOME": str(home / ".local/share")}
        )
        == root / "opencode.db"
    )


@pytest.mark.parametrize("session", ["../../secret", "*", "a/b/c/d", "[abcd]", "", "x" * 4000])
def test_a_session_id_cannot_lead_out_of_its_folder(session: str, home: Path) -> None:
    (home / ".claude/projects/p").mkdir(parents=True)
    (home / ".claude/projects/p/other.jsonl").touch()
    (home / "secret.jsonl").touch()
    for agent in AGENTS.values():
        assert (
            hook_contracts.locate_transcript(
                agent, HookCall(agent.name, "x", "end", session_id=session), {"HOME": str(home)}
            )
            is None
        )


def test_a_million_characters_are_fitted_in_a_blink() -> None:
    started = time.process_time()
    hook_contracts.truncate_to_limit("x\n" * 500_000, 9000)
    assert time.process_time() - started < 2
