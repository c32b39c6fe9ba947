"""Work that takes too long is interrupted, wherever it hangs; a conversation that does is set
aside and does not hold up the others.
"""

from __future__ import annotations

import re
import threading
import time

import pytest
from bench import Bench, told

from memctl.core.model import Candidate, Transcript
from memctl.maintain import ingestion_jobs, time_limit
from memctl.store import queue

FACT = ("user", "fact the kiln is oil fired")


@pytest.mark.parametrize("kind", ["loop", "sleep", "expression"])
def test_work_is_interrupted_wherever_it_hangs(kind: str) -> None:
    def hang() -> None:
        if kind == "sleep":
            time.sleep(30)
        elif kind == "expression":
            re.match(r"(a|aa)+$", "a" * 60 + "b")
        while True:
            pass

    began = time.monotonic()
    with pytest.raises(time_limit.TookTooLong), time_limit.limit_time(0.1):
        hang()
    assert time.monotonic() - began < 25, "the work would take 30 s or never end"


def test_what_is_quick_is_left_alone_and_nothing_rings_afterwards() -> None:
    with time_limit.limit_time(0.05):
        pass
    time.sleep(0.1)


def test_outside_the_main_thread_there_is_no_limit() -> None:
    done: list[bool] = []

    def work() -> None:
        with time_limit.limit_time(0.01):
            time.sleep(0.05)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def hanging(transcript: Transcript) -> list[Candidate]:
    if transcript.session_id == "endless":
        while True:
            pass
    return told(transcript)


def states(bench: Bench) -> dict[str, tuple[str, int]]:
    from memctl.store import sources

    return {
        sources.get_source(bench.db, job.source_id or "").session_id: (job.state, job.attempts)
        for job in queue.list_recent(bench.db, limit=9)
    }


def test_a_conversation_that_takes_for_ever_is_set_aside_and_the_others_go_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion_jobs, "extract", hanging)
    monkeypatch.setattr(ingestion_jobs, "compute_source_limit", lambda config: 0.2)
    bench.capture(FACT, session="endless")
    bench.capture(FACT, session="other")
    report = bench.operator.maintain()
    assert (report.jobs_done, report.jobs_failed) == (
        1,
        1,
    ) and "took longer than 0.2 s" in report.problems[0]
    assert states(bench) == {"endless": ("failed", 1), "other": ("done", 1)}


def test_the_end_of_the_time_in_the_middle_of_a_conversation_costs_it_no_attempt(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion_jobs, "extract", hanging)
    bench.capture(FACT, session="other")
    bench.capture(FACT, session="endless")
    report = bench.operator.maintain(budget=1.0)
    step = next(one for one in report.steps if one.name == "extract")
    assert (step.state, report.jobs_done, report.problems) == ("unfinished", 1, ())
    assert states(bench) == {"other": ("done", 1), "endless": ("queued", 0)}


def test_a_conversation_that_a_whole_share_was_not_enough_for_has_failed_and_makes_way(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion_jobs, "extract", hanging)
    bench.capture(FACT, session="endless")
    bench.capture(FACT, session="other")
    first = bench.operator.maintain(budget=0.5)
    assert "without --budget" in first.problems[0] and states(bench)["endless"] == ("failed", 1)
    assert bench.operator.maintain(budget=5.0).jobs_done == 1


def test_the_limit_is_below_the_lease_so_that_nobody_takes_over_what_is_still_at_work(
    bench: Bench,
) -> None:
    assert (
        ingestion_jobs.compute_source_limit(
            bench.settings(queue__lease_seconds=100, maintain__source_seconds=500)
        )
        == 80
    )
    assert ingestion_jobs.compute_source_limit(bench.settings(maintain__source_seconds=20)) == 20
    assert ingestion_jobs.compute_source_limit(bench.settings(maintain__source_seconds=0)) == 80


def test_what_another_took_over_meanwhile_is_not_stored_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memctl.core import clock

    bench.capture(FACT)

    def slow(transcript: Transcript) -> list[Candidate]:
        with bench.db.write():
            bench.db.run("maintenance_steps.release", owner=queue_owner(bench), now=clock.now())
            assert (
                queue.lease_job(bench.db, owner="faster", now=clock.now(), seconds=300) is not None
            )
        return told(transcript)

    monkeypatch.setattr(ingestion_jobs, "extract", slow)
    report = bench.operator.maintain(steps=["extract"])
    assert (report.jobs_done, report.jobs_failed, bench.all()) == (0, 0, [])


def queue_owner(bench: Bench) -> str:
    return str(bench.db.value("maintenance_steps.holders"))
