"""A record is used once by a session, however often it is served there; without a session, once by
a caller on a day. No loop makes constant use.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from bench import Bench

from memctl.core import clock, timestamps
from memctl.core.model import Memory, Query
from memctl.curate import pinning
from memctl.engine.memory_engine import MemoryEngine
from memctl.hook import run_hook
from memctl.store import context_records, logs, spool

VALVES = "The kiln has nine valves in the east wall"
QUESTION = "how many valves has the kiln in the east wall?"


@pytest.fixture
def valves(bench: Bench) -> Memory:
    bench.placed = True
    return bench.put(VALVES)


def search(bench: Bench, by: MemoryEngine, **given: Any) -> None:
    report = by.search(Query(QUESTION, bench.place, **given))
    assert report.items
    by.write_logs()


def fire(bench: Bench, session: str, event: str = "SessionStart", **given: Any) -> str:
    payload = {"session_id": session, "cwd": str(bench.home), **given}
    return run_hook("claude-code", event, json.dumps(payload).encode(), bench.path)


def test_a_loop_of_searches_and_contexts_is_one_use_of_a_day(
    bench: Bench, valves: Memory, memctl: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_DB", str(bench.path))
    monkeypatch.setenv("MEMCTL_AGENT", "codex")
    for number in range(3):
        assert VALVES in memctl("search", "valves kiln", cwd=bench.home).stdout
        assert VALVES in memctl("context", "--session", f"made-up-{number}", cwd=bench.home).stdout
    days = {row["at"][:10] for row in logs.list_recent(bench.db, limit=10)}
    assert bench.get(valves).access_count == len(days), "one a day, should midnight pass"


def test_no_loop_makes_constant_use(bench: Bench, valves: Memory) -> None:
    for _ in range(20):
        search(bench, bench.agent)
    assert bench.get(valves).access_count <= 2
    pinning.choose_loaded_records(bench.db, bench.config)
    assert context_records.list_loaded(bench.db, valves.project_id) == {}


def test_sessions_make_constant_use(bench: Bench, valves: Memory) -> None:
    for number in range(10):
        fire(bench, f"session-{number}", source="startup")
    pinning.choose_loaded_records(bench.db, bench.config)
    assert [*context_records.list_loaded(bench.db, valves.project_id)] == [valves.id]


def test_each_session_of_a_hook_is_one_use(bench: Bench, valves: Memory) -> None:
    for session in ("session-one", "session-two"):
        assert VALVES in fire(bench, session, source="startup")
        assert VALVES in fire(bench, session, source="compact")
    assert bench.get(valves).access_count == 2
    fire(bench, "session-two", source="clear")
    search(bench, bench.agent)
    assert bench.get(valves).access_count <= 3


def test_a_search_within_a_session_that_was_given_it_is_no_further_use(
    bench: Bench, valves: Memory, memctl: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_DB", str(bench.path))
    fire(bench, "session-one", source="startup")
    said = memctl("context", "--session", "session-one", "--repeat", cwd=bench.home)
    assert VALVES in said.stdout
    assert bench.get(valves).access_count == 1


def test_another_day_and_another_caller_are_further_uses(
    bench: Bench, valves: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = "2026-05-05T12:00:00.000Z"
    monkeypatch.setattr(clock, "now", lambda: first)
    search(bench, bench.agent)
    search(bench, bench.agent)
    assert bench.get(valves).access_count == 1
    search(bench, bench.operator)
    assert bench.get(valves).access_count == 2
    monkeypatch.setattr(clock, "now", lambda: timestamps.add_seconds(first, seconds=86400))
    search(bench, bench.agent)
    assert bench.get(valves).access_count == 3


def test_a_log_line_that_comes_late_moves_no_last_use_back(
    bench: Bench, valves: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, early = "2026-05-07T12:00:00.000Z", "2026-05-05T12:00:00.000Z"
    monkeypatch.setattr(clock, "now", lambda: early)
    bench.agent.search(Query(QUESTION, bench.place))
    waiting = [{"entry": e, "touched": t} for e, t in bench.agent.open_to_read().unwritten]
    bench.agent.open_to_read().unwritten.clear()
    monkeypatch.setattr(clock, "now", lambda: late)
    search(bench, bench.agent)
    for payload in waiting:
        spool.write_file(bench.config, "log", payload)
    spool.take_in_logs(bench.db, bench.config)
    known = bench.get(valves)
    assert (known.access_count, known.last_accessed_at) == (2, late)


def test_what_waits_in_the_inbox_is_not_used_by_looking_at_it(bench: Bench) -> None:
    bench.placed = True
    waiting = bench.put("Never touch the seven valves", by=bench.agent, kind="constraint")
    assert bench.get(waiting).status == "inbox"
    report = bench.operator.search(Query("seven valves touch", bench.place, include=("inbox",)))
    bench.operator.write_logs()
    assert [hit.record.memory.id for hit in report.items] == [waiting.id]
    assert bench.get(waiting).access_count == 0
