"""Capture keeps what was said, once, whatever happens to the file, the store or the text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import SESSION, Bench, jsonl

from memctl.capture import deferred_captures, session
from memctl.capture.request import CaptureRequest
from memctl.core.errors import NothingInIt, StoreLocked, UnknownFormat, UsageError
from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, Turn
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader
from memctl.records import projects
from memctl.results.captures import CaptureReport
from memctl.store import database, queue, sources, spool
from memctl.store.migrate import open_store

HELLO = ("user", "The kiln is oil fired, please note that")
REPLY = ("assistant", "Noted")
MORE = ("user", "And the shelves are made of cordierite")


def texts(bench: Bench, report: CaptureReport) -> list[str]:
    return [turn.text for turn in sources.read_turns(bench.db, report.items[0].source_id)]


def states(bench: Bench) -> dict[str, int]:
    return queue.count_by_state(bench.db)


def test_a_session_becomes_a_source_and_a_queued_event_and_nothing_is_extracted(
    bench: Bench,
) -> None:
    report = bench.capture(HELLO, REPLY)
    assert (
        report.state,
        report.items[0].outcome,
        report.items[0].turns,
        report.items[0].human_turns,
    ) == ("captured", "captured", 2, 1)
    assert texts(bench, report) == [HELLO[1], REPLY[1]]
    assert states(bench) == {"queued": 1}
    assert bench.all() == []


def test_the_same_bytes_add_nothing(bench: Bench) -> None:
    bench.capture(HELLO)
    again = bench.capture(HELLO, trigger="hook:Stop")
    assert (again.state, again.items[0].outcome) == ("unchanged", "unchanged")
    assert states(bench) == {"queued": 1}


def test_the_same_conversation_in_other_bytes_adds_nothing(bench: Bench) -> None:
    bench.capture(HELLO)
    again = bench.agent.capture_session(Input(data=jsonl(HELLO, cwd=str(bench.home)) + b"\n\n"))
    assert again.state == "unchanged"


def test_a_session_that_grew_adds_only_what_is_new(bench: Bench) -> None:
    first = bench.capture(HELLO)
    second = bench.capture(HELLO, REPLY, MORE)
    assert (second.items[0].outcome, second.items[0].new_turns, second.items[0].source_id) == (
        "grown",
        2,
        first.items[0].source_id,
    )
    assert texts(bench, second) == [HELLO[1], REPLY[1], MORE[1]]
    assert [
        len(sources.unpack_turns(row["turns"]))
        for row in bench.db.all("sources.parts", source_id=first.items[0].source_id)
    ] == [1, 2]


def test_growing_before_extraction_waits_with_the_capture_that_waits_already(bench: Bench) -> None:
    bench.capture(HELLO)
    bench.capture(HELLO, REPLY)
    assert states(bench) == {"done": 1, "queued": 1}
    bench.maintain()
    bench.capture(HELLO, REPLY, MORE)
    assert states(bench) == {"done": 2, "queued": 1}


def test_with_a_debounce_a_growing_session_is_read_once_it_is_quiet(bench: Bench) -> None:
    bench.settings(capture__debounce_seconds=3600)
    source = bench.capture(HELLO).items[0].source_id
    before = queue.find_waiting(bench.db, source)
    bench.settings(capture__debounce_seconds=7200)
    bench.capture(HELLO, REPLY)
    after = queue.find_waiting(bench.db, source)
    assert before and after and before.id == after.id and after.not_before > before.not_before
    assert bench.maintain().jobs_done == 0


def test_an_older_snapshot_adds_nothing(bench: Bench) -> None:
    bench.capture(HELLO, REPLY, MORE)
    assert bench.capture(HELLO, REPLY).items[0].outcome == "unchanged"
    assert len(texts(bench, bench.capture(HELLO, REPLY, MORE))) == 3


def test_a_rewritten_session_becomes_a_new_source_that_points_back(bench: Bench) -> None:
    first = bench.capture(HELLO, REPLY).items[0]
    second = bench.capture(MORE, REPLY).items[0]
    assert second.outcome == "rewritten"
    assert sources.get_source(bench.db, second.source_id).previous_id == first.source_id
    assert len(sources.read_turns(bench.db, first.source_id)) == 2


def test_two_files_that_tell_one_session_differently_each_grow_by_what_is_new(bench: Bench) -> None:
    bench.capture(HELLO)
    bench.capture(MORE)
    assert bench.capture(HELLO, REPLY).items[0].outcome == "grown"
    assert bench.capture(MORE, REPLY).items[0].outcome == "grown"
    assert bench.capture(HELLO).items[0].outcome == "unchanged"
    assert len(sources.list_of_session(bench.db, "claude-code", SESSION)) == 2


def test_an_agent_named_by_the_hook_owns_the_session(bench: Bench) -> None:
    assert bench.capture(HELLO, agent="iflow").items[0].agent == "iflow"
    assert bench.capture(HELLO, REPLY, agent="iflow").items[0].outcome == "grown"


def test_a_session_lands_in_the_project_of_its_folder(bench: Bench) -> None:
    assert bench.capture(HELLO).items[0].project == "kiln"


@pytest.mark.parametrize(
    "cwd",
    ["C:\\Users\\ada\\kiln", "kiln", "..", "a\0b", "/a\0b", "/\ud800kiln", "~", "/" + "x" * 5000],
    ids=range(8),
)
def test_a_folder_of_another_machine_is_no_trouble_and_not_looked_for_below_our_own(
    bench: Bench, cwd: str
) -> None:
    (Path.cwd() / ".git").mkdir()
    (Path.cwd() / ".git" / "HEAD").write_text("ref: refs/heads/main")
    report = bench.agent.capture_session(Input(data=jsonl(HELLO, cwd=cwd)))
    assert report.state == "captured"
    assert report.items[0].project != Path.cwd().name


def test_secrets_are_out_before_anything_is_written(bench: Bench) -> None:
    secret = "ghp_" + "aZ3kQ9mW1xR7tY5bN8vC2dF6gH4jL0pS1eU3"
    report = bench.agent.capture_session(
        Input(
            data=jsonl(
                ("user", f"the token is {secret}"), cwd=f"/srv/{secret}", session=f"s-{secret}"
            )
        )
    )
    source = sources.get_source(bench.db, report.items[0].source_id)
    assert "[REDACTED:" in texts(bench, report)[0]
    assert secret not in json.dumps([source.cwd, source.session_id, texts(bench, report)])


def test_lone_surrogates_and_nul_are_stored_as_text(bench: Bench) -> None:
    raw = jsonl(
        ("user", "fact the \0 glaze is \ud800 celadon"), session="s\ud800\0", cwd=str(bench.home)
    )
    report = bench.agent.capture_session(Input(data=raw))
    assert report.state == "captured"
    bench.maintain()
    assert "celadon" in bench.one("inbox").content
    assert bench.agent.capture_session(Input(data=raw)).state == "unchanged"
    bench.check()


def test_a_file_name_that_is_no_text_is_captured_all_the_same(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "kiln-\udcff.jsonl"
    path.write_bytes(jsonl(HELLO))
    assert bench.agent.capture_session(path).state == "captured"


def test_a_very_long_session_is_kept_whole(bench: Bench) -> None:
    long = "clay " * 400_000
    report = bench.capture(("user", long), *[("assistant", f"step {n}") for n in range(2000)])
    assert report.items[0].turns == 2001
    assert sources.read_turns(bench.db, report.items[0].source_id)[0].text.strip() == long.strip()


def test_a_title_alone_is_no_conversation(bench: Bench) -> None:
    titled = Turn(0, "system", "title", "Kilns")
    source = Input(data=jsonl(HELLO))
    request = CaptureRequest(source, "test", "agent:x")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(NothingInIt):
        reader = detect_reader(source, None)
        one = next(iter(reader.read(Input(data=jsonl(HELLO)))))
        patch.setattr(
            type(reader), "read", lambda _self, _source: iter([replace(one, turns=(titled,))])
        )
        session.capture(lambda: bench.db, bench.config, request)


# -- what cannot be read --


def test_piped_text_in_no_known_format_is_refused_loudly_and_kept(bench: Bench) -> None:
    with pytest.raises(UnknownFormat):
        bench.agent.capture_session(Input(data=b"\x00\x01 neither fish nor fowl \xff"))
    assert states(bench) == {"failed": 1}
    [source] = bench.db.all("sources.everything")
    assert source["turn_count"] == 0 and sources.read_original(bench.db, source["id"]) is not None


def test_what_is_said_about_unreadable_text_holds_no_secret_of_it_nor_half_a_one(
    bench: Bench,
) -> None:
    token = "ghp_" + "q8Zr3Lw5Tn1Vb7Kd9Xs2Mf4Hj6Gp0Yc8Ea"
    for before in ("no format, but a token that is cut", "the token"):
        with pytest.raises(UnknownFormat):
            bench.agent.capture_session(Input(data=f"{before} {token} stands here".encode()))
    assert not any(
        token[:8].encode() in file.read_bytes()
        for file in bench.path.parent.iterdir()
        if file.is_file()
    )


def test_a_file_in_no_known_format_is_refused_and_left_where_it_is(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "odd.bin"
    path.write_bytes(b"\x00\x01 neither fish nor fowl \xff")
    with pytest.raises(UnknownFormat):
        bench.agent.capture_session(path)
    assert states(bench) == {}


def test_a_recognised_file_without_a_turn_is_loud_and_tried_again(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        b'{"type":"file-history-snapshot","messageId":"x","snapshot":{},"isSnapshotUpdate":false}\n'
    )
    for _ in range(2):
        with pytest.raises(NothingInIt):
            bench.agent.capture_session(path, agent="claude-code", session_id=SESSION)
    assert states(bench) == {"failed": 1}
    path.write_bytes(jsonl(("user", "fact the kiln is oil fired"), cwd=str(bench.home)))
    bench.maintain(retry=True)
    bench.maintain()
    assert bench.one("inbox").content == "the kiln is oil fired"


def test_an_unread_session_does_not_become_the_head_of_the_one_that_is_read_later(
    bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        b'{"type":"file-history-snapshot","messageId":"x","snapshot":{},"isSnapshotUpdate":false}\n'
    )
    with pytest.raises(NothingInIt):
        bench.agent.capture_session(path, agent="claude-code", session_id=SESSION)
    path.write_bytes(jsonl(HELLO, cwd=str(bench.home)))
    read = bench.agent.capture_session(path, agent="claude-code", session_id=SESSION).items[0]
    assert (read.outcome, sources.get_source(bench.db, read.source_id).format) == (
        "captured",
        "claude-code",
    )
    assert bench.capture(HELLO, REPLY).items[0].outcome == "grown"


@pytest.mark.parametrize("data", [b"", b" \n\t"])
def test_nothing_at_all_is_said_to_be_nothing(bench: Bench, data: bytes) -> None:
    with pytest.raises(NothingInIt):
        bench.agent.capture_session(Input(data=data))


def test_a_folder_and_a_missing_file_are_usage_errors(bench: Bench, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(UsageError):
            bench.agent.capture_session(path)


# -- while the store is busy --


def test_a_locked_store_sends_the_capture_to_the_spool_and_maintain_takes_it_in(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> database.Database:
        raise StoreLocked("busy")

    with monkeypatch.context() as patch:
        patch.setattr(bench.agent, "open_or_create", locked)
        report = bench.capture(HELLO, REPLY)
    assert report.state == "spooled" and report.spool_file
    assert Path(report.spool_file).stat().st_mode & 0o777 == 0o600
    assert bench.maintain().spool_taken == 1
    assert spool.list_files(bench.config) == []
    assert bench.capture(HELLO, REPLY).state == "unchanged"
    assert bench.one(type_="episode").project_id is not None


def test_a_writer_that_never_ends_sends_the_capture_to_the_spool(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(("user", "before"), session="other")
    other = open_store(bench.path, create=False)
    held = database.Database.write
    monkeypatch.setattr(database.Database, "write", lambda self, wait=0.05: held(self, 0.05))
    with other.write():
        assert bench.capture(HELLO).state == "spooled"
    other.close()
    assert bench.maintain().spool_taken == 1


def test_a_damaged_store_still_loses_nothing(bench: Bench) -> None:
    bench.operator.close()
    bench.path.write_bytes(b"this is no database at all" * 500)
    assert bench.capture(HELLO).state == "spooled"
    bench.agent.close()
    bench.path.unlink()
    open_store(bench.path, create=True).close()
    assert bench.maintain().spool_taken == 1


def test_piped_text_that_cannot_be_read_while_the_store_is_busy_is_kept_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> database.Database:
        raise StoreLocked("busy")

    odd = b"\x00\x01 neither fish nor fowl \xff"
    with monkeypatch.context() as patch:
        patch.setattr(bench.agent, "open_or_create", locked)
        with pytest.raises(UnknownFormat):
            bench.agent.capture_session(Input(data=odd))
    held = database.Database.write
    bench.maintain()
    with monkeypatch.context() as patch, open_store(bench.path, create=False).write():
        patch.setattr(database.Database, "write", lambda self, wait=0.05: held(self, 0.05))
        with pytest.raises(UnknownFormat):
            bench.agent.capture_session(Input(data=b"another " + odd))
    bench.maintain()
    assert states(bench) == {"failed": 2}
    assert spool.list_files(bench.config) == spool.list_damaged(bench.config) == []


def test_a_capture_for_a_named_project_that_is_gone_is_taken_in_and_asked_about(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        bench.agent, "open_or_create", lambda: (_ for _ in ()).throw(StoreLocked("busy"))
    )
    assert bench.capture(HELLO, project="no-such-project").state == "spooled"
    report = bench.operator.maintain()
    assert report.spool_taken == 1 and "no-such-project" in report.problems[0]
    assert spool.list_damaged(bench.config) == []


def test_a_request_is_read_by_the_next_maintenance(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(jsonl(("user", "fact the kiln is oil fired"), cwd=str(bench.home)))
    for _ in range(2):
        assert (
            bench.agent.captures.request(
                path, agent="claude-code", session_id=SESSION, trigger="hook:SessionEnd"
            ).state
            == "requested"
        )
    assert len(spool.list_files(bench.config, "request")) == 1
    assert bench.maintain().proposed == 1


def test_a_request_for_a_file_that_does_not_come_waits_a_day_and_does_not_stop_the_rest(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.agent.captures.request(
        tmp_path / "gone.jsonl", agent=None, session_id=None, trigger="hook"
    )
    path = tmp_path / "session.jsonl"
    path.write_bytes(jsonl(HELLO))
    bench.agent.captures.request(path, agent=None, session_id=None, trigger="hook")
    report = bench.operator.maintain()
    assert (report.spool_taken, report.problems) == (1, ())
    monkeypatch.setattr(deferred_captures, "WAIT_SECONDS", -1.0)
    assert "gone.jsonl" in bench.operator.maintain().problems[0]
    assert bench.maintain().problems == ()


def test_capture_registers_no_project_for_the_home_folder(bench: Bench, home: Path) -> None:
    report = bench.agent.capture_session(Input(data=jsonl(HELLO, cwd=str(home))))
    assert report.items[0].project is None
    assert projects.report_projects(bench.db, None).items == ()


def test_a_document_may_be_anybodys_and_so_ranks_below_the_operators_words(bench: Bench) -> None:
    notes = (
        b"# Kiln notes\n\n- We always fire with oil because gas is dear.\n"
        b"- Never open the door above 200 degrees.\n"
    )
    bench.operator.capture_conversation(Input(data=notes))
    with bench.db.snapshot():
        source = bench.db.one("sources.everything")
    assert source is not None
    assert (source["kind"], source["trust"]) == ("document", AGENT_CLAIMED)
