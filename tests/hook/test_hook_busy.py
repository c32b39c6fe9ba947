"""A hook returns in time and loses nothing while the store is busy or cannot be written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hook_house import FACT, PLACES, SESSION, House, furnished

from memctl import hook
from memctl.agents.hook_contracts import AGENTS

HELD_SECONDS = 20
# What Claude Code gives all hooks at the end of a session, the shortest of all limits.
LIMIT_SECONDS = 1.5
# What a very busy machine takes to start a process; a hook without a limit would wait 30 s.
STARTING_SECONDS = 6.0
ENDS = [
    (agent, event)
    for agent in PLACES
    for event, meaning in AGENTS[agent].events.items()
    if meaning in ("stop", "end", "compact")
]
HOLDER = """
import sys, time
from pathlib import Path
from memctl.store.database import Database
with Database(Path(sys.argv[1])).write():
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""
# Killed where it begins to wait for its turn at the store.
KILLED_AT_THE_LOCK = """
import os
from memctl.store.database import Database
Database.write = lambda *_: os.kill(os.getpid(), 9)
from memctl.entry import hook
hook()
"""


@pytest.fixture
def house(db: Path, home: Path, tmp_path: Path) -> House:
    return furnished(db, home, tmp_path / "harbor")


@pytest.fixture
def holder(house: House) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the write lock of the store."""
    command = [sys.executable, "-c", HOLDER, str(house.db), str(HELD_SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.proof
def test_while_another_process_holds_the_store_hooks_return_in_time_and_nothing_is_lost(
    house: House, holder: subprocess.Popen[str]
) -> None:
    held_since = time.monotonic()
    for agent in PLACES:
        house.lay_out(agent)
    fired = 0
    for agent, event in ENDS:
        if time.monotonic() - held_since > HELD_SECONDS - 4:
            break
        began = time.monotonic()
        assert house.fire(agent, event, house.input_of(agent, event)) == ""
        assert time.monotonic() - began < LIMIT_SECONDS + STARTING_SECONDS, f"{agent} {event}"
        fired += 1
    began = time.monotonic()
    assert FACT in house.fire(
        "claude-code", "SessionStart", house.input_of("claude-code", "SessionStart")
    )
    assert time.monotonic() - began < LIMIT_SECONDS + STARTING_SECONDS
    assert holder.poll() is None, "the lock was held all the while"
    holder.wait()
    assert (fired > 3, house.log) == (True, "")
    assert len(house.told()) >= len({agent for agent, _ in ENDS[:fired]})
    assert house.waiting == []


def test_a_hook_waits_for_others_less_long_than_its_agent_waits_for_it() -> None:
    assert hook.PATIENCE_SECONDS < LIMIT_SECONDS - 0.5


def test_a_hook_that_is_killed_while_it_waits_for_the_store_has_left_its_request(
    house: House,
) -> None:
    house.lay_out("claude-code")
    command = [sys.executable, "-c", KILLED_AT_THE_LOCK, "claude-code", "SessionEnd"]
    given = json.dumps(house.input_of("claude-code", "SessionEnd")).encode()
    done = subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert [session for _, session, _, _ in house.told()] == [SESSION]


FULL = (
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
    " from memctl.entry import hook; hook()"
)


@pytest.mark.parametrize("event", ["SessionEnd", "Stop", "SessionStart", "UserPromptSubmit"])
def test_on_a_full_disk_a_hook_says_nothing_and_the_next_start_finds_what_it_could_not_keep(
    house: House, event: str
) -> None:
    path = house.lay_out("claude-code")
    given = house.input_of("claude-code", event)
    command = [sys.executable, "-c", FULL, "claude-code", event]
    done = subprocess.run(
        command, input=json.dumps(given).encode(), capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert not list(house.db.parent.rglob("*.partial"))
    start = {
        **house.input_of("claude-code", "SessionStart"),
        "session_id": "another",
        "transcript_path": str(path.with_name("x.jsonl")),
    }
    assert FACT in house.fire("claude-code", "SessionStart", start)
    assert [session for _, session, _, _ in house.told()] == [SESSION]


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
@pytest.mark.parametrize("size", [0, hook.SMALL_BYTES])
def test_a_damaged_store_takes_nothing_and_the_spool_takes_it_instead(
    house: House, event: str, size: int
) -> None:
    path = house.lay_out("codex" if event == "Stop" else "claude-code")
    with path.open("a") as stream:
        stream.write("\n" * size)
    good = house.db.read_bytes()
    house.db.write_bytes(b"not a database, but long enough to be looked at as one" * 100)
    agent = "codex" if event == "Stop" else "claude-code"
    assert house.fire(agent, event, house.input_of(agent, event)) == ""
    assert house.waiting
    house.db.write_bytes(good)
    assert [name for name, *_ in house.told()] == [agent]


@pytest.mark.parametrize("place", ["/dev/null/memory.db", "/proc/memory.db"])
@pytest.mark.parametrize(
    ("agent", "event"),
    [("claude-code", "SessionEnd"), ("codex", "Stop"), ("gemini-cli", "SessionStart")],
)
def test_where_no_file_can_be_made_a_hook_says_nothing(
    house: House, place: str, agent: str, event: str
) -> None:
    house.lay_out(agent)
    assert house.fire(agent, event, house.input_of(agent, event), MEMCTL_DB=place) == ""
