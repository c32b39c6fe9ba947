"""Sessions that ended without their hook are found when the next one starts."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hook_house import FACT, PLACES, SESSION, House, furnished

from memctl.agents.hook_contracts import HookCall
from memctl.capture import missed_sessions
from memctl.engine.memory_engine import MemoryEngine
from memctl.store.captured_sizes import was_captured

OTHER = "2d7a6b5c-1111-4222-8333-444455556666"
SWEPT = ["claude-code", "codex", "copilot-cli", "cursor", "gemini-cli"]
STARTS = {
    "claude-code": "SessionStart",
    "codex": "SessionStart",
    "gemini-cli": "SessionStart",
    "cursor": "sessionStart",
    "copilot-cli": "sessionStart",
}


@pytest.fixture
def house(db: Path, home: Path, tmp_path: Path) -> House:
    return furnished(db, home, tmp_path / "harbor")


def crashed(house: House, agent: str, session: str = OTHER) -> Path:
    """A session of that agent that ended without a hook."""
    path = house.lay_out(agent)
    place = house.home / PLACES[agent].replace(SESSION, session).replace(SESSION[:8], session[:8])
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(path.read_text().replace(SESSION, session))
    path.unlink()
    return place


def started(house: House, agent: str) -> str:
    """Start a session that has no transcript yet."""
    return house.fire(agent, STARTS[agent], house.input_of(agent, STARTS[agent]))


@pytest.mark.parametrize("agent", SWEPT)
def test_a_session_that_crashed_is_taken_in_after_the_next_start(house: House, agent: str) -> None:
    crashed(house, agent)
    assert FACT in started(house, agent)
    assert OTHER[:8] in {session[:8] for _, session, _, _ in house.told()}
    assert (house.waiting, house.log) == ([], "")


@pytest.mark.parametrize("agent", SWEPT)
def test_a_session_that_was_captured_is_not_asked_for(house: House, agent: str) -> None:
    path = crashed(house, agent)
    with MemoryEngine.open(house.db, actor="operator") as engine:
        engine.capture_session(path, agent=agent)
    if agent == "codex":
        (house.home / ".codex/sessions/2026/01/02").joinpath(
            "rollout-2026-01-02T03-04-06-1c9f8d2b-1111-4222-8333-444455556666.jsonl"
        ).unlink()
    started(house, agent)
    assert house.waiting == []


def test_a_session_that_grew_after_its_capture_is_asked_for_once_until_it_grows_again(
    house: House,
) -> None:
    path = crashed(house, "claude-code")
    with MemoryEngine.open(house.db, actor="operator") as engine:
        engine.capture_session(path, agent="claude-code")
    for _ in range(2):
        with path.open("a") as stream:
            stream.write(json.dumps({"type": "last-prompt", "sessionId": OTHER}) + "\n")
        started(house, "claude-code")
        assert len(house.waiting) == 1
        assert len(house.told()) == 1
        started(house, "claude-code")
        assert house.waiting == []


def test_the_session_that_starts_is_not_asked_for_itself(house: House) -> None:
    house.lay_out("claude-code")
    started(house, "claude-code")
    assert house.waiting == []


def test_what_was_left_long_ago_or_by_another_program_is_passed_over(house: House) -> None:
    old = crashed(house, "claude-code")
    os.utime(old, (time.time() - 30 * 86400,) * 2)
    for name in ("notes.jsonl", f"{OTHER}.json", f"x{OTHER}.jsonl"):
        (old.parent / name).write_text("{}\n")
    (old.parent / f"{OTHER[:-1]}9.jsonl").symlink_to(old)
    (old.parent / f"{OTHER[:-1]}8.jsonl").mkdir()
    (old.parent / f"{OTHER[:-1]}7.jsonl").touch()
    started(house, "claude-code")
    assert house.waiting == []


def test_a_session_that_was_opened_and_left_is_no_trouble(house: House) -> None:
    path = crashed(house, "codex")
    path.write_text(path.read_text().splitlines()[0] + "\n")
    path.with_name(
        path.name.replace(OTHER, "1c9f8d2b-1111-4222-8333-444455556666").replace("05-", "06-")
    ).unlink()
    started(house, "codex")
    for file in house.waiting:
        file.write_text(
            json.dumps({**json.loads(file.read_text()), "at": "2026-01-03T00:00:00.000Z"})
        )
    assert (house.told(), house.waiting) == ([], [])


def test_few_are_asked_for_at_a_time_and_all_in_the_end(house: House) -> None:
    first = crashed(house, "claude-code")
    for number in range(2 * missed_sessions.MAX_REQUESTED):
        session = f"{number:08x}{OTHER[8:]}"
        (first.parent / f"{session}.jsonl").write_text(first.read_text().replace(OTHER, session))
    counts = []
    for _ in range(4):
        started(house, "claude-code")
        counts.append(len(house.waiting))
    assert counts == [8, 16, 17, 17]
    assert len(house.told()) == 17


def test_a_folder_of_thousands_is_looked_through_in_a_moment(house: House) -> None:
    folder = (house.home / PLACES["claude-code"]).parent
    folder.mkdir(parents=True)
    for number in range(3000):
        (folder / f"{number:08x}{OTHER[8:]}.jsonl").write_text("{}\n")
    call = HookCall(
        "claude-code",
        "SessionStart",
        "start",
        SESSION,
        str(folder / f"{SESSION}.jsonl"),
        str(house.cwd),
    )
    with MemoryEngine.open(house.db, actor="operator") as engine:
        db = engine.open_to_read()
        for file in missed_sessions._list_transcripts(call, {}):
            assert file.size
            break
        requested = missed_sessions.request_missed_sessions(db, engine.config, call, {})
        assert requested == missed_sessions.MAX_REQUESTED
        assert len(list(missed_sessions._list_transcripts(call, {}))) == missed_sessions.MAX_LISTED


def test_a_damaged_memory_of_the_sweep_is_survived(house: House) -> None:
    crashed(house, "claude-code")
    for content in (b"", b"[", b"[1]", b"\xff", b"[" * 100_000):
        (house.db.parent / "memory.db.spool").mkdir(exist_ok=True)
        (house.db.parent / "memory.db.spool" / "swept").write_bytes(content)
        assert FACT in started(house, "claude-code")
    assert (len(house.waiting), house.log) == (1, "")
    assert (house.db.parent / "memory.db.spool" / "swept").stat().st_mode & 0o777 == 0o600


def test_a_size_is_of_one_session_or_of_those_whose_id_begins_so(house: House) -> None:
    path = crashed(house, "claude-code")
    with MemoryEngine.open(house.db, actor="operator") as engine:
        engine.capture_session(path, agent="claude-code")
        db, size = engine.open_to_read(), path.stat().st_size
        told = [(OTHER, size), (OTHER[:8], size), (OTHER, size + 1), (SESSION, size)]
        assert [was_captured(db, "claude-code", session, size) for session, size in told] == [
            True,
            True,
            False,
            False,
        ]
        assert not was_captured(db, "codex", OTHER, size)
