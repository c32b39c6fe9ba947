"""One deadline for a whole hook: whatever it waits for, it ends with an empty answer, exit 0, and
what it was told waits in the spool.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_house import FACT, SESSION, House, furnished

from memctl import hook
from memctl.core import deadline
from memctl.core.deadline import DeadlinePassed
from memctl.settings.definitions import BY_KEY
from memctl.setup import recipes

# What a very busy machine may need beside the deadline; without one a hook waits for ever.
GENEROUS_SECONDS = 60.0
SHORT = {"MEMCTL_HOOK_DEADLINE_SECONDS": "0.5"}
COMMAND = (sys.executable, "-c", "from memctl.entry import hook; hook()")
EXCLUSIVE = """
import sys
from pathlib import Path
from memctl.store.database import Database, sqlite_library
held = sqlite_library().connect(sys.argv[1], isolation_level=None)
held.execute("PRAGMA locking_mode = EXCLUSIVE")
held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""
# A hook whose work at this place never ends.
STUCK = """
import time
from memctl.{module} import {name} as place
def stuck(*_given, **_named):
    while True:
        time.sleep(60)
place.{method} = stuck
from memctl.entry import hook
hook()
"""


@pytest.fixture
def house(db: Path, home: Path, tmp_path: Path) -> House:
    return furnished(db, home, tmp_path / "harbor")


@pytest.fixture
def exclusive(house: House) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the store exclusively until its standard input is closed."""
    command = [sys.executable, "-c", EXCLUSIVE, str(house.db)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def call(command: tuple[str, ...], agent: str, event: str, given: bytes, **env: str) -> str:
    """Run a hook whose standard input stays open after `given`; what it printed."""
    with subprocess.Popen(
        [*command, agent, event],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(given)
        process.stdin.flush()
        code = process.wait(GENEROUS_SECONDS)
        assert process.stderr is not None
        said, complaint = process.stdout.read(), process.stderr.read()
    assert (code, complaint) == (0, b"")
    return said.decode()


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"])
@pytest.mark.parametrize("given", [b"", b'{"session_id": "x", "prom'])
def test_a_hook_whose_input_never_ends_gives_up_in_silence(
    house: House, event: str, given: bytes
) -> None:
    assert call(COMMAND, "claude-code", event, given, **SHORT) == ""
    assert "DeadlinePassed: gave up after 0.5 s" in house.log


def test_a_whole_object_is_served_though_the_input_stays_open(house: House) -> None:
    given = json.dumps(house.input_of("claude-code", "SessionStart")).encode()
    said = call(COMMAND, "claude-code", "SessionStart", given, MEMCTL_HOOK_DEADLINE_SECONDS="600")
    assert FACT in said


def test_an_input_without_end_is_refused(house: House) -> None:
    script = (
        "import io, sys; from memctl import hook; hook.MAX_PAYLOAD_BYTES = 1000;"
        " from memctl.entry import hook as run; run()"
    )
    command = (sys.executable, "-c", script)
    assert call(command, "claude-code", "Stop", b"[" * 70_000) == ""
    assert "HookTrouble: stdin holds more than 1000 bytes" in house.log


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_a_context_from_a_store_that_is_held_exclusively_is_empty_in_time(
    house: House, exclusive: subprocess.Popen[str], event: str
) -> None:
    began = time.monotonic()
    assert house.fire("claude-code", event, house.input_of("claude-code", event)) == ""
    assert time.monotonic() - began < 30, "opening has a patience of its own no more"
    assert exclusive.poll() is None and "StoreLocked" in house.log


@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "PreCompact"])
def test_a_session_waits_in_the_spool_while_the_store_is_held_exclusively(
    house: House, exclusive: subprocess.Popen[str], event: str
) -> None:
    house.lay_out("claude-code")
    began = time.monotonic()
    assert house.fire("claude-code", event, house.input_of("claude-code", event)) == ""
    assert time.monotonic() - began < 30
    assert exclusive.poll() is None and house.waiting
    exclusive.communicate("")
    assert [session for _, session, _, _ in house.told()] == [SESSION]
    assert house.waiting == []


@pytest.mark.parametrize(
    ("module", "name", "method"),
    [
        ("store.migrate", "Database", "pragma"),
        ("engine.memory_engine", "MemoryEngine", "capture_session"),
        ("capture", "session", "capture"),
    ],
)
def test_a_session_that_cannot_be_taken_in_before_the_deadline_waits_in_the_spool(
    house: House, module: str, name: str, method: str
) -> None:
    house.lay_out("claude-code")
    script = STUCK.format(module=module, name=name, method=method)
    given = json.dumps(house.input_of("claude-code", "Stop")).encode()
    short = {"MEMCTL_HOOK_DEADLINE_SECONDS": "0.3"}
    assert call((sys.executable, "-c", script), "claude-code", "Stop", given, **short) == ""
    assert "DeadlinePassed" in house.log
    assert [session for _, session, _, _ in house.told()] == [SESSION]


def test_a_context_that_takes_too_long_is_empty(house: House) -> None:
    script = STUCK.format(module="engine.memory_engine", name="MemoryEngine", method="context_for")
    given = json.dumps(house.input_of("claude-code", "SessionStart")).encode()
    assert call((sys.executable, "-c", script), "claude-code", "SessionStart", given, **SHORT) == ""
    assert "DeadlinePassed" in house.log


def test_a_hook_that_cannot_even_give_up_is_ended_after_the_grace(house: House) -> None:
    script = STUCK.format(module="settings", name="config", method="load_config")
    script = script.replace(
        "    while True:\n        time.sleep(60)",
        """    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass""",
    )
    given = json.dumps(house.input_of("claude-code", "SessionStart")).encode()
    assert call((sys.executable, "-c", script), "claude-code", "SessionStart", given, **SHORT) == ""


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd"])
def test_a_config_that_never_ends_leaves_its_trace_and_a_working_hook(
    house: House, tmp_path: Path, event: str, kind: str
) -> None:
    path = tmp_path / "odd.yaml"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    house.lay_out("claude-code")
    said = house.fire(
        "claude-code", event, house.input_of("claude-code", event), MEMCTL_CONFIG=str(path)
    )
    assert (FACT in said) == (event == "SessionStart")
    assert "ConfigError" in house.log and "cannot be read" in house.log
    assert len(house.waiting) == (event == "SessionEnd")


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_transcript_that_never_ends_is_not_read(house: House, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    given = {**house.input_of("claude-code", "SessionEnd"), "transcript_path": str(path)}
    assert house.fire("claude-code", "SessionEnd", given) == ""


def test_with_settings_that_are_wrong_a_session_waits_without_its_words(
    house: House, tmp_path: Path
) -> None:
    (tmp_path / "wrong.yaml").write_text("capture:\n  ignore: [secret]\n")
    house.lay_out("claude-code")
    given = {**house.input_of("claude-code", "Stop"), "last_assistant_message": "plover eggs"}
    house.fire("claude-code", "Stop", given, MEMCTL_CONFIG=str(tmp_path / "wrong.yaml"))
    assert "capture.ignore must be" in house.log
    (waiting,) = house.waiting
    assert "plover" not in waiting.read_text()
    assert [session for _, session, _, _ in house.told()] == [SESSION]


def test_a_hook_gives_up_before_its_agent_does() -> None:
    default = BY_KEY["hook.deadline_seconds"].default
    waits = [seconds for events in recipes._EVENTS.values() for seconds in events.values()]
    assert default + deadline.GRACE_SECONDS <= min(waits)
    assert default * hook.CAPTURE_FACTOR + deadline.GRACE_SECONDS <= recipes._CAPTURE


def test_the_alarm_rings_until_it_is_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    deadline.begin(0.01)
    try:
        for _ in range(2):
            with pytest.raises(DeadlinePassed):
                while True:
                    signal.pause()
        deadline.acknowledge()
        signal.pause()  # It still wakes up, but raises no more.
    finally:
        deadline.end()
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_without_a_deadline_nothing_is_moved() -> None:
    deadline.move(0.001)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
