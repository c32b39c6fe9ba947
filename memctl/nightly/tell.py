"""What a run of maintenance did, or would do, and how its steps fared of late, as reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memctl import clock, spool, vectors
from memctl.config import Config
from memctl.data import replace
from memctl.db import Db
from memctl.nightly import holders, look
from memctl.nightly import steps as table
from memctl.nightly.plan import PERHAPS, RUN, Past, Planned, due_at
from memctl.nightly.run import Run
from memctl.reports import StepsReport, StepState
from memctl.results import MaintainReport, StepReport
from memctl.retrieve import sense
from memctl.store import queue, records, steps

_STATES = {RUN: "planned", PERHAPS: "perhaps"}
# What the totals of a report count, by what the steps call it.
_SUMS = {
    "spool_taken": "spool_taken", "jobs_done": "jobs_done", "jobs_failed": "jobs_failed", "proposed": "proposed",
    "duplicates": "duplicates", "merge": "duplicates", "rejected_again": "rejected_again", "episodes": "episodes",
    "promoted": "promoted", "contradictions": "contradictions", "contradict": "contradictions", "propose": "contradictions",
    "supersede": "contradictions", "expired": "expired", "archived": "archived", "logs_pruned": "logs_pruned",
    "reindexed": "reindexed", "embedded": "embedded", "vectors_indexed": "vectors_indexed",
}  # fmt: skip


def report(run: Run, done: Sequence[StepReport]) -> MaintainReport:
    """One run in numbers."""
    totals = Counter[str]()
    for step in done:
        for name, many in step.did.items():
            if name in _SUMS:
                totals[_SUMS[name]] += int(many)
    flags = (*run.flags, *(flag for flag in _flags(run.config) if flag not in run.flags))
    whole = MaintainReport(
        jobs_waiting=_jobs_waiting(run.db), inbox=int(run.db.value("steps.inbox")), problems=tuple(run.problems), flags=flags,
        steps=tuple(done),
    )  # fmt: skip
    return replace(whole, **totals)


def planned(db: Db, config: Config, chosen: Iterable[Planned]) -> MaintainReport:
    """What a run would do, with what waits now."""
    days, now = config["decay.archive_after_days"], clock.now()
    unused = records.unused(db, ("task_hint", "episode"), clock.later(now, seconds=-86400 * days)) if days else []
    told = tuple(StepReport(one.name, _STATES.get(one.what, "skipped"), one.reason, waits=one.waits, sure=one.sure) for one in chosen)
    return MaintainReport(
        spool_taken=len(spool.files(config)), jobs_waiting=_jobs_waiting(db), expired=len(records.expired(db, now)), archived=len(unused),
        embedded=vectors.waiting(db, config), inbox=int(db.value("steps.inbox")), dry_run=True, steps=told,
    )  # fmt: skip


def states(db: Db, config: Config) -> StepsReport:
    """Every step: what it is for, when it last ran, what came of it, when it is due."""
    return StepsReport(tuple(_state(db, config, name) for name in (step.name for step in table.in_force(config))))


def _state(db: Db, config: Config, name: str) -> StepState:
    step = next(step for step in table.in_force(config) if step.name == name)
    last, past = next(iter(steps.latest(db, name)), None), look.past_of(db, name)
    off = step.off(config) if step.off else None
    told = StepState(name, step.says, (*step.needs,), step.every, off, due_at=due_at(step, past) or None, done_at=past.done_at)
    return told if last is None else _with_last(told, last, past)


def _with_last(told: StepState, last: steps.Ran, past: Past) -> StepState:
    gone = last.state == "running" and not holders.lives(last.outcome, clock.now())
    did = {} if last.state == "running" else {key: n for key, n in last.outcome.items() if n and isinstance(n, int | float)}
    took = round(clock.parse(last.ended_at) - clock.parse(last.started_at), 3) if last.ended_at else None
    return replace(
        told, state="interrupted" if gone else last.state, started_at=last.started_at, seconds=took, did=did, error=last.error,
        position=last.position,
    )  # fmt: skip


def _jobs_waiting(db: Db) -> int:
    tally = queue.tally(db)
    return tally.get("queued", 0) + tally.get("failed", 0)


def _flags(config: Config) -> tuple[str, ...]:
    return (sense.NO_VECTORS, "vectors_off") if config["embedding.model"] == sense.OFF else ()
