"""One recorded input for every event of every agent, through the real command."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hook_house import FACT, INPUTS, PLACES, SESSION, SUBAGENTS, House, furnished

from memctl.agents.hook_contracts import AGENTS
from memctl.engine.memory_engine import MemoryEngine
from memctl.store import evidence, sources

EVERY = [(path.parent.name, path.stem) for path in sorted(INPUTS.glob("*/*.json"))]
CAPTURING = [
    (agent, event)
    for agent, event in EVERY
    if AGENTS[agent].events[event] in ("stop", "end", "compact")
]
ANSWERED = [(agent, event) for agent, event in EVERY if event in AGENTS[agent].answers]


@pytest.fixture
def house(db: Path, home: Path, tmp_path: Path) -> House:
    return furnished(db, home, tmp_path / "harbor")


def test_there_is_an_input_for_every_event_of_every_agent() -> None:
    assert set(EVERY) == {
        (agent.name, event) for agent in AGENTS.values() for event in agent.events
    }


@pytest.mark.parametrize(("agent", "event"), EVERY)
def test_an_answer_has_the_shape_that_the_agent_reads_and_there_is_none_where_it_reads_none(
    house: House, agent: str, event: str
) -> None:
    house.lay_out(agent)
    said = house.fire(agent, event, house.input_of(agent, event))
    if (agent, event) not in ANSWERED:
        assert said == ""
        return
    answer = json.loads(said)
    shape = AGENTS[agent].answers[event]
    if shape == "nested":
        assert answer.keys() == {"hookSpecificOutput"}
        assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
        assert answer["hookSpecificOutput"]["hookEventName"] == event
        context = answer["hookSpecificOutput"]["additionalContext"]
    else:
        assert answer.keys() == {shape}
        context = answer[shape]
    assert FACT in context
    assert len(context) <= AGENTS[agent].limit
    assert house.log == ""


@pytest.mark.parametrize(("agent", "event"), CAPTURING)
def test_an_event_that_captures_captures_once_however_often_it_is_fired(
    house: House, agent: str, event: str
) -> None:
    house.lay_out(agent)
    for _ in range(2):
        assert house.fire(agent, event, house.input_of(agent, event)) == ""
    (told,) = house.told()
    is_sub = event in AGENTS[agent].subagents
    assert (told[0], told[3]) == (agent, 0 if is_sub else 1)
    assert told[2] == (SESSION if is_sub else None)
    assert (house.waiting, house.log) == ([], "")


@pytest.mark.parametrize(("agent", "event"), [pair for pair in EVERY if pair not in CAPTURING])
def test_an_event_that_does_not_capture_leaves_nothing(
    house: House, agent: str, event: str
) -> None:
    house.lay_out(agent)
    # A start would find it: a session of its own that nobody captured.
    (house.home / SUBAGENTS.get(agent, "none")).unlink(missing_ok=True)
    house.fire(agent, event, house.input_of(agent, event))
    assert (house.told(), house.log) == ([], "")


def test_both_spellings_of_copilots_events_make_one_capture(house: House) -> None:
    house.lay_out("copilot-cli")
    house.fire("copilot-cli", "agentStop", house.input_of("copilot-cli", "agentStop"))
    house.fire("copilot-cli", "Stop", house.input_of("copilot-cli", "Stop"))
    house.fire(
        "copilot-cli",
        "SessionEnd",
        {**house.input_of("copilot-cli", "Stop"), "hook_event_name": "SessionEnd"},
    )
    assert [agent for agent, *_ in house.told()] == ["copilot-cli"]


def test_both_spellings_at_the_same_moment_make_one_capture(house: House) -> None:
    house.lay_out("copilot-cli")
    inputs = {
        event: house.input_of("copilot-cli", event)
        for event in ("agentStop", "Stop", "sessionEnd", "preCompact")
    }
    with ThreadPoolExecutor(len(inputs)) as at_once:
        said = list(
            at_once.map(lambda event: house.fire("copilot-cli", event, inputs[event]), inputs)
        )
    assert said == [""] * len(inputs)
    assert [agent for agent, *_ in house.told()] == ["copilot-cli"]
    assert (house.waiting, house.log) == ([], "")
    with MemoryEngine.open(house.db, actor="operator") as engine:
        assert len(engine.projects.list().items) == 1


def test_hooks_that_were_set_up_for_claude_code_and_run_in_copilot_make_no_second_session(
    house: House,
) -> None:
    house.lay_out("copilot-cli")
    house.fire("copilot-cli", "sessionEnd", house.input_of("copilot-cli", "sessionEnd"))
    house.fire("claude-code", "Stop", house.input_of("copilot-cli", "Stop"))
    house.fire(
        "claude-code",
        "SessionEnd",
        {"hook_event_name": "SessionEnd", "session_id": SESSION, "cwd": str(house.cwd)},
    )
    assert [agent for agent, *_ in house.told()] == ["copilot-cli"]


def test_hooks_that_were_set_up_for_claude_code_and_run_in_cursor_make_no_second_session(
    house: House,
) -> None:
    house.lay_out("cursor")
    house.fire("cursor", "stop", house.input_of("cursor", "stop"))
    house.fire("claude-code", "Stop", house.input_of("cursor", "stop"))
    assert [agent for agent, *_ in house.told()] == ["cursor"]


@pytest.mark.parametrize("given", ["~", None, "missing"])
@pytest.mark.parametrize("agent", sorted(set(PLACES) - {"windsurf"}))
def test_a_transcript_is_found_when_its_path_is_short_null_or_missing(
    house: House, agent: str, given: str | None
) -> None:
    house.lay_out(agent)
    event = next(
        event for event in AGENTS[agent].events if AGENTS[agent].events[event] == "compact"
    )
    call = house.input_of(agent, event)
    field = "transcriptPath" if agent == "copilot-cli" else "transcript_path"
    del call[field]
    if given != "missing":
        call[field] = given and f"~/{PLACES[agent]}"
    house.fire(agent, event, call)
    assert [name for name, *_ in house.told()] == [agent]


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_every_way_to_begin_a_session_is_answered(house: House, source: str) -> None:
    call = {**house.input_of("claude-code", "SessionStart"), "source": source}
    assert FACT in house.fire("claude-code", "SessionStart", call)


def test_the_marks_that_claude_code_sets_for_every_hook_do_not_silence_it(house: House) -> None:
    house.lay_out("claude-code")
    env = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_CODE_SESSION_ID": SESSION,
        "CLAUDE_PROJECT_DIR": str(house.cwd),
    }
    assert FACT in house.fire(
        "claude-code", "SessionStart", house.input_of("claude-code", "SessionStart"), **env
    )
    house.fire("claude-code", "SessionEnd", house.input_of("claude-code", "SessionEnd"), **env)
    assert len(house.told()) == 1


@pytest.mark.parametrize(
    ("agent", "event"),
    [("claude-code", "SessionStart"), ("codex", "Stop"), ("gemini-cli", "SessionEnd")],
)
def test_a_model_that_memctl_itself_started_is_not_served(
    house: House, agent: str, event: str
) -> None:
    house.lay_out(agent)
    assert house.fire(agent, event, house.input_of(agent, event), MEMCTL_HOOK_ACTIVE="1") == ""
    assert house.told() == []


def test_a_sub_agents_words_are_never_the_operators(house: House) -> None:
    for agent in SUBAGENTS:
        house.lay_out(agent)
        house.fire(agent, "SubagentStop", house.input_of(agent, "SubagentStop"))
    assert [parent for _, _, parent, _ in house.told()] == [SESSION, SESSION]
    with MemoryEngine.open(house.db, actor="operator") as engine:
        rest = [
            view.memory
            for view in (*engine.inbox.list(limit=-1).items, *engine.records.list().items)
            if view.memory.content != FACT
        ]
    assert [memory.content for memory in rest if memory.trust >= 4] == []


def test_a_sub_agents_file_is_looked_for_beside_its_parents_and_never_taken_for_it(
    house: House,
) -> None:
    house.lay_out("claude-code")
    call = house.input_of("claude-code", "SubagentStop")
    del call["agent_transcript_path"]
    house.fire("claude-code", "SubagentStop", call)
    assert [(session, parent) for _, session, parent, _ in house.told()] == [
        ("agent-a1b2c3d4", SESSION)
    ]
    shutil.rmtree(house.home / ".claude")
    house.lay_out("claude-code")
    (house.home / SUBAGENTS["claude-code"]).unlink()
    house.fire("claude-code", "SubagentStop", {**call, "agent_id": None})
    assert len(house.told()) == 1


# -- transcripts that lag or never come ------------------------------------------------------------


def test_a_transcript_that_comes_later_is_taken_in_then(house: House) -> None:
    call = house.input_of("claude-code", "Stop")
    house.fire("claude-code", "Stop", call)
    assert (house.told(), len(house.waiting), house.log) == ([], 1, "")
    house.lay_out("claude-code")
    assert [(session, humans) for _, session, _, humans in house.told()] == [(SESSION, 1)]
    assert house.waiting == []


def test_a_transcript_that_lags_is_read_now_and_again_until_it_holds_what_was_said(
    house: House,
) -> None:
    path = house.lay_out("claude-code")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0])
    house.fire("claude-code", "Stop", house.input_of("claude-code", "Stop"))
    assert len(house.told()) == 1
    assert len(house.waiting) == 1
    path.write_text("".join(lines))
    assert len(house.told()) == 1
    assert house.waiting == []


def grown_old(house: House) -> None:
    """Let what waits have waited for days."""
    for file in house.waiting:
        file.write_text(
            json.dumps({**json.loads(file.read_text()), "at": "2026-01-03T00:00:00.000Z"})
        )


@pytest.mark.parametrize(
    ("agent", "event", "roles"),
    [
        ("claude-code", "Stop", ["assistant"]),
        ("claude-code", "PostCompact", ["summary"]),
        ("codex", "notify", ["human", "assistant"]),
        ("gemini-cli", "AfterAgent", ["human", "assistant"]),
    ],
)
def test_what_a_hook_was_told_is_kept_when_its_transcript_never_comes(
    house: House, agent: str, event: str, roles: list[str]
) -> None:
    call = house.input_of(agent, event)
    for _ in range(2):
        house.fire(agent, event, call)
    assert house.told() == []
    grown_old(house)
    (told,) = house.told()
    assert told[2] == SESSION
    with MemoryEngine.open(house.db, actor="operator") as engine:
        (row,) = engine.open_to_read().all("sources.everything")
        assert [turn.role for turn in sources.read_turns(engine.open_to_read(), row["id"])] == roles
    assert house.waiting == []


def test_a_session_that_ended_without_a_word_and_without_a_file_is_no_trouble(house: House) -> None:
    house.fire("claude-code", "SessionEnd", house.input_of("claude-code", "SessionEnd"))
    grown_old(house)
    assert (house.told(), house.waiting, house.log) == ([], [], "")


def test_a_turn_whose_transcript_never_comes_is_said_once(house: House) -> None:
    call = house.input_of("claude-code", "PreCompact")
    house.fire("claude-code", "PreCompact", call)
    grown_old(house)
    with MemoryEngine.open(house.db, actor="operator") as engine:
        assert "no transcript appeared" in engine.maintain().problems[0]
        assert engine.maintain().problems == ()
    assert house.waiting == []


# -- sessions that begin anew, fork and end in every way -------------------------------------------


@pytest.mark.parametrize(
    "reason",
    ["clear", "resume", "logout", "prompt_input_exit", "other", "a reason of tomorrow", None],
)
def test_a_session_is_captured_however_it_ends(house: House, reason: str | None) -> None:
    house.lay_out("claude-code")
    house.fire(
        "claude-code",
        "SessionEnd",
        {**house.input_of("claude-code", "SessionEnd"), "reason": reason},
    )
    assert [session for _, session, _, _ in house.told()] == [SESSION]


@pytest.mark.parametrize(
    "keeps_id",
    [True, False],
    ids=["the replayed lines keep the parent's id", "all lines have the fork's id"],
)
def test_a_forked_session_adds_only_what_is_its_own(house: House, keeps_id: bool) -> None:
    parent, fork = house.lay_out("claude-code"), "7c6b5a49-1111-4222-8333-444455556666"
    house.fire("claude-code", "SessionEnd", house.input_of("claude-code", "SessionEnd"))
    assert len(house.told()) == 1
    before = candidates(house)
    assert [content for content, _ in before if "pnpm" in content]
    own = {
        "type": "user",
        "uuid": "f1",
        "parentUuid": "u3",
        "sessionId": fork,
        "cwd": str(house.cwd),
        "version": "2.1.2",
        "timestamp": "2026-01-03T03:04:05.000Z",
        "promptSource": "typed",
        "message": {
            "role": "user",
            "content": "Never call the tide office from tests, because each call is billed.",
        },
    }
    replayed = parent.read_text() if keeps_id else parent.read_text().replace(SESSION, fork)
    path = parent.with_name(f"{fork}.jsonl")
    path.write_text(replayed + json.dumps(own) + "\n")
    end = {
        **house.input_of("claude-code", "SessionEnd"),
        "session_id": fork,
        "transcript_path": str(path),
    }
    house.fire("claude-code", "SessionEnd", end)
    assert [session for _, session, _, _ in house.told()] == [SESSION, fork]
    after = candidates(house)
    assert [pair for pair in after if pair in before] == before, (
        "neither said twice nor made any surer"
    )
    assert [content for content, _ in after if "tide office" in content]


def candidates(house: House) -> list[tuple[str, float]]:
    """What waits for the operator, and how sure it is; episodes tell of one session each."""
    with MemoryEngine.open(house.db, actor="operator") as engine:
        found = [view.memory for view in engine.inbox.list(limit=-1).items]
        proof = evidence.list_by_memory(engine.open_to_read(), [memory.id for memory in found])
    assert all(
        len(items) == len({(item.quote, item.observed_at) for item in items})
        for items in proof.values()
    )
    return sorted(
        (memory.content, memory.confidence) for memory in found if memory.type != "episode"
    )


def test_a_session_in_a_project_that_is_to_be_left_out_leaves_nothing_and_is_no_trouble(
    house: House,
) -> None:
    (house.cwd / ".memctl.yaml").write_text("ignore: true\n")
    house.lay_out("claude-code")
    for event in ("Stop", "PostCompact", "SessionEnd"):
        house.fire("claude-code", event, house.input_of("claude-code", event))
    (house.home / PLACES["claude-code"]).unlink()
    house.fire("claude-code", "Stop", house.input_of("claude-code", "Stop"))
    assert (house.waiting, house.log, house.told()) == ([], "", [])
