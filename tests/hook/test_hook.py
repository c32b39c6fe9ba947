"""A hook never fails its agent: exit code 0, nothing or one JSON object, nothing on stderr."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pexpect
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl import hook
from memctl.agents.hook_contracts import AGENTS, HookCall
from memctl.core import clock, timestamps
from memctl.core.errors import StoreLocked
from memctl.core.model import Filter
from memctl.engine.background import BackgroundOperations
from memctl.engine.captures import CaptureOperations
from memctl.engine.memory_engine import MemoryEngine
from memctl.hook import run_hook
from memctl.retrieve import query_embedding
from memctl.settings import config, project_folder
from memctl.store.database import Database

SESSION = "0b8e7c1a-1111-4222-8333-444455556666"
FACT = "<memctl-context>\nThe project uses pnpm.\n</memctl-context>"


@dataclass
class FakeReport:
    text: str
    spool_file: str | None = None


@dataclass
class FakeEngine:
    """Remembers what the hook asked for."""

    text: str = FACT
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    logs_fail: bool = False
    sweep_fails: bool = False
    notice_fails: bool = False
    captured_at: str | None = None

    def __enter__(self) -> FakeEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.calls.append(("close", {}))

    def place(self, cwd: Path | None, **rest: Any) -> str:
        self.calls.append(("place", {"cwd": cwd, **rest}))
        return "here"

    def context_for(self, **given: Any) -> FakeReport:
        self.calls.append(("context_for", given))
        return FakeReport(self.text)

    def format_for_injection(self, report: FakeReport) -> str:
        return report.text

    def note_compaction(self, agent: str, session_id: str | None) -> None:
        self.calls.append(("note_compaction", {"agent": agent, "session_id": session_id}))

    def write_logs(self) -> None:
        if self.logs_fail:
            raise StoreLocked("busy")

    def capture_session(self, path: Path, **rest: Any) -> None:
        self.calls.append(("capture_session", {"path": path, **rest}))

    def request(self, path: Path | None, **rest: Any) -> FakeReport:
        self.calls.append(("request", {"path": path, **rest}))
        return FakeReport("", spool_file=None)

    def withdraw(self, report: FakeReport) -> None:
        self.calls.append(("withdraw", {"spool_file": report.spool_file}))

    def request_missed(self, call: HookCall, environ: Mapping[str, str]) -> int:
        self.calls.append(("request_missed", {"session_id": call.session_id}))
        if self.sweep_fails:
            raise OSError("no room")
        return 0

    def find_last(self, agent: str, session_id: str) -> str | None:
        return self.captured_at

    @property
    def captures(self) -> FakeEngine:
        return self

    @property
    def background(self) -> FakeEngine:
        return self

    def start_maintenance_if_due(self, *, only_for_spool: bool = False) -> bool:
        self.calls.append(("start_maintenance_if_due", {"only_for_spool": only_for_spool}))
        return False

    def find_notice(self) -> str | None:
        if self.notice_fails:
            raise StoreLocked("busy")
        return None

    def asked(self, name: str) -> list[dict[str, Any]]:
        return [given for called, given in self.calls if called == name]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    fake = FakeEngine()
    monkeypatch.setattr(hook, "_open_engine", lambda _agent, _settings: fake)
    return fake


@pytest.fixture
def store(db: Path) -> Path:
    """A store is there (what is in it does not matter to the fake engine)."""
    db.touch()
    return db


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_text('{"type":"user"}\n')
    return path


def payload(**fields: object) -> bytes:
    return json.dumps({"session_id": SESSION, "cwd": "/w/app", **fields}).encode()


def log_of(db: Path) -> str:
    path = db.parent / "hook.log"
    return path.read_text() if path.exists() else ""


# -- what is asked of the engine -------------------------------------------------------------------


def test_a_session_start_is_answered_with_the_context_of_its_folder(
    engine: FakeEngine, store: Path
) -> None:
    answer = run_hook("claude-code", "SessionStart", payload(source="startup"))
    assert json.loads(answer)["hookSpecificOutput"] == {
        "hookEventName": "SessionStart",
        "additionalContext": FACT,
    }
    assert engine.asked("place") == [
        {"cwd": Path("/w/app"), "agent": "claude-code", "session": SESSION}
    ]
    assert engine.asked("context_for") == [
        {"place": "here", "task": None, "budget": 2000, "prompt_only": False, "session_start": True}
    ]


def test_a_prompt_is_answered_with_what_the_prompt_calls_for_within_the_smaller_budget(
    engine: FakeEngine, store: Path
) -> None:
    run_hook("codex", "UserPromptSubmit", payload(prompt="rename foo"))
    asked = {
        "place": "here",
        "task": "rename foo",
        "budget": 600,
        "prompt_only": True,
        "session_start": False,
    }
    assert engine.asked("context_for") == [asked]


def test_an_agent_that_takes_less_is_given_a_context_that_it_can_take_whole(
    engine: FakeEngine, store: Path
) -> None:
    run_hook("codex", "SessionStart", payload(source="startup"))
    assert engine.asked("context_for")[0]["budget"] * 4 <= AGENTS["codex"].limit < 2000 * 4


def test_nothing_worth_saying_is_answered_with_nothing(engine: FakeEngine, store: Path) -> None:
    engine.text = ""
    assert run_hook("claude-code", "UserPromptSubmit", payload(prompt="hello")) == ""


def test_an_agent_that_ignores_the_answer_costs_no_search(engine: FakeEngine, store: Path) -> None:
    assert run_hook("cursor", "beforeSubmitPrompt", payload(prompt="rename foo")) == ""
    assert engine.calls == []


def test_a_session_end_takes_the_transcript_in(
    engine: FakeEngine, store: Path, transcript: Path
) -> None:
    assert (
        run_hook(
            "claude-code", "SessionEnd", payload(transcript_path=str(transcript), reason="clear")
        )
        == ""
    )
    assert engine.asked("capture_session") == [
        {
            "path": transcript,
            "agent": "claude-code",
            "session_id": SESSION,
            "trigger": "hook:SessionEnd",
            "cwd": Path("/w/app"),
        }
    ]


def test_a_large_transcript_is_left_for_the_next_upkeep(
    engine: FakeEngine, store: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.truncate(transcript, 9 * 1024 * 1024)
    run_hook("claude-code", "SessionEnd", payload(transcript_path=str(transcript)))
    assert (len(engine.asked("request")), engine.asked("capture_session")) == (1, [])


@pytest.mark.parametrize(("ago", "is_read"), [(5, False), (90, True), (None, True)])
@pytest.mark.parametrize("event", ["Stop", "PreCompact"])
def test_a_large_transcript_is_read_once_a_minute_after_turns_and_always_before_a_compaction(
    engine: FakeEngine, store: Path, transcript: Path, event: str, ago: int | None, is_read: bool
) -> None:
    os.truncate(transcript, 1024 * 1024)
    engine.captured_at = None if ago is None else timestamps.add_seconds(clock.now(), seconds=-ago)
    run_hook("codex", event, payload(transcript_path=str(transcript)))
    is_read = is_read or event == "PreCompact"
    assert (len(engine.asked("capture_session")), len(engine.asked("request"))) == (
        int(is_read),
        int(not is_read),
    )


def test_a_small_transcript_is_read_after_every_turn(
    engine: FakeEngine, store: Path, transcript: Path
) -> None:
    engine.captured_at = clock.now()
    run_hook("codex", "Stop", payload(transcript_path=str(transcript)))
    assert len(engine.asked("capture_session")) == 1


@pytest.mark.parametrize("fails", ["logs_fail", "sweep_fails"])
def test_what_goes_wrong_after_the_answer_costs_no_answer(
    engine: FakeEngine, store: Path, fails: str
) -> None:
    setattr(engine, fails, True)
    assert json.loads(run_hook("claude-code", "SessionStart", payload()))
    assert "claude-code SessionStart" in log_of(store)


def test_a_notice_that_cannot_be_found_costs_no_answer(engine: FakeEngine, store: Path) -> None:
    engine.notice_fails = True
    assert json.loads(run_hook("claude-code", "SessionStart", payload()))


def test_sessions_that_ended_without_a_word_are_looked_for_at_a_start_and_not_at_a_prompt(
    engine: FakeEngine, store: Path
) -> None:
    run_hook("claude-code", "UserPromptSubmit", payload(prompt="rename foo"))
    assert engine.asked("request_missed") == []
    run_hook("claude-code", "SessionStart", payload(source="resume"))
    assert engine.asked("request_missed") == [{"session_id": SESSION}]


def test_what_the_transcript_lacks_yet_is_left_with_a_request(
    engine: FakeEngine, store: Path, transcript: Path
) -> None:
    said = 'It "works" now, in Zürich.'
    run_hook(
        "claude-code", "Stop", payload(transcript_path=str(transcript), last_assistant_message=said)
    )
    assert engine.asked("request")[0]["said"] == (("assistant", said),)
    for form in (json.dumps({"text": said}), json.dumps({"text": said}, ensure_ascii=False), said):
        engine.calls.clear()
        transcript.write_text(f"{form}\n")
        run_hook(
            "claude-code",
            "Stop",
            payload(transcript_path=str(transcript), last_assistant_message=said),
        )
        assert [name for name, _ in engine.calls] == [
            "capture_session",
            "start_maintenance_if_due",
            "close",
        ]


def test_a_transcript_that_is_not_there_yet_is_asked_for_with_what_was_said(
    engine: FakeEngine, store: Path
) -> None:
    run_hook(
        "claude-code",
        "PostCompact",
        payload(transcript_path="/w/later.jsonl", compact_summary="We chose pnpm."),
    )
    (asked,) = engine.asked("request")
    assert (asked["path"], asked["said"], asked["cwd"]) == (
        Path("/w/later.jsonl"),
        (("summary", "We chose pnpm."),),
        Path("/w/app"),
    )
    assert not log_of(store)


def test_without_a_store_a_capture_is_left_for_later_and_a_start_says_nothing(
    engine: FakeEngine, db: Path, transcript: Path
) -> None:
    run_hook("claude-code", "SessionEnd", payload(transcript_path=str(transcript)))
    assert run_hook("claude-code", "SessionStart", payload()) == ""
    assert [name for name, _ in engine.calls] == ["request", "close"]


def test_a_hook_within_our_own_model_call_does_nothing(
    engine: FakeEngine, store: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_HOOK_ACTIVE", "1")
    assert run_hook("claude-code", "SessionStart", payload()) == ""
    run_hook("claude-code", "SessionEnd", payload(transcript_path=str(transcript)))
    assert engine.calls == []


def test_a_stop_that_a_hook_caused_is_not_taken_twice(
    engine: FakeEngine, store: Path, transcript: Path
) -> None:
    run_hook("claude-code", "Stop", payload(transcript_path=str(transcript), stop_hook_active=True))
    assert engine.calls == []


def test_programs_that_memctl_starts_know_that_they_are_not_to_call_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    (tmp_path / "git").write_text(f'#!/bin/sh\necho "$MEMCTL_HOOK_ACTIVE" >> {told}\n')
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    project_folder.has_commit(str(tmp_path), "0" * 40)
    assert set(told.read_text().split()) == {"1"}
    assert config.HOOK_ACTIVE not in os.environ, (
        "the operator's own agents are called from the same environment"
    )


@pytest.mark.parametrize(("name", "is_guarded"), [("minilm", False), ("some-model", True)])
def test_a_foreign_model_and_what_it_starts_know_it_too(
    name: str, is_guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(
        query_embedding.embed,
        "find_embedder",
        lambda *_, **__: seen.append(config.HOOK_ACTIVE in os.environ),
    )
    monkeypatch.setenv(config.HOOK_ACTIVE, "taken away after the test")
    monkeypatch.delenv(config.HOOK_ACTIVE)
    query_embedding._find_embedder_once.__wrapped__(name, "auto", "", "")
    assert seen == [is_guarded]


# -- trouble ---------------------------------------------------------------------------------------


def test_trouble_is_logged_privately_and_without_what_was_said(
    engine: FakeEngine, store: Path
) -> None:
    lost = json.dumps(
        {"session_id": "?", "transcript_path": None, "prompt": "my secret plan"}
    ).encode()
    assert run_hook("claude-code", "SessionEnd", lost) == ""
    log = log_of(store)
    assert "claude-code SessionEnd: HookTrouble: no transcript of session ?" in log
    assert "secret" not in log and log.count("\n") == 1
    assert stat.S_IMODE((store.parent / "hook.log").stat().st_mode) == 0o600


def test_what_a_caller_says_reaches_the_log_without_secrets_and_harmless_to_show(
    store: Path,
) -> None:
    token = "ghp_" + "q8Zr3Lw5Tn1Vb7Kd9Xs2Mf4Hj6Gp0Yc8Ea"
    calls = [
        ("claude-code", "SessionEnd", payload(session_id="?", transcript_path=f"{token}/a.jsonl")),
        (token, "\x1b]0;gone\x07\u202e", b"{}"),
        (
            "claude-code",
            "SessionEnd",
            payload(session_id="?", transcript_path="a" * 940 + "/" + token),
        ),
    ]
    assert [run_hook(*call) for call in calls] == ["", "", ""]
    log = log_of(store)
    assert log.count("\n") == 3 and "[REDACTED:github:" in log
    assert token[:12] not in log
    assert log.replace("\n", "").isprintable()


def test_the_log_starts_anew_after_a_megabyte_and_keeps_the_old_one(store: Path) -> None:
    (store.parent / "hook.log").write_text("x" * (hook.LOG_LIMIT_BYTES + 1))
    run_hook("netscape", "SessionStart", b"")
    assert log_of(store).count("\n") == 1
    assert (store.parent / "hook.log.1").stat().st_size == hook.LOG_LIMIT_BYTES + 1


def test_settings_that_cannot_be_read_are_logged_beside_the_store(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("nonsense: [")
    monkeypatch.setenv("MEMCTL_CONFIG", str(tmp_path / "config.yaml"))
    assert run_hook("claude-code", "SessionStart", payload()) == ""
    assert "ConfigError" in log_of(store)


def test_a_log_that_is_a_link_is_not_followed(store: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (store.parent / "hook.log").symlink_to(tmp_path / "victim")
    run_hook("netscape", "SessionStart", b"")
    assert (tmp_path / "victim").read_text() == "precious"


GARBAGE = [
    b"",
    b"null",
    b"[]",
    b"{",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"cwd": 3, "session_id": [], "prompt": {}}',
    b'"\\ud800"',
]


@pytest.mark.parametrize("raw", GARBAGE, ids=range(len(GARBAGE)))
@pytest.mark.parametrize("agent", [*sorted(AGENTS), "netscape", ""])
def test_garbage_on_stdin_is_answered_with_nothing(agent: str, raw: bytes, db: Path) -> None:
    for event in AGENTS[agent].events if agent in AGENTS else ("SessionStart", ""):
        assert run_hook(agent, event, raw) == ""
    assert not db.exists()


@settings(max_examples=60)
@given(agent=st.sampled_from(sorted(AGENTS)), data=st.data())
def test_any_answer_is_one_json_object_in_ascii(
    agent: str, data: st.DataObject, engine: FakeEngine, store: Path
) -> None:
    engine.text = data.draw(st.text(max_size=200))
    event = data.draw(st.sampled_from(sorted(AGENTS[agent].events)))
    answer = run_hook(agent, event, payload(prompt=data.draw(st.text(max_size=50)), directory="/w"))
    assert answer.isascii()
    assert answer == "" or isinstance(json.loads(answer), dict)


# -- the real command ------------------------------------------------------------------------------


def real_hook(*args: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from memctl.hook import main; main()", *args]
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        env={**os.environ, **env},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("claude-code",),
        ("claude-code", "SessionStart"),
        ("netscape", "x"),
        ("codex", "notify", "{}"),
        ("-h",),
    ],
)
def test_the_command_always_exits_0_without_a_word_when_there_is_no_store(
    args: tuple[str, ...], home: Path
) -> None:
    done = real_hook(*args, stdin=payload(prompt="x"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("args", [[], ["--help"]])
def test_a_person_at_a_terminal_is_told_how_to_call_the_command(
    args: list[str], home: Path
) -> None:
    seen = pexpect.run(
        f"{sys.executable} -c 'from memctl.hook import main; main()' {' '.join(args)}", timeout=60
    ).decode()
    assert seen.startswith("Usage: memctl-hook AGENT EVENT") and "codex" in seen
    assert list(home.iterdir()) == []


def test_a_file_that_is_no_store_is_left_alone(db: Path) -> None:
    db.write_bytes(b"not a database, but long enough to be looked at as one" * 100)
    before = db.read_bytes()
    done = real_hook("claude-code", "SessionStart", stdin=payload())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert db.read_bytes() == before
    assert "claude-code SessionStart" in log_of(db)


@pytest.fixture
def gone_reader() -> Iterator[int]:
    """A stdout whose reader has gone."""
    ours, theirs = socket.socketpair()
    theirs.close()
    yield ours.fileno()
    ours.close()


def test_an_agent_that_has_gone_is_no_failure(gone_reader: int) -> None:
    script = "from memctl import hook; hook.run_hook = lambda *_: '{}'; hook.main()"
    command = [sys.executable, "-c", script, "claude-code", "SessionStart"]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=gone_reader,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_secret_in_a_prompt_reaches_no_file(db: Path) -> None:
    MemoryEngine.open(db, actor="operator").init()
    done = real_hook(
        "claude-code",
        "UserPromptSubmit",
        stdin=payload(prompt="log in with password: hunter2Xy99! and deploy"),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    written = b"".join(path.read_bytes() for path in db.parent.rglob("*") if path.is_file())
    assert b"log in with password" in written
    assert b"hunter2" not in written


def test_a_session_goes_from_one_hook_to_the_next(db: Path, tmp_path: Path) -> None:
    project = tmp_path / "app"
    project.mkdir()
    lines = [
        {
            "type": "user",
            "uuid": "u1",
            "promptSource": "typed",
            "message": {"role": "user", "content": "Never call the billing API from tests."},
        },
        {
            "type": "assistant",
            "uuid": "a1",
            "message": {
                "id": "m",
                "role": "assistant",
                "content": [{"type": "text", "text": "Understood."}],
            },
        },
    ]
    transcript = tmp_path / "t.jsonl"
    common = {
        "sessionId": SESSION,
        "cwd": str(project),
        "timestamp": "2026-01-02T03:04:05.000Z",
        "version": "2.1.2",
    }
    transcript.write_text("".join(json.dumps({**common, **line}) + "\n" for line in lines))
    call = {"cwd": str(project), "transcript_path": str(transcript)}
    real_hook("claude-code", "SessionEnd", stdin=payload(**call))
    engine = MemoryEngine.open(db, actor="operator")
    engine.init()
    engine.maintain()
    engine.inbox.approve_all(Filter())
    engine.close()
    answer = json.loads(real_hook("codex", "SessionStart", stdin=payload(**call)).stdout)
    assert (
        "Never call the billing API from tests" in answer["hookSpecificOutput"]["additionalContext"]
    )
    (only,) = log_of(db).splitlines()
    assert "no store at" in only, "the first hook came before the store"


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_capture_that_is_killed_leaves_a_request_and_one_that_ends_leaves_none(
    db: Path, transcript: Path, is_killed: bool
) -> None:
    MemoryEngine.open(db, actor="operator").init()
    line = {
        "type": "user",
        "uuid": "u",
        "sessionId": SESSION,
        "promptSource": "typed",
        "message": {"role": "user", "content": "Use pnpm"},
    }
    transcript.write_text(json.dumps(line) + "\n" + "{}\n" * 400_000)
    killed = (
        "import os; from memctl.engine.memory_engine import MemoryEngine;"
        " MemoryEngine.capture_session = lambda *_, **__: os.kill(os.getpid(), 9); "
    )
    script = (killed if is_killed else "") + "from memctl.hook import main; main()"
    command = [sys.executable, "-c", script, "claude-code", "SessionEnd"]
    done = subprocess.run(
        command,
        input=payload(transcript_path=str(transcript)),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == (-9 if is_killed else 0)
    assert len(list(db.parent.rglob("*.request.json"))) == is_killed


def test_a_locked_store_costs_a_hook_a_moment_and_no_capture(db: Path, transcript: Path) -> None:
    MemoryEngine.open(db, actor="operator").init()
    line = {
        "type": "user",
        "uuid": "u1",
        "sessionId": SESSION,
        "promptSource": "typed",
        "message": {"role": "user", "content": "Use pnpm"},
    }
    transcript.write_text(json.dumps(line) + "\n")
    other = Database(db)
    with other.write():
        started = time.monotonic()
        done = real_hook(
            "claude-code", "SessionEnd", stdin=payload(transcript_path=str(transcript))
        )
        assert time.monotonic() - started < 25, "others wait 30 s for their turn"
        answer = real_hook("claude-code", "SessionStart", stdin=payload())
    other.close()
    assert (done.returncode, done.stdout, done.stderr, answer.returncode, answer.stderr) == (
        0,
        b"",
        b"",
        0,
        b"",
    )
    assert list(db.parent.rglob("*.capture.json"))
    engine = MemoryEngine.open(db, actor="operator")
    engine.maintain()
    assert not list(db.parent.rglob("*.capture.json"))
    assert engine.upkeep.status().sources == 1


def test_settings_choose_the_limit(
    engine: FakeEngine, store: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_CAPTURE_HOOK_LIMIT_MB", "0")
    run_hook("claude-code", "SessionEnd", payload(transcript_path=str(transcript)))
    assert engine.asked("request")


def test_the_real_engine_has_the_doors_that_the_hook_uses() -> None:
    used = {name for name in vars(FakeEngine) if not name.startswith("_")} - {
        *FakeEngine.__dataclass_fields__,
        "asked",
        "captures",
    }
    assert used <= {
        *dir(MemoryEngine),
        *dir(CaptureOperations),
        *dir(BackgroundOperations),
    }
