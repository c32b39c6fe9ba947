"""What a run of maintenance did, or would do, and how its steps fared of late, as reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.maintain import plan_inputs, step_leases
from memctl.maintain import steps as table
from memctl.maintain.plan import PERHAPS, RUN, Past, Planned, due_at
from memctl.maintain.run_state import Run
from memctl.results.maintenance import MaintainReport, StepReport, StepsReport, StepState
from memctl.retrieve import query_embedding, vectors
from memctl.settings.config import Config
from memctl.store import maintenance_steps, queue, records, spool
from memctl.store.database import Db

_STATES = {RUN: "planned", PERHAPS: "perhaps"}
# What the totals of a report count, by what the steps call it.
_SUMS = {
    "spool_taken": "spool_taken",
    "jobs_done": "jobs_done",
    "jobs_failed": "jobs_failed",
    "proposed": "proposed",
    "duplicates": "duplicates",
    "merge": "duplicates",
    "rejected_again": "rejected_again",
    "episodes": "episodes",
    "promoted": "promoted",
    "contradictions": "contradictions",
    "contradict": "contradictions",
    "propose": "contradictions",
    "supersede": "contradictions",
    "expired": "expired",
    "archived": "archived",
    "logs_pruned": "logs_pruned",
    "reindexed": "reindexed",
    "embedded": "embedded",
    "vectors_indexed": "vectors_indexed",
}


def report(run: Run, done: Sequence[StepReport]) -> MaintainReport:
    """One run in numbers."""
    totals = Counter[str]()
    for step in done:
        for name, many in step.did.items():
            if name in _SUMS:
                totals[_SUMS[name]] += int(many)
    flags = (*run.flags, *(flag for flag in _flags(run.config) if flag not in run.flags))
    whole = MaintainReport(
        jobs_waiting=_jobs_waiting(run.db),
        inbox=int(run.db.value("steps.inbox")),
        problems=tuple(run.problems),
        flags=flags,
        steps=tuple(done),
    )
    return replace(whole, **totals)


def planned(db: Db, config: Config, chosen: Iterable[Planned]) -> MaintainReport:
    """What a run would do, with what waits now."""
    days, now = config["decay.archive_after_days"], clock.now()
    unused = (
        records.unused(
            db, ("task_hint", "episode"), timestamps.add_seconds(now, seconds=-86400 * days)
        )
        if days
        else []
    )
    told = tuple(
        StepReport(
            one.name, _STATES.get(one.what, "skipped"), one.reason, waits=one.waits, sure=one.sure
        )
        for one in chosen
    )
    return MaintainReport(
        spool_taken=len(spool.files(config)),
        jobs_waiting=_jobs_waiting(db),
        expired=len(records.expired(db, now)),
        archived=len(unused),
        embedded=vectors.waiting(db, config),
        inbox=int(db.value("steps.inbox")),
        dry_run=True,
        steps=told,
    )


def states(db: Db, config: Config) -> StepsReport:
    """Every step: what it is for, when it last ran, what came of it, when it is due."""
    return StepsReport(
        tuple(_state(db, config, name) for name in (step.name for step in table.in_force(config)))
    )


def _state(db: Db, config: Config, name: str) -> StepState:
    step = next(step for step in table.in_force(config) if step.name == name)
    last, past = next(iter(maintenance_steps.latest(db, name)), None), plan_inputs.past_of(db, name)
    off = step.off(config) if step.off else None
    told = StepState(
        name,
        step.says,
        (*step.needs,),
        step.every,
        off,
        due_at=due_at(step, past) or None,
        done_at=past.done_at,
    )
    return told if last is None else _with_last(told, last, past)


def _with_last(told: StepState, last: maintenance_steps.Ran, past: Past) -> StepState:
    gone = last.state == "running" and not step_leases.lives(last.outcome, clock.now())
    did = (
        {}
        if last.state == "running"
        else {key: n for key, n in last.outcome.items() if n and isinstance(n, int | float)}
    )
    took = (
        round(timestamps.parse_iso(last.ended_at) - timestamps.parse_iso(last.started_at), 3)
        if last.ended_at
        else None
    )
    return replace(
        told,
        state="interrupted" if gone else last.state,
        started_at=last.started_at,
        seconds=took,
        did=did,
        error=last.error,
        position=last.position,
    )


def _jobs_waiting(db: Db) -> int:
    tally = queue.tally(db)
    return tally.get("queued", 0) + tally.get("failed", 0)


def _flags(config: Config) -> tuple[str, ...]:
    return (
        (query_embedding.NO_VECTORS, "vectors_off")
        if config["embedding.model"] == query_embedding.OFF
        else ()
    )
