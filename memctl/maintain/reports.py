"""Report what a maintenance run did, what it would do, and how its steps went lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memctl.core import clock, process_identity, timestamps
from memctl.core.frozen import replace
from memctl.maintain import pending_work, plan_inputs, steps
from memctl.maintain.plan import PERHAPS, RUN, MaintenanceStep, PlannedStep, compute_due_time
from memctl.maintain.run_state import MaintenanceRun
from memctl.results.maintenance import MaintainReport, StepReport, StepsReport, StepState
from memctl.retrieve import query_embedding, vectors
from memctl.settings.config import Config
from memctl.store import maintenance_steps, queue, records, spool
from memctl.store.database import Database

_STATES = {RUN: "planned", PERHAPS: "perhaps"}
# The totals of a report, by the names under which the steps count them.
_TOTALS = {
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


def report_run(run: MaintenanceRun, step_reports: Sequence[StepReport]) -> MaintainReport:
    """Report one run in numbers."""
    totals = Counter[str]()
    for step in step_reports:
        for name, many in step.counts.items():
            if name in _TOTALS:
                totals[_TOTALS[name]] += int(many)
    flags = (*run.flags, *(flag for flag in _list_flags(run.config) if flag not in run.flags))
    report = MaintainReport(
        jobs_waiting=_count_jobs_waiting(run.db),
        inbox=maintenance_steps.count_inbox(run.db),
        problems=tuple(run.problems),
        flags=flags,
        steps=tuple(step_reports),
    )
    return replace(report, **totals)


def report_plan(db: Database, config: Config, planned: Iterable[PlannedStep]) -> MaintainReport:
    """Report what a run would do, with what waits now."""
    step_reports = tuple(
        StepReport(
            step.name,
            _STATES.get(step.decision, "skipped"),
            step.reason,
            waiting=step.waiting,
            reserved_seconds=step.reserved,
        )
        for step in planned
    )
    return MaintainReport(
        spool_taken=len(spool.list_files(config)),
        jobs_waiting=_count_jobs_waiting(db),
        expired=len(records.list_expired(db, clock.now())),
        archived=len(pending_work.list_unused(db, config)),
        embedded=vectors.count_waiting(db, config),
        inbox=maintenance_steps.count_inbox(db),
        dry_run=True,
        steps=step_reports,
    )


def list_step_states(db: Database, config: Config) -> StepsReport:
    """Every step: what it does, when it last ran, with which result, when it is due."""
    return StepsReport(
        tuple(_read_step_state(db, config, step) for step in steps.list_steps(config))
    )


def _read_step_state(db: Database, config: Config, step: MaintenanceStep) -> StepState:
    history = plan_inputs.read_history(db, step.name)
    state = StepState(
        step.name,
        step.description,
        (*step.needs,),
        step.every_hours,
        step.why_off(config) if step.why_off else None,
        due_at=compute_due_time(step, history),
        done_at=history.done_at,
    )
    latest = next(iter(maintenance_steps.list_latest(db, step.name)), None)
    return state if latest is None else _add_latest(state, latest)


def _add_latest(state: StepState, latest: maintenance_steps.StepRun) -> StepState:
    """Complete a state with the last time that the step ran."""
    is_running = latest.state == "running"
    is_gone = is_running and not process_identity.is_alive(latest.outcome, clock.now())
    counts: dict[str, int | float] = {}
    if not is_running:
        counts = {
            name: many
            for name, many in latest.outcome.items()
            if many and isinstance(many, int | float)
        }
    seconds = None
    if latest.ended_at:
        began, ended = map(timestamps.parse_iso, (latest.started_at, latest.ended_at))
        seconds = round(ended - began, 3)
    return replace(
        state,
        state="interrupted" if is_gone else latest.state,
        started_at=latest.started_at,
        seconds=seconds,
        counts=counts,
        error=latest.error,
        position=latest.position,
    )


def _count_jobs_waiting(db: Database) -> int:
    by_state = queue.count_by_state(db)
    return by_state.get("queued", 0) + by_state.get("failed", 0)


def _list_flags(config: Config) -> tuple[str, ...]:
    if config["embedding.model"] == query_embedding.OFF:
        return (query_embedding.NO_VECTORS, "vectors_off")
    return ()
