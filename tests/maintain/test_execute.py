"""Steps are carried out within their time, claimed while they run, and gone on with; what fails
stops only what needs it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from bench import Bench

from memctl.cli import execution
from memctl.core import clock, process_identity, timestamps
from memctl.core.errors import InterruptedWithReport, StoreLocked, UsageError
from memctl.core.frozen import replace
from memctl.maintain import steps as table
from memctl.maintain.plan import MaintenanceStep
from memctl.maintain.run_state import MaintenanceRun
from memctl.results.maintenance import MaintainReport, StepReport
from memctl.store import maintenance_steps, meta

FACT = ("user", "fact the kiln is oil fired")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Maintenance consists of these steps alone."""

    def put(*made: MaintenanceStep) -> None:
        monkeypatch.setattr(table, "STEPS", made)

    return put


@pytest.fixture
def tick(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock by which time is measured, in our hand."""
    now = [1000.0]
    monkeypatch.setattr(clock, "read_monotonic", lambda: now[0])
    return now


def step(
    name: str, run: Callable[[MaintenanceRun], None] = lambda run: None, **given: Any
) -> MaintenanceStep:
    return replace(MaintenanceStep(name, name, run), **given)


def fared(report: MaintainReport) -> dict[str, str]:
    return {one.name: one.state for one in report.steps}


def named(report: MaintainReport, name: str) -> StepReport:
    return next(one for one in report.steps if one.name == name)


def breaks(run: MaintenanceRun) -> None:
    raise ZeroDivisionError("the saw")


def test_what_fails_stops_only_what_needs_it(bench: Bench, use: Callable[..., None]) -> None:
    use(
        step("a", breaks),
        step("b", needs=("a",)),
        step("c", after=("a",), run=lambda run: run.count("expired", 2)),
        step("d", needs=("b",)),
    )
    report = bench.operator.maintain()
    assert fared(report) == {"a": "failed", "b": "skipped", "c": "done", "d": "done"}
    assert report.problems == ("a failed: ZeroDivisionError: the saw",) and report.expired == 2
    assert named(report, "b").reason == "it needs a, which failed"
    use(step("a"))
    assert named(bench.operator.maintain(), "a").reason == "failed last time"


def test_a_step_that_counts_goes_on_where_it_stopped(
    bench: Bench, use: Callable[..., None], tick: list[float]
) -> None:
    seen: list[int] = []

    def count(run: MaintenanceRun) -> None:
        for number in range(int(run.position or 0), 10):
            if run.must_stop():
                run.stop(str(number))
                break
            seen.append(number)
            run.count("archived")
            tick[0] += 1

    use(step("count", count, every_hours=20))
    reports = [bench.operator.maintain(budget=4.0) for _ in range(4)]
    assert [fared(one)["count"] for one in reports] == [
        "unfinished",
        "unfinished",
        "done",
        "skipped",
    ]
    assert [named(one, "count").position for one in reports[:3]] == ["4", "8", None]
    assert seen == list(range(10))
    assert (
        named(reports[1], "count").reason == "cut off by its time limit"
        and reports[0].problems == ()
    )


def test_what_was_noted_on_the_way_is_where_the_next_run_begins_after_a_crash(
    bench: Bench, use: Callable[..., None]
) -> None:
    begun: list[str | None] = []

    def crash(run: MaintenanceRun) -> None:
        begun.append(run.position)
        run.save_position("half way")
        raise KeyboardInterrupt

    use(step("a", crash))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            bench.operator.maintain()
    assert begun == [None, "half way"]
    assert maintenance_steps.list_running(bench.db) == []
    assert maintenance_steps.list_latest(bench.db, "a")[0].error == "interrupted"


def test_an_interrupted_run_reports_what_was_done(bench: Bench, use: Callable[..., None]) -> None:
    def rest(_run: MaintenanceRun) -> None:
        """Nothing is to be done."""

    def half(run: MaintenanceRun) -> None:
        run.count("compared", 3)
        raise KeyboardInterrupt

    use(step("a", rest), step("b", half), step("c", rest))
    with pytest.raises(InterruptedWithReport) as caught:
        bench.operator.maintain()
    report = caught.value.report
    assert isinstance(report, MaintainReport)
    assert [(one.name, one.state) for one in report.steps] == [("a", "done"), ("b", "unfinished")]
    assert named(report, "b").counts == {"compared": 3}


def test_an_interrupted_command_prints_what_was_done_in_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_call: object) -> None:
        raise InterruptedWithReport(MaintainReport(problems=("the saw is loud",)))

    code = execution.run_guarded(
        "maintain", True, lambda: execution.run_command("maintain", interrupted, None, True, {})
    )
    said = json.loads(capsys.readouterr().out)
    assert (code, said["data"]["problems"]) == (130, ["the saw is loud"])
    assert said["errors"][0]["code"] == "Interrupted"


def test_a_store_that_is_busy_ends_the_run_and_leaves_no_claim(
    bench: Bench, use: Callable[..., None]
) -> None:
    def busy(run: MaintenanceRun) -> None:
        raise StoreLocked("busy")

    use(step("a", busy), step("b"))
    with pytest.raises(StoreLocked):
        bench.operator.maintain()
    assert (
        maintenance_steps.list_running(bench.db) == []
        and meta.get_note(bench.db, "last_maintained") is None
    )


def test_the_steps_after_a_long_one_still_get_their_share(
    bench: Bench, use: Callable[..., None], tick: list[float]
) -> None:
    got: dict[str, float] = {}

    def greedy(run: MaintenanceRun) -> None:
        got["greedy"] = run.compute_time_left()
        tick[0] += run.compute_time_left()
        run.stop()

    def modest(run: MaintenanceRun) -> None:
        got["modest"] = run.compute_time_left()

    use(step("greedy", greedy, weight=9), step("modest", modest))
    report = bench.operator.maintain(budget=10.0)
    assert got["greedy"] == pytest.approx(9.5) and got["modest"] == pytest.approx(0.5)
    assert fared(report) == {"greedy": "unfinished", "modest": "done"}


def test_when_the_time_is_over_what_was_not_begun_says_so_and_stays_due(
    bench: Bench, use: Callable[..., None], tick: list[float]
) -> None:
    def overruns(run: MaintenanceRun) -> None:
        tick[0] += 60

    use(step("a", overruns), step("b", every_hours=20))
    assert named(bench.operator.maintain(budget=10.0), "b").reason == "no time was left"
    assert fared(bench.operator.maintain(steps=["b"])) == {"b": "done"}


def test_the_budget_of_the_settings_holds_where_none_is_given(
    bench: Bench, use: Callable[..., None]
) -> None:
    left: list[float] = []

    def note(run: MaintenanceRun) -> None:
        left.append(run.compute_time_left())

    use(step("a", note))
    bench.operator.maintain()
    bench.settings(maintain__budget=30)
    bench.operator.maintain()
    assert left[0] == float("inf") and 29 < left[1] <= 30


# -- claims --


def claim(bench: Bench, name: str, *, whole: bool = True, **holder: Any) -> None:
    until = timestamps.add_seconds(clock.now(), seconds=300)
    with bench.db.write():
        held = {**process_identity.describe_process(), "until": until, "whole": whole, **holder}
        maintenance_steps.begin_step(
            bench.db, "0-another", name, holder=held, position="7", at=clock.now()
        )


def test_what_another_run_is_at_is_left_to_it_and_all_that_follows(
    bench: Bench, use: Callable[..., None]
) -> None:
    use(step("a"), step("b"), step("c"))
    claim(bench, "b")
    report = bench.operator.maintain()
    assert fared(report) == {"a": "done", "b": "skipped", "c": "skipped"}
    assert "another maintain run is at b since" in named(report, "b").reason
    assert named(report, "c").reason == "another maintain run is still at b and does the rest"
    assert meta.get_note(bench.db, "last_maintained") is None


def test_what_another_takes_alone_is_left_to_it_alone(
    bench: Bench, use: Callable[..., None]
) -> None:
    use(step("a"), step("b"), step("c"))
    claim(bench, "b", whole=False)
    assert fared(bench.operator.maintain()) == {"a": "done", "b": "skipped", "c": "done"}


@pytest.mark.parametrize(
    "gone",
    [
        {"pid": 2**22 + 1},
        {"born": "1"},
        {"until": "2020-01-01"},
        {"machine": "other", "until": "2020-01-01"},
    ],
)
def test_the_claim_of_one_who_is_gone_counts_for_nothing(
    bench: Bench, use: Callable[..., None], gone: dict[str, Any]
) -> None:
    begun: list[str | None] = []

    def note(run: MaintenanceRun) -> None:
        begun.append(run.position)

    use(step("a", note))
    claim(bench, "a", **gone)
    assert fared(bench.operator.maintain()) == {"a": "done"} and begun == ["7"]
    assert [(row.state, row.error) for row in maintenance_steps.list_latest(bench.db, "a", 2)] == [
        ("done", None),
        ("unfinished", "interrupted"),
    ]


def test_one_on_another_machine_is_believed_while_its_time_runs(
    bench: Bench, use: Callable[..., None]
) -> None:
    use(step("a"))
    claim(bench, "a", machine="elsewhere", pid=1)
    assert fared(bench.operator.maintain()) == {"a": "skipped"}


def test_this_process_lives_and_one_that_ended_does_not() -> None:
    until = timestamps.add_seconds(clock.now(), seconds=60)
    assert process_identity.is_alive(
        {**process_identity.describe_process(), "until": until}, clock.now()
    )
    child = os.fork()
    if not child:
        os._exit(0)
    held = {
        **process_identity.describe_process(),
        "pid": child,
        "born": process_identity._read_start_time(child),
        "until": until,
    }
    os.waitpid(child, 0)
    assert not process_identity.is_alive(held, clock.now())


def test_what_a_dead_run_held_of_the_queue_is_given_back_at_once(bench: Bench) -> None:
    from memctl.store import queue

    bench.capture(FACT)
    with bench.db.write():
        assert (
            queue.lease_job(bench.db, owner="0-another", now=clock.now(), seconds=300) is not None
        )
    claim(bench, "extract", pid=2**22 + 1)
    assert bench.maintain().proposed == 1
    assert queue.list_recent(bench.db, limit=1)[0].attempts == 2


def test_a_run_that_finds_another_still_extracting_leaves_the_rest_to_it(bench: Bench) -> None:
    from memctl.store import queue

    bench.capture(FACT)
    bench.capture(("user", "fact the shelves are cordierite"), session="other")
    with bench.db.write():
        assert (
            queue.lease_job(bench.db, owner="0-another", now=clock.now(), seconds=300) is not None
        )
    claim(bench, "extract")
    report = bench.maintain()
    assert report.jobs_done == 1
    assert (
        named(report, "consolidate").reason
        == "another maintain run is still at extract and does the rest"
    )


# -- asking --


def test_a_step_that_is_asked_for_is_taken_alone_due_or_not(bench: Bench) -> None:
    bench.capture(FACT)
    report = bench.maintain(steps=["extract"])
    assert fared(report) == {"extract": "done"} and report.proposed == 1
    assert meta.get_note(bench.db, "last_maintained") is None
    assert fared(bench.maintain(steps=["optimise", "retention"])) == {
        "optimise": "done",
        "retention": "done",
    }
    assert fared(bench.maintain(steps=["optimise"])) == {"optimise": "done"}


def test_a_step_that_is_none_is_refused_with_what_it_may_have_been(bench: Bench) -> None:
    with pytest.raises(UsageError, match="'consolidat'") as told:
        bench.operator.maintain(steps=["consolidat"])
    assert told.value.hint == "did you mean consolidate?"
    with pytest.raises(UsageError) as told:
        bench.operator.maintain(steps=["zzz"])
    assert "take_in, notes, extract" in (told.value.hint or "")


def test_a_dry_run_shows_the_very_plan_and_writes_nothing(bench: Bench) -> None:
    bench.capture(FACT)
    before = bench.db.pragma("data_version"), bench.db.value("maintenance_steps.changes")
    shown = bench.operator.maintain(dry_run=True, budget=60.0)
    assert (bench.db.pragma("data_version"), bench.db.value("maintenance_steps.changes")) == before
    done = bench.operator.maintain(budget=60.0)
    assert [one.name for one in shown.steps] == [one.name for one in done.steps]
    for plan, act in zip(shown.steps, done.steps, strict=True):
        assert (
            act.state
            in {"planned": ("done",), "perhaps": ("done", "skipped"), "skipped": ("skipped",)}[
                plan.state
            ]
        ), plan
        assert plan.state == "perhaps" or act.reason == plan.reason
    assert next(one.waiting for one in shown.steps if one.name == "extract") == 1


def test_a_second_run_right_after_has_nothing_to_do(bench: Bench) -> None:
    bench.take(FACT)
    bench.maintain()
    report = bench.maintain()
    assert {one.state for one in report.steps if one.counts} <= {"done"}
    assert set(fared(report).values()) == {"skipped"} or all(
        not one.counts or one.name == "consolidate" for one in report.steps
    )


def test_the_states_of_the_steps_tell_what_they_did(bench: Bench) -> None:
    bench.take(FACT)
    found = {one.name: one for one in bench.operator.upkeep.list_steps().items}
    assert list(found) == [one.name for one in table.STEPS]
    assert found["extract"].state == "done" and found["extract"].counts["proposed"] == 1
    assert found["model"].off_reason == "maintain.model names none" and found["model"].state is None
    assert found["optimise"].due_at is not None
