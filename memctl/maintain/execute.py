"""Run maintenance: plan the steps, carry them out within the time limit, report what was done.

Safe at any time and beside other runs: a step is claimed before it begins and its end is stored.
A claim counts for nothing once its process is gone. A step that fails stops only those that need
it. A run that finds another run at a step leaves that step and all later ones to the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from memctl.core import clock, process_identity
from memctl.core.errors import InterruptedWithReport, StoreDamaged, UsageError
from memctl.core.garbage import collect_seldom
from memctl.core.typing_lite import Any
from memctl.maintain import plan_inputs, reports, steps
from memctl.maintain.plan import PERHAPS, SKIP, PlannedStep, compute_time_limit, make_plan
from memctl.maintain.run_state import MaintenanceRun, Progress, describe_error
from memctl.records import upkeep
from memctl.redact.redactor import make_redactor
from memctl.results.maintenance import MaintainReport, StepReport
from memctl.settings.config import Config, get_environment
from memctl.store import lost_tables, maintenance_steps, meta, readable_rows, spool, stamps
from memctl.store.database import Database
from memctl.store.maintenance_steps import StepRun

ACTOR = "maintain"
# How long an interrupted run waits for the store to give up its claim. Chosen by hand.
_RELEASE_SECONDS = 0.5


def maintain(
    db: Database,
    config: Config,
    *,
    reindex: bool = False,
    retry: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    only: Sequence[str] = (),
    budget: float | None = None,
    at_step: Callable[[str], None] | None = None,
) -> MaintainReport:
    """Carry out every step that is due, or `only` some; `dry_run` reports the plan instead.

    `budget` is in seconds (None: `maintain.budget`). `progress` gets how many items are done, and
    of how many, `at_step` the name of each step that begins. Raises UsageError for an unknown step.
    """
    requested = _check_names(config, only)
    forced = _list_forced(retry=retry, reindex=reindex)
    budget = budget if budget is not None else float(config["maintain.budget"]) or None
    lost_tables.make_anew_and_tell(db)
    with db.snapshot():
        inputs = plan_inputs.read_plan_inputs(db, config, forced)
    requested_or_forced = {*requested, *forced} if requested else ()
    planned = make_plan(steps.list_steps(config), requested_or_forced, inputs, budget)
    if dry_run:
        return reports.report_plan(db, config, planned)
    run = MaintenanceRun(
        db,
        config,
        is_whole=not requested,
        retry=retry,
        reindex=reindex,
        progress=progress,
        at_step=at_step,
    )
    began = clock.now()
    if run.is_whole:
        stamps.set_stamp(config, stamps.MAINTAINED)
    step_reports: list[StepReport] = []
    try:
        with collect_seldom():
            for step_report in _carry_out_plan(run, planned, budget):
                step_reports.append(step_report)
    except KeyboardInterrupt as error:
        step_reports.append(run.report_interrupted())
        with suppress(*spool.STORE_UNAVAILABLE):
            raise InterruptedWithReport(reports.report_run(run, step_reports)) from error
        raise
    if run.is_whole and run.left_to_other is None:
        with db.write():
            meta.put_note(db, upkeep.LAST_RUN, began)
            starter = upkeep.name_starter(get_environment(), os.getpid())
            meta.put_note(db, upkeep.STARTED_BY, starter)
    return reports.report_run(run, step_reports)


def _check_names(config: Config, names: Iterable[str]) -> list[str]:
    """The names without repetitions. Raises UsageError for one that is no step."""
    known_names = [step.name for step in steps.list_steps(config)]
    current_names = [steps.OLD_NAMES.get(name, name) for name in names]
    for name in current_names:
        if name not in known_names:
            import difflib

            close = difflib.get_close_matches(name, known_names, 3)
            hint = f"the steps are {', '.join(known_names)}"
            if close:
                hint = f"did you mean {' or '.join(close)}?"
            raise UsageError(f"no maintenance step is called {name!r}", hint=hint)
    return list(dict.fromkeys(current_names))


def _list_forced(*, retry: bool, reindex: bool) -> set[str]:
    """The steps that are due because of an option."""
    forced = set[str]()
    if retry:
        forced.add("extract")
    if reindex:
        forced.update(("index", "turns"))
    return forced


def _carry_out_plan(
    run: MaintenanceRun, planned: Sequence[PlannedStep], budget: float | None
) -> Iterator[StepReport]:
    """Carry out each step in turn, and report it."""
    deadline = None if budget is None else clock.read_monotonic() + budget
    states: dict[str, str] = {}
    for number, step in enumerate(planned):
        seconds_left = None if deadline is None else max(0.0, deadline - clock.read_monotonic())
        seconds = compute_time_limit(planned[number:], seconds_left)
        report = _try_step(run, step, seconds, states)
        states[step.name] = report.state
        yield report


def _try_step(
    run: MaintenanceRun, planned: PlannedStep, seconds: float | None, states: Mapping[str, str]
) -> StepReport:
    """Carry out a step unless something speaks against it now; `states` are those before it."""
    why_skipped = _find_reason_to_skip(run, planned, seconds, states)
    if why_skipped:
        return StepReport(planned.name, "skipped", why_skipped)
    position, other = _claim_step(run, planned)
    if other is not None:
        if run.is_whole and other.outcome.get("whole"):
            run.leave_to_other(planned.name)
        reason = f"another maintain run is at {planned.name} since {other.started_at}"
        return StepReport(planned.name, "skipped", reason)
    run.begin_step(planned.name, position, seconds)
    return _carry_out_step(run, planned)


def _find_reason_to_skip(
    run: MaintenanceRun, planned: PlannedStep, seconds: float | None, states: Mapping[str, str]
) -> str | None:
    """Why a step does not begin, as things are now, or None."""
    step = planned.step
    if planned.decision == SKIP:
        return planned.reason
    if run.left_to_other:
        return run.left_to_other
    failed = [name for name in step.needs if states.get(name) == "failed"]
    if failed:
        return f"it needs {' and '.join(failed)}, which failed"
    if seconds is not None and seconds <= 0:
        return "no time was left"
    if planned.decision == PERHAPS and step.count_waiting is not None:
        return None if step.count_waiting(run.db, run.config) else "nothing waiting"
    return None


def _claim_step(run: MaintenanceRun, planned: PlannedStep) -> tuple[str | None, StepRun | None]:
    """Claim a step: where to continue it, and None; or None, and the run that holds it.

    The claim of a run that is gone is ended, and the jobs that it held are given back.
    """
    now = clock.now()
    with run.db.write():
        for row in maintenance_steps.list_running(run.db, planned.name):
            if not process_identity.is_alive(row.outcome, now):
                _end_abandoned_claim(run.db, row, now)
            elif not planned.step.is_shared:
                return None, row
        ran_before = maintenance_steps.list_latest(run.db, planned.name)
        unfinished = next((row for row in ran_before if row.state == "unfinished"), None)
        position = unfinished.position if unfinished else None
        maintenance_steps.begin_step(
            run.db, run.id, planned.name, holder=run.build_claim(), position=position, at=now
        )
    return position, None


def _end_abandoned_claim(db: Database, row: StepRun, now: str) -> None:
    maintenance_steps.end_step(
        db, row.run_id, row.step, "unfinished", position=row.position, error="interrupted", at=now
    )
    maintenance_steps.release_jobs(db, row.run_id, now)


def _carry_out_step(run: MaintenanceRun, planned: PlannedStep) -> StepReport:
    """Carry out a claimed step and report what it did, also if it was cut off or failed.

    A row that cannot be read fails its step alone. Raises what else the store raises, and whatever
    interrupts the process; the step is then unfinished.
    """
    acting_before = run.db.acting
    began = clock.read_monotonic()
    error_text: str | None = None
    run.db.acting = ACTOR, f"maintain: {planned.name}"
    try:
        planned.step.action(run)
    except (KeyboardInterrupt, SystemExit, *spool.STORE_UNAVAILABLE) as error:
        run.db.end_interrupted_transaction()
        if not isinstance(error, StoreDamaged) or not readable_rows.is_about_a_row(error):
            _release_claim(run, planned)
            raise
        error_text = describe_error(error, make_redactor(run.config))
        run.problems.append(f"{planned.name} failed: {error_text}")
    except Exception as error:  # The step has failed; those that do not need it go on.
        error_text = describe_error(error, make_redactor(run.config))
        run.problems.append(f"{planned.name} failed: {error_text}")
    finally:
        run.db.acting = acting_before
    return _end_step(run, planned, clock.read_monotonic() - began, error_text)


def _end_step(
    run: MaintenanceRun, planned: PlannedStep, seconds: float, error: str | None
) -> StepReport:
    """Store how a step ended, and report it."""
    why_unfinished = None if error else run.why_unfinished
    state = "done"
    if error:
        state = "failed"
    elif why_unfinished:
        state = "unfinished"
    position = run.position if why_unfinished else None
    outcome = _collect_outcome(run)
    with run.db.write():
        maintenance_steps.end_step(
            run.db,
            run.id,
            planned.name,
            state,
            outcome=outcome,
            position=position,
            error=error,
            at=clock.now(),
        )
    reason = error or why_unfinished or planned.reason
    counts = {name: many for name, many in outcome.items() if many and not isinstance(many, str)}
    return StepReport(planned.name, state, reason, counts, round(seconds, 3), position)


def _collect_outcome(run: MaintenanceRun) -> dict[str, Any]:
    return {**run.work.counts, **run.details}


def _release_claim(run: MaintenanceRun, planned: PlannedStep) -> None:
    """Give a step up in the middle, so that nobody has to wait until its claim runs out.

    A store that is busy or broken is left alone.
    """
    now = clock.now()
    with suppress(*spool.STORE_UNAVAILABLE), run.db.write(_RELEASE_SECONDS):
        maintenance_steps.end_step(
            run.db,
            run.id,
            planned.name,
            "unfinished",
            outcome=_collect_outcome(run),
            position=run.position,
            error="interrupted",
            at=now,
        )
        maintenance_steps.release_jobs(run.db, run.id, now)
