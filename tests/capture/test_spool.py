"""The spool: complete private files, none of which can stop maintenance, each removed only after
the store has it.
"""

from __future__ import annotations

import base64
import errno
import json
from pathlib import Path
from typing import Any

import pytest
from bench import SESSION, Bench, jsonl
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.capture import deferred_captures, spool_intake
from memctl.capture import session as capture
from memctl.capture.request import CaptureRequest
from memctl.core import clock
from memctl.core.errors import StoreLocked
from memctl.core.model import Actor, NewMemory, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.readers.base import Input
from memctl.results.captures import CaptureReport
from memctl.store import logs, sources, spool

LOG = {
    "id": clock.new_id(),
    "command": "search",
    "query": "kiln",
    "filters": {},
    "candidates": [],
    "returned": [],
    "actor": "agent:x",
    "flags": [],
    "duration_ms": 1.5,
    "at": clock.now(),
}


def spooled(bench: Bench) -> Path:
    """A capture of a new session that waits in the spool."""

    def locked() -> Any:
        raise StoreLocked("busy")

    session = jsonl(
        ("user", "fact the kiln is oil fired"), session=clock.new_id(), cwd=str(bench.home)
    )
    request = CaptureRequest(Input(data=session), "test", "agent:x")
    report = capture.capture(locked, bench.config, request)
    assert report.spool_file
    return Path(report.spool_file)


def test_a_spool_file_is_complete_private_and_leaves_nothing_partial(bench: Bench) -> None:
    file = spool.write_file(bench.config, "log", {"entry": LOG, "touched": []})
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert [other.name for other in file.parent.iterdir()] == [file.name]
    assert spool.read_file(file) == {"entry": LOG, "touched": []}


def test_a_full_disk_leaves_nothing_partial_and_fails_no_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spool.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        spool.write_file(bench.config, "log", {})
    spool.note_retrieval(bench.db, LOG, [])
    with bench.agent.open_to_write().write():
        spool.flush_logs(bench.db, bench.config)
    assert list(bench.config.spool.iterdir()) == []


def test_files_are_listed_oldest_first_by_kind_and_partial_ones_not_at_all(bench: Bench) -> None:
    first = spool.write_file(bench.config, "log", {})
    (bench.config.spool / "0.capture.partial").write_text("{")
    second = spool.write_file(bench.config, "request", {})
    assert spool.list_files(bench.config) == sorted([first, second])
    assert spool.list_files(bench.config, "request") == [second]


def test_an_absent_spool_is_empty(bench: Bench) -> None:
    assert (spool.list_files(bench.config), spool.list_damaged(bench.config)) == ([], [])


@pytest.mark.parametrize("kind", ["capture", "request", "log"])
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, b"{}", b'{"entry": 1, "touched": 2}'],
)
def test_a_damaged_file_is_set_aside_and_stops_nothing(
    bench: Bench, kind: str, content: bytes
) -> None:
    good = spooled(bench)
    bad = spool.write_file(bench.config, kind, {})
    bad.write_bytes(content)
    report = bench.operator.maintain()
    assert report.proposed == 1
    assert not good.exists() and not bad.exists()
    assert spool.list_damaged(bench.config) == [bad.with_suffix(".bad")]
    assert bench.maintain().problems == ()


ODD = [None, 7, -1, 1.5, True, "", "\ud800", "x", [], ["x"], {}, {"x": 1}, 2**70]


@pytest.mark.parametrize(
    "name",
    ["trigger", "actor", "cwd", "project", "size_bytes", "content_hash", "path", "transcripts"],
)
def test_a_capture_with_an_odd_field_never_stops_maintenance(bench: Bench, name: str) -> None:
    for odd in ODD:
        file = spooled(bench)
        payload = json.loads(file.read_bytes())
        file.write_text(json.dumps({**payload, name: odd}))
        _maintained_twice(bench)


@pytest.mark.parametrize("name", ["path", "agent", "session_id", "trigger", "cwd", "said", "at"])
def test_a_request_with_an_odd_field_never_stops_maintenance(
    bench: Bench, name: str, tmp_path: Path
) -> None:
    payload = {
        "path": str(_transcript(bench, tmp_path)),
        "agent": "claude-code",
        "session_id": SESSION,
        "trigger": "hook",
        "cwd": None,
    }
    payload |= {"said": [], "at": "2026-03-04T05:06:07.000Z"}
    for odd in [*ODD, [["human"]], [["nobody", "x"]], [["human", 7]], [["assistant", "\ud800"]]]:
        spool.write_file(bench.config, "request", {**payload, name: odd})
        _maintained_twice(bench)


def test_a_request_of_an_older_memctl_is_read(bench: Bench, tmp_path: Path) -> None:
    path = str(_transcript(bench, tmp_path))
    spool.write_file(
        bench.config,
        "request",
        {"path": path, "agent": "claude-code", "session_id": SESSION, "trigger": "hook:SessionEnd"},
    )
    assert bench.maintain().proposed == 1
    assert spool.list_files(bench.config) == []


def _transcript(bench: Bench, folder: Path) -> Path:
    path = folder / "session.jsonl"
    path.write_bytes(jsonl(("user", "fact the kiln is oil fired"), cwd=str(bench.home)))
    return path


def asked(bench: Bench, path: Path | None, *said: tuple[str, str], session: str = SESSION) -> Path:
    """A request for a transcript."""
    report = bench.agent.captures.request(
        path, agent="claude-code", session_id=session, trigger="hook:Stop", said=said
    )
    assert report.spool_file
    return Path(report.spool_file)


def test_one_request_for_a_session_is_enough_and_gathers_what_was_said(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "later.jsonl"
    first = asked(bench, path)
    assert asked(bench, path) == first
    second = asked(bench, path, ("assistant", "The kiln is hot."))
    assert asked(bench, path, ("assistant", "The kiln is hot.")) == asked(bench, path) == second
    third = asked(bench, path, ("assistant", "It is cold again."))
    assert spool.list_files(bench.config) == [third]
    assert [text for _, text in json.loads(third.read_text())["said"]] == [
        "The kiln is hot.",
        "It is cold again.",
    ]
    assert len({third, asked(bench, None), asked(bench, path, session="another-session")}) == 3


def test_a_request_that_was_met_is_withdrawn_but_not_what_else_it_asks_for(
    bench: Bench, tmp_path: Path
) -> None:
    spool.withdraw_request(asked(bench, tmp_path / "a.jsonl"))
    assert spool.list_files(bench.config) == []
    waiting = asked(bench, tmp_path / "a.jsonl", ("assistant", "The kiln is hot."))
    spool.withdraw_request(waiting)
    spool.withdraw_request(tmp_path / "gone.json")
    assert spool.list_files(bench.config) == [waiting]


def test_a_request_is_met_by_the_transcript_however_its_secrets_and_blanks_are_written(
    bench: Bench, tmp_path: Path
) -> None:
    path, token = tmp_path / "session.jsonl", "ghp_" + "q8Zr3Lw5Tn1Vb7Kd9Xs2Mf4Hj6Gp0Yc8Ea"
    waiting = asked(
        bench,
        path,
        ("assistant", f"The token\n is {token}."),
        ("human", "<private>my birthday</private>Go on."),
    )
    assert token not in waiting.read_text() and "birthday" not in waiting.read_text()
    path.write_bytes(
        jsonl(
            ("user", "<private>my birthday</private>Go  on."),
            ("assistant", f"So:  The token is {token}. Done."),
            cwd=str(bench.home),
        )
    )
    bench.maintain()
    assert spool.list_files(bench.config) == []
    assert bench.operator.upkeep.status().sources == 1


def test_a_busy_store_leaves_requests_where_they_are(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = asked(bench, _transcript(bench, tmp_path))
    with monkeypatch.context() as busy:
        busy.setattr(deferred_captures, "capture", lambda *_: CaptureReport("spooled"))
        spool_intake.take_in_spooled(bench.db, bench.config, with_requests=True)
    assert spool.list_files(bench.config) == [waiting]
    assert bench.maintain().proposed == 1


@pytest.mark.parametrize(
    "name",
    [
        "format",
        "agent",
        "session_id",
        "turns",
        "cwd",
        "title",
        "started_at",
        "unknown",
        "is_chat",
        "strange",
    ],
)
def test_a_transcript_with_an_odd_field_never_stops_maintenance(bench: Bench, name: str) -> None:
    for odd in ODD:
        file = spooled(bench)
        payload = json.loads(file.read_bytes())
        payload["transcripts"][0][name] = odd
        file.write_text(json.dumps(payload))
        _maintained_twice(bench)


@pytest.mark.parametrize("name", sorted(logs.COLUMNS))
def test_a_log_line_with_an_odd_field_never_stops_maintenance(bench: Bench, name: str) -> None:
    for odd in ODD:
        spool.write_file(
            bench.config,
            "log",
            {"entry": {**LOG, "id": clock.new_id(), name: odd}, "touched": [odd]},
        )
        _maintained_twice(bench)


def test_damaged_turns_are_set_aside(bench: Bench) -> None:
    file = spooled(bench)
    payload = json.loads(file.read_bytes())
    whole = base64.b64decode(payload["transcripts"][0]["turns"])
    for broken in (whole[:-5], b"x" + whole, b"", sources.pack_turns(())):
        file.write_text(
            json.dumps(
                {
                    **payload,
                    "transcripts": [
                        {**payload["transcripts"][0], "turns": base64.b64encode(broken).decode()}
                    ],
                }
            )
        )
        assert "damaged" in bench.operator.maintain().problems[0]


def test_what_another_process_took_in_meanwhile_is_no_problem(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = spooled(bench)
    monkeypatch.setattr(
        spool, "list_files", lambda _config, kind=None: [file] if kind in (None, "capture") else []
    )
    file.unlink()
    assert spool_intake.take_in_spooled(bench.db, bench.config, with_requests=True) == 0


def test_a_process_that_died_after_its_commit_makes_nothing_twice(bench: Bench) -> None:
    file = spooled(bench)
    kept = file.read_bytes()
    bench.maintain()
    file.write_bytes(kept)
    spool.write_file(bench.config, "log", {"entry": LOG, "touched": []})
    spool.write_file(bench.config, "log", {"entry": LOG, "touched": []})
    bench.maintain()
    assert bench.operator.upkeep.status().sources == 1
    assert len(logs.list_recent(bench.db, limit=9)) == 1
    assert spool.list_files(bench.config) == []


def test_a_busy_store_leaves_log_lines_in_the_spool(bench: Bench) -> None:
    memory = bench.put("the kiln is oil fired")
    spool.note_retrieval(bench.db, LOG, [memory.id])
    other = bench.agent.open_to_write()
    with other.write():
        spool.flush_logs(bench.db, bench.config)
    assert len(spool.list_files(bench.config, "log")) == 1
    bench.maintain()
    assert (bench.get(memory).access_count, len(logs.list_recent(bench.db, limit=9))) == (1, 1)


@settings(max_examples=40)
@given(junk=st.binary(max_size=200))
def test_any_bytes_in_the_spool_are_survived(bench: Bench, junk: bytes) -> None:
    for kind in ("capture", "request", "log"):
        spool.write_file(bench.config, kind, {}).write_bytes(junk)
    bench.operator.maintain()
    assert spool.list_files(bench.config) == []


def _maintained_twice(bench: Bench) -> None:
    """Whatever the file holds, it is taken in or set aside, and nothing of it is left to stumble
    over.
    """
    bench.operator.maintain()
    assert spool.list_files(bench.config) == []
    report = bench.operator.maintain()
    assert (report.problems, report.jobs_failed) == ((), 0)


def test_the_next_command_that_writes_takes_a_spooled_capture_in(bench: Bench) -> None:
    spooled(bench)
    with MemoryEngine(bench.config, Actor("operator")) as engine:
        engine.ingest([NewMemory("project", "The kiln is blue")])
        assert engine.upkeep.status().sources == 1
    assert spool.list_files(bench.config) == []


def test_a_hook_does_not_stop_to_empty_the_spool(bench: Bench) -> None:
    spooled(bench)
    with MemoryEngine(bench.config, Actor("agent:x"), patience=0.1) as engine:
        engine.ingest([NewMemory("project", "The kiln is blue")])
    assert len(spool.list_files(bench.config)) == 1


def test_nothing_that_waits_holds_a_secret_but_the_path_to_read(
    bench: Bench, tmp_path: Path
) -> None:
    token = "ghp_" + "q8Zr3Lw5Tn1Vb7Kd9Xs2Mf4Hj6Gp0Yc8Ea"
    # Opened now: a store that is opened to write takes in what waits.
    other, db = bench.agent.open_to_write(), bench.db

    def locked() -> Any:
        raise StoreLocked("busy")

    request = CaptureRequest(
        Input(data=jsonl(("user", "hello there"))), "test", "agent:x", cwd=tmp_path / token
    )
    capture.capture(locked, bench.config, request)
    spool.request_capture(
        bench.config, tmp_path / "a.jsonl", agent="x", session_id=token, trigger="test"
    )
    spool.note_retrieval(
        db,
        {
            **LOG,
            "filters": {"place": {"session_id": token}},
            "actor": f"agent:{token}",
            "query": token,
        },
        [],
    )
    with other.write():
        spool.flush_logs(bench.db, bench.config)
    waiting = spool.list_files(bench.config)
    assert len(waiting) == 3
    assert not [file.name for file in waiting if token in file.read_text()]


def test_two_stores_in_one_process_keep_their_logs_apart_and_closing_writes_them(
    tmp_path: Path,
) -> None:
    def opened(name: str) -> MemoryEngine:
        return MemoryEngine.open(tmp_path / name, actor="operator")

    for name in ("a.db", "b.db"):
        with opened(name) as engine:
            engine.ingest([NewMemory("project", f"The kiln of {name} is blue")])
    with opened("a.db") as one, opened("b.db") as other:
        assert one.search(Query("blue kiln")).items
        other.write_logs()
    with opened("a.db") as one, opened("b.db") as other:
        assert (
            len(one.history.log("retrievals").retrievals),
            len(other.history.log("retrievals").retrievals),
        ) == (
            1,
            0,
        )
