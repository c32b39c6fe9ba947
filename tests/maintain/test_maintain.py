"""Maintenance does what waits, in steps that may be repeated, and nothing that fails is lost or
stops the rest.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import SESSION, Bench, told

from memctl.core import clock, timestamps
from memctl.core.errors import NothingInIt, UnknownFormat
from memctl.core.frozen import replace
from memctl.core.model import Actor, Candidate, NewMemory, Transcript, Turn
from memctl.engine.memory_engine import MemoryEngine
from memctl.maintain import ingestion_jobs, tidy_step
from memctl.readers.base import Input
from memctl.results.maintenance import MaintainReport
from memctl.store import chunks, logs, meta, queue, records, spool

FACT = ("user", "fact the kiln is oil fired")


def later(monkeypatch: pytest.MonkeyPatch, *, days: float) -> None:
    """Let time pass."""
    then = timestamps.add_seconds(clock.now(), seconds=days * 86400)
    monkeypatch.setattr(clock, "now", lambda: then)


def fail(_transcript: Transcript) -> list[Candidate]:
    raise ZeroDivisionError("the extractor broke")


def tell_and_fail(transcript: Transcript) -> list[Candidate]:
    """What was told, then what no store takes."""
    found = told(transcript)
    return [*found, replace(found[0], type="nonsense", content="other")]  # type: ignore[arg-type]


def standing(bench: Bench) -> list[tuple[str, int]]:
    return [(job.state, job.attempts) for job in queue.list_recent(bench.db, limit=99)]


def test_what_was_captured_is_extracted_once(bench: Bench) -> None:
    bench.capture(FACT)
    report = bench.maintain()
    assert (report.jobs_done, report.proposed, report.inbox, report.jobs_waiting) == (1, 1, 1, 0)
    again = bench.maintain()
    assert (again.jobs_done, again.proposed, again.inbox) == (0, 0, 1)
    job = queue.list_recent(bench.db, limit=1)[0]
    assert (job.state, job.processor, job.outcome["proposed"], job.outcome["turns"]) == (
        "done",
        "extract",
        1,
        1,
    )
    assert meta.get_note(bench.db, "last_maintained") is not None


def test_a_dry_run_counts_what_waits_and_does_nothing(bench: Bench) -> None:
    bench.capture(FACT)
    bench.put("The kiln leaks", valid_until="2020-01-01")
    report = bench.operator.maintain(dry_run=True)
    assert (report.dry_run, report.jobs_waiting, report.expired, report.proposed) == (True, 1, 1, 0)
    assert standing(bench) == [("queued", 0)]
    assert meta.get_note(bench.db, "last_maintained") is None


def test_a_job_that_fails_is_tried_again_after_growing_pauses_and_in_the_end_is_dead_but_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(FACT)
    monkeypatch.setattr(ingestion_jobs, "extract", fail)
    start, seen = clock.now(), []
    for minutes in (0, 1.1, 5.5, 22, 90, 400, 2000):
        monkeypatch.setattr(
            clock, "now", lambda at=timestamps.add_seconds(start, seconds=minutes * 60): at
        )
        report = bench.operator.maintain()
        seen.append((*standing(bench)[0], report.jobs_failed))
    assert seen == [
        ("failed", 1, 1),
        ("failed", 2, 1),
        ("failed", 3, 1),
        ("failed", 4, 1),
        ("dead", 5, 1),
        ("dead", 5, 0),
        ("dead", 5, 0),
    ]
    assert "ZeroDivisionError" in (queue.list_recent(bench.db, limit=1)[0].error or "")


def test_a_failed_job_is_not_due_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.capture(FACT)
    monkeypatch.setattr(ingestion_jobs, "extract", fail)
    assert bench.operator.maintain().jobs_failed == 1
    report = bench.operator.maintain()
    assert (report.jobs_failed, report.jobs_waiting) == (0, 1)


def test_retry_wakes_the_dead(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.settings(queue__max_attempts=1)
    bench.capture(FACT)
    with monkeypatch.context() as patch:
        patch.setattr(ingestion_jobs, "extract", fail)
        assert "is dead" in bench.operator.maintain().problems[0]
    assert bench.maintain().proposed == 0
    assert bench.maintain(retry=True).proposed == 1


def test_one_job_that_fails_does_not_stop_the_others(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(("user", "break"), session="broken")
    bench.capture(FACT)

    def extract(transcript: Transcript) -> list[Candidate]:
        return fail(transcript) if transcript.session_id == "broken" else told(transcript)

    monkeypatch.setattr(ingestion_jobs, "extract", extract)
    report = bench.operator.maintain()
    assert (report.jobs_done, report.jobs_failed, report.proposed) == (1, 1, 1)


def test_a_job_that_fails_half_way_stores_nothing_of_the_transaction_it_failed_in(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 999)
    bench.capture(FACT)

    monkeypatch.setattr(ingestion_jobs, "extract", tell_and_fail)
    assert bench.operator.maintain().jobs_failed == 1
    assert bench.all() == []


def test_a_job_that_failed_between_two_transactions_is_tried_again_and_stores_nothing_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0)
    bench.capture(FACT)

    monkeypatch.setattr(ingestion_jobs, "extract", tell_and_fail)
    assert bench.operator.maintain().jobs_failed == 1
    (stored,) = bench.all()
    monkeypatch.setattr(ingestion_jobs, "extract", told)
    later(monkeypatch, days=1)
    assert bench.operator.maintain().jobs_done == 1
    assert [memory.id for memory in bench.all()] == [stored.id]


def test_a_job_whose_holder_died_is_taken_over_when_its_lease_ends(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(FACT)
    with bench.db.write():
        assert queue.lease_job(bench.db, owner="dead", now=clock.now(), seconds=300) is not None
    assert bench.maintain().jobs_done == 0
    later(monkeypatch, days=1)
    assert bench.maintain().proposed == 1


def test_a_job_that_takes_its_process_with_it_at_every_attempt_is_given_up(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(FACT)
    for day in range(1, 6):
        with bench.db.write():
            leased = queue.lease_job(
                bench.db,
                owner=f"killed {day}",
                now=timestamps.add_seconds(clock.now(), seconds=day * 86400),
                seconds=300,
            )
        assert leased is not None and leased.attempts == day
    later(monkeypatch, days=9)
    report = bench.operator.maintain()
    assert report.jobs_failed == 1 and "given up" in report.problems[0]
    assert standing(bench) == [("dead", 6)]


def test_one_who_comes_late_does_not_undo_what_the_new_holder_wrote(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(FACT)
    with bench.db.write():
        slow = queue.lease_job(bench.db, owner="slow", now=clock.now(), seconds=1)
    assert slow is not None
    later(monkeypatch, days=1)
    bench.maintain()
    with bench.db.write():
        queue.fail_job(
            bench.db, slow, owner="slow", now=clock.now(), error="too slow", max_attempts=5
        )
    assert standing(bench)[0][0] == "done"


def test_growth_during_extraction_is_extracted_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.capture(FACT)
    grown: list[str] = []

    def extract(transcript: Transcript) -> list[Candidate]:
        if not grown:
            grown.append(
                bench.capture(FACT, ("user", "fact the shelves are cordierite")).items[0].outcome
            )
        return told(transcript)

    monkeypatch.setattr(ingestion_jobs, "extract", extract)
    assert bench.maintain().proposed == 2
    assert grown == ["grown"]


def test_what_no_reader_knew_is_read_once_a_reader_does(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnknownFormat):
        bench.agent.capture_session(Input(data=b"\x00\x01 neither fish nor fowl"), agent=None)
    known = Transcript("new", "new-agent", SESSION, (Turn(0, "human", "text", FACT[1]),))
    monkeypatch.setattr(
        "memctl.capture.unread_originals.read_transcripts", lambda _config, _request: [known]
    )
    bench.maintain(retry=True)
    bench.maintain()
    assert bench.one("inbox").content == "the kiln is oil fired"


def test_what_is_still_unreadable_stays_loud(bench: Bench) -> None:
    with pytest.raises(UnknownFormat):
        bench.agent.capture_session(Input(data=b"\x00\x01 neither fish nor fowl"))
    assert "will be tried again" in bench.operator.maintain(retry=True).problems[0]
    assert standing(bench)[0][0] == "failed"


def test_an_unread_file_that_is_gone_says_so(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b'{"type":"file-history-snapshot","messageId":"x","snapshot":{},"isSnapshotUpdate":false}\n'
    )
    with pytest.raises(NothingInIt):
        bench.agent.capture_session(path)
    path.unlink()
    assert "gone" in bench.operator.maintain(retry=True).problems[0]


# -- expiry, ageing, logs, index --


def test_what_was_only_true_until_now_is_archived_whatever_its_state(bench: Bench) -> None:
    one = bench.put("The default branch is main", valid_until="2030-01-01")
    two = bench.put("The default branch is trunk", valid_until="2020-01-01")
    waiting = bench.put("Cone six", "decision", valid_until="2020-01-01")
    assert bench.state(one) == "contradicted"
    assert bench.maintain().expired == 2
    assert [bench.state(memory) for memory in (one, two, waiting)] == [
        "active",
        "archived",
        "archived",
    ]
    bench.check()


def test_unused_hints_age_but_nothing_that_is_protected_used_or_of_the_operator(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [
        bench.put(f"Hint number {n} about {w}", "task_hint", protected=n == 1)
        for n, w in enumerate(("glaze", "clay", "oil"))
    ]
    fact, profile = bench.put("The kiln is oil fired"), bench.put("Prefers tea", "profile")
    later(monkeypatch, days=800)
    with bench.db.write():
        records.count_access(bench.db, [old[2].id], clock.now())
    assert bench.maintain().archived == 1
    assert [bench.state(memory) for memory in (*old, fact, profile)] == [
        "archived",
        "active",
        "active",
        "active",
        "active",
    ]
    assert bench.operator.promote([old[0].id]).changed[0].memory.status == "active"
    bench.check()


def test_ageing_can_be_switched_off(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.put("Hint about glaze", "task_hint")
    later(monkeypatch, days=8000)
    bench.settings(decay__archive_after_days=0)
    assert bench.maintain().archived == 0


def test_old_logs_are_pruned_and_kept_for_ever_at_zero(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {
        "id": clock.new_id(),
        "command": "search",
        "query": "x",
        "filters": {},
        "candidates": [],
        "returned": [],
        "actor": "operator",
        "flags": [],
        "duration_ms": 1.0,
        "at": clock.now(),
    }
    spool.note_retrieval(bench.db, entry, [])
    spool.flush_logs(bench.db, bench.config)
    later(monkeypatch, days=91)
    bench.settings(logs__keep_days=0)
    assert bench.maintain().logs_pruned == 0
    bench.settings(logs__keep_days=90)
    assert bench.maintain().logs_pruned == 1
    assert logs.list_recent(bench.db, limit=9) == []


def test_the_index_is_built_anew_from_the_records(bench: Bench) -> None:
    bench.put("The kiln is oil fired")
    with bench.db.write():
        bench.db.run("lexical.clear")
    assert bench.maintain(reindex=True).reindexed == 1
    assert bench.db.value("lexical.size") == 1


def test_an_index_analysed_by_an_older_program_is_built_anew_once(bench: Bench) -> None:
    bench.put("The kiln is oil fired")
    assert bench.maintain().reindexed == 0
    with bench.db.write():
        meta.put_note(bench.db, "analysis", "1")
    assert [bench.maintain().reindexed for _ in range(2)] == [1, 0]


def test_an_empty_store_has_nothing_to_do(bench: Bench) -> None:
    assert replace(bench.maintain(), flags=(), steps=()) == MaintainReport()


def test_what_was_written_by_hand_is_consolidated_by_the_next_maintenance(bench: Bench) -> None:
    with MemoryEngine(bench.config, Actor("operator")) as engine:
        engine.ingest(
            [
                NewMemory("project", "The nightly build runs on the blue server"),
                NewMemory("project", "Nightly builds run on the blue server."),
            ]
        )
        report = engine.maintain()
        assert report.duplicates == 1
        assert [view.memory.status for view in engine.records.list().items] == ["active"]
        assert engine.maintain().duplicates == 0


def test_what_is_written_while_maintenance_runs_is_consolidated_by_the_next(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.ingest([NewMemory("project", "The nightly build runs on the blue server")])
    archive_unused = tidy_step.archive_unused

    def meanwhile(*given: object) -> None:
        bench.operator.ingest([NewMemory("project", "Nightly builds run on the blue server.")])
        archive_unused(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(tidy_step, "archive_unused", meanwhile)
    assert bench.maintain().duplicates == 0
    monkeypatch.setattr(tidy_step, "archive_unused", archive_unused)
    assert bench.maintain().duplicates == 1
