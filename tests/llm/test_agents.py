"""An agent in a model's place: how its program is started, what becomes of its answer, and what
is said where it cannot answer.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from reading_agent import PROGRAMS, AgentStandIn

from memctl.capture.read_transcripts import iterate_nonempty
from memctl.core.errors import ConfigError
from memctl.core.model import OWN_QUESTION
from memctl.llm import agent_contracts, calls, settings, usage
from memctl.llm.agent_contracts import AgentFailed, AgentOutput, AgentUnavailable
from memctl.maintain import doctor
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader
from memctl.settings.config import HOOK_ACTIVE

SAID = "The charts are drawn in mercator projection"
AGENTS = list(PROGRAMS)


def capture(reader: AgentStandIn, session: str = "0a") -> None:
    reader.bench.capture(
        ("user", f"hello {session}, {SAID}"), session=f"5e551011-0000-4000-8000-0000000000{session}"
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_what_an_agent_picks_out_waits_in_the_inbox(reader: AgentStandIn, agent: str) -> None:
    reader.installs(agent)
    reader.picks(SAID)
    capture(reader)
    told = reader.run()
    assert (told["answered"], told["proposed"], told["tokens"]) == (1, 1, 153)
    assert reader.bench.one("inbox").content == SAID
    assert told.get("cost") == (0.0125 if agent == "claude-code" else None)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_runs_in_an_empty_folder_with_everything_else_turned_off(
    reader: AgentStandIn, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    reader.installs(agent)
    capture(reader)
    reader.run()
    (start,) = reader.started
    assert start["inside"] == []
    assert not Path(start["folder"]).exists()
    assert start["environment"][HOOK_ACTIVE] == "1"
    assert "CLAUDECODE" not in start["environment"]
    assert not any("mercator" in word for word in start["arguments"])
    assert not any("mercator" in word for word in start["environment"].values())
    assert start["input"].startswith(OWN_QUESTION)
    assert SAID in start["input"]
    words = " ".join(start["arguments"])
    for expected in {
        "claude-code": ("--tools  ", "disableAllHooks", "--no-session-persistence"),
        "codex": ("features.hooks=false", "--ephemeral", "features.shell_tool=false"),
        "gemini-cli": ("--extensions none",),
    }[agent]:
        assert expected in words
    if agent == "gemini-cli":
        assert start["settings"]["hooksConfig"] == {"enabled": False}


def test_settings_of_the_system_for_gemini_stay_in_force_under_ours(
    reader: AgentStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "system.json"
    kept.write_text(json.dumps({"security": {"auth": {"enforcedType": "oauth"}}, "mcp": {"x": 1}}))
    monkeypatch.setenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH", str(kept))
    reader.installs("gemini-cli")
    capture(reader)
    reader.run()
    told = reader.started[0]["settings"]
    assert told["security"] == {"auth": {"enforcedType": "oauth"}}
    assert (told["mcp"]["x"], told["mcp"]["allowed"]) == (1, ["memctl-nothing"])
    kept.write_text("// no JSON")
    capture(reader, "0b")
    reader.run()
    assert "cannot be read" in reader.rows[-1]["error"]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("Invalid API key. Please run /login", "it is not logged in"),
        ("You've hit your usage limit. Try again at 5 pm.", "its quota is used up"),
        ("getaddrinfo ENOTFOUND api.example.com", "it does not reach its service"),
    ],
)
def test_an_agent_that_cannot_answer_says_what_to_do_and_no_question_is_to_blame(
    reader: AgentStandIn, agent: str, error: str, said: str
) -> None:
    reader.installs(agent)
    reader.behaves(error=error)
    capture(reader)
    for _ in range(4):
        assert reader.run()["flag"] == "model_failing"
        reader.later()
    title = agent_contracts.AGENTS[agent].title
    assert reader.rows[0]["error"].startswith(f"not available: {title}: {said}")
    reader.picks(SAID)
    assert reader.run()["proposed"] == 1


def test_an_agent_too_old_for_an_option_is_to_be_updated(reader: AgentStandIn) -> None:
    program = reader.installs("claude-code")
    program.write_text(program.read_text().replace(" --setting-sources", ""))
    capture(reader)
    reader.run()
    assert "update it" in reader.rows[0]["error"]
    assert "--setting-sources" in reader.rows[0]["error"]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "answer", ["I would be happy to help!", '{"candidates": [{"type":', '{"facts": []}', ""]
)
def test_prose_and_broken_json_are_unusable(reader: AgentStandIn, agent: str, answer: str) -> None:
    reader.installs(agent)
    reader.behaves(answer=answer)
    capture(reader)
    assert reader.run()["unusable"] == 1
    assert reader.run()["calls"] == 0


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_prints_something_else_entirely_has_failed(
    reader: AgentStandIn, agent: str
) -> None:
    reader.installs(agent)
    capture(reader)
    for printed, became in (
        ("", "failed"),
        ("Welcome!", "failed"),
        ("[[[", "failed"),
        ("{}", "given_up"),
    ):
        reader.behaves(prints=printed)
        assert reader.run()[became] == 1
        reader.later()


@pytest.mark.parametrize("agent", ["codex", "gemini-cli"])
def test_an_answer_in_which_a_tool_was_used_does_not_count(
    reader: AgentStandIn, agent: str
) -> None:
    reader.installs(agent)
    reader.picks(SAID, uses_tool=True)
    capture(reader)
    assert reader.run()["failed"] == 1
    assert "used a tool" in reader.rows[0]["error"]
    assert reader.bench.all("inbox") == []


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_at_the_time_limit_the_agent_and_what_it_started_are_ended(reader: AgentStandIn) -> None:
    reader.installs("claude-code")
    reader.behaves(hangs=True)
    reader.bench.settings(maintain__model_timeout=2)
    capture(reader)
    assert reader.run()["failed"] == 1
    assert "no answer within 2 s" in reader.rows[0]["error"]
    child = int((reader.folder / "child.pid").read_text())
    deadline = time.monotonic() + 20
    while is_running(child) and time.monotonic() < deadline:
        os.sched_yield()
    assert not is_running(child)


def test_an_agent_that_takes_more_memory_than_granted_is_ended(reader: AgentStandIn) -> None:
    reader.installs("codex")
    reader.behaves(grows=True)
    reader.bench.settings(maintain__model_memory_mb=200)
    capture(reader)
    assert reader.run()["failed"] == 1
    assert "more than 200 MB" in reader.rows[0]["error"]


def test_without_the_program_nothing_is_asked_and_doctor_says_what_is_missing(
    reader: AgentStandIn,
) -> None:
    reader.model = "agent:codex"
    capture(reader)
    assert reader.run()["flag"] == "model_missing"
    (check,) = usage.check_model(reader.bench.db, reader.config)
    assert check.state == "problem"
    assert "no program `codex`" in check.detail
    program = reader.installs("codex")
    (check,) = usage.check_model(reader.bench.db, reader.config)
    assert (check.state, str(program) in check.detail) == ("ok", True)
    network = {each.name: each.detail for each in doctor.doctor(reader.config, repair=False).checks}
    assert "service of that agent" in network["network"]
    assert reader.started == []


def test_the_settings_name_the_program_and_the_model(
    reader: AgentStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = reader.installs("claude-code")
    monkeypatch.setenv("PATH", "/usr/bin")
    reader.model = "agent:claude-code/haiku"
    reader.bench.settings(maintain__model_program=str(program))
    capture(reader)
    reader.run()
    arguments = reader.started[0]["arguments"]
    assert arguments[arguments.index("--model") + 1] == "haiku"
    assert reader.rows[0]["model"] == "agent:claude-code/haiku"


def test_an_agent_that_cannot_read_is_refused(reader: AgentStandIn) -> None:
    for model in ("agent:aider", "agent:", "agent:codex/--yolo"):
        reader.model = model
        with pytest.raises(ConfigError, match="agent:claude-code, agent:codex, agent:gemini-cli"):
            reader.run()


def test_a_day_costs_no_more_than_the_agent_says_it_cost(reader: AgentStandIn) -> None:
    reader.installs("claude-code")
    reader.picks(cost=0.4)
    for number in range(4):
        capture(reader, f"{number:02d}")
    assert reader.run()["flag"] == "model_budget_spent"
    assert [row["cost"] for row in reader.rows] == [0.4, 0.4]


def test_a_question_that_an_agent_kept_as_a_session_is_never_captured(
    reader: AgentStandIn, tmp_path: Path
) -> None:
    reader.installs("gemini-cli")
    capture(reader)
    reader.run()
    lines = [
        {
            "type": who,
            "uuid": who,
            "sessionId": "5",
            "timestamp": "2026-01-02T03:04:05Z",
            "message": {"role": who, "content": text},
        }
        for who, text in (("user", reader.started[0]["input"]), ("assistant", "{}"))
    ]
    kept = tmp_path / "kept.jsonl"
    kept.write_text("\n".join(map(json.dumps, lines)))
    source = Input(path=kept)
    assert list(iterate_nonempty(detect_reader(source, None), source)) == []
    assert source.unknown["question of memctl to a model"] == 1


def test_agents_are_given_more_time_and_text_unless_told_otherwise(reader: AgentStandIn) -> None:
    reader.installs("codex")
    told = settings.read_settings(reader.config)
    assert (told.seconds, told.chunk_tokens) == (30, 6000)
    assert calls.find_pause_end(reader.bench.db, told) is None


@pytest.mark.parametrize(
    ("agent", "stdout", "stderr", "code"),
    [
        (
            "claude-code",
            '[{"type":"system"},{"type":"result","subtype":"success","result":"x"}]',
            "",
            0,
        ),
        (
            "codex",
            '{"type":"item.completed","item":{"item_type":"assistant_message","text":"x"}}',
            "",
            0,
        ),
        ("gemini-cli", 'Hello {you}\n{"response": "x"}', "", 0),
    ],
)
def test_older_and_chattier_forms_of_an_answer_are_read(
    agent: str, stdout: str, stderr: str, code: int
) -> None:
    reply = agent_contracts.AGENTS[agent].read(AgentOutput(stdout, stderr, code))
    assert (reply.text, reply.tokens_in, reply.cost) == ("x", None, None)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("told", ["", "{", "[" * 5000, '{"type": "result"}' * 3, "null", "é\x00"])
def test_no_output_of_a_program_is_too_odd(agent: str, told: str) -> None:
    with pytest.raises((AgentFailed, AgentUnavailable)):
        agent_contracts.AGENTS[agent].read(AgentOutput(told, told, 1))
