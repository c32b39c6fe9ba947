"""Maintenance: everything that waits, step by step, safe to run at any time and beside anything else.

Each step is claimed before it begins and its end is noted; a claim whose process is gone counts for nothing. What fails stops only what
needs it. A run that finds another one at a step leaves that, and all after it, to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from memctl.core import clock
from memctl.core.errors import MemctlError, UsageError
from memctl.maintain import plan_inputs, reports, step_leases
from memctl.maintain import steps as table
from memctl.maintain.plan import PERHAPS, SKIP, Planned, plan, time_for
from memctl.maintain.run_state import Progress, Run
from memctl.records import drafts
from memctl.results.maintenance import MaintainReport, StepReport
from memctl.settings.config import Config
from memctl.store import maintenance_steps, meta, spool
from memctl.store.database import Db

ACTOR = "maintain"
_LETTING_GO_SECONDS = 0.5


def maintain(
    db: Db,
    config: Config,
    *,
    reindex: bool = False,
    retry: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    only: Sequence[str] = (),
    budget: float | None = None,
) -> MaintainReport:
    """Do all that waits (or `only` some steps), for `budget` seconds at most, and report it in numbers; `dry_run` shows the plan.

    `progress` is told of what is counted. Raises UsageError for an unknown step.
    """
    asked = _known(config, only)
    forced = {*(("extract",) if retry else ()), *(("index",) if reindex else ())}
    budget = budget if budget is not None else float(config["maintain.budget"]) or None
    with db.snapshot():
        planned = plan(
            table.in_force(config),
            {*asked, *forced} if asked else (),
            plan_inputs.known(db, config, forced),
            budget,
        )
    if dry_run:
        return reports.planned(db, config, planned)
    run = Run(db, config, is_whole=not asked, retry=retry, reindex=reindex, progress=progress)
    began = clock.now()
    done = list(_carry_out(run, planned, budget))
    if run.is_whole and run.left_to is None:
        with db.write():
            meta.put(db, "last_maintained", began)
    return reports.report(run, done)


def _known(config: Config, names: Iterable[str]) -> list[str]:
    """The names of steps. Raises UsageError for one that is none."""
    every = [step.name for step in table.in_force(config)]
    for name in names:
        if name not in every:
            import difflib

            close = difflib.get_close_matches(name, every, 3)
            hint = (
                f"did you mean {' or '.join(close)}?"
                if close
                else f"the steps are {', '.join(every)}"
            )
            raise UsageError(f"no step of maintenance is called {name!r}", hint=hint)
    return list(dict.fromkeys(names))


def _carry_out(run: Run, planned: Sequence[Planned], budget: float | None) -> Iterator[StepReport]:
    """Each step in turn."""
    ends = None if budget is None else clock.seconds() + budget
    fared: dict[str, str] = {}
    for number, one in enumerate(planned):
        left = None if ends is None else max(0.0, ends - clock.seconds())
        report = _one(run, one, time_for(planned[number:], left), fared)
        fared[one.name] = report.state
        yield report


def _one(run: Run, one: Planned, seconds: float | None, fared: Mapping[str, str]) -> StepReport:
    why_not = _why_not(run, one, seconds, fared)
    if why_not:
        return StepReport(one.name, "skipped", why_not)
    position, other = _claim(run, one)
    if other is not None:
        if run.is_whole and other.outcome.get("whole"):
            run.left_to = f"another run is at {one.name} and goes on from there"
        return StepReport(one.name, "skipped", f"another run is at it since {other.started_at}")
    run.enter(one.name, position, seconds)
    return _done(run, one)


def _why_not(run: Run, one: Planned, seconds: float | None, fared: Mapping[str, str]) -> str | None:
    """Why a step is not begun, as things stand now, or None."""
    if one.what == SKIP:
        return one.reason
    if run.left_to:
        return run.left_to
    broken = [name for name in one.step.needs if fared.get(name) == "failed"]
    if broken:
        return f"it needs {' and '.join(broken)}, which failed"
    if seconds is not None and seconds <= 0:
        return "no time was left"
    if (
        one.what == PERHAPS
        and one.step.waits is not None
        and not one.step.waits(run.db, run.config)
    ):
        return "nothing waits"
    return None


def _claim(run: Run, one: Planned) -> tuple[str | None, maintenance_steps.Ran | None]:
    """Where to go on with a step, and who else is at it; a claim of one who is gone is ended, and what he held given back."""
    now = clock.now()
    with run.db.write():
        for row in maintenance_steps.running(run.db, one.name):
            if step_leases.lives(row.outcome, now):
                if not one.step.is_shared:
                    return None, row
                continue
            maintenance_steps.end(
                run.db,
                row.run_id,
                row.step,
                "unfinished",
                position=row.position,
                error="interrupted",
                at=now,
            )
            maintenance_steps.release_jobs(run.db, row.run_id, now)
        last = next(
            (
                row
                for row in maintenance_steps.latest(run.db, one.name)
                if row.state == "unfinished"
            ),
            None,
        )
        position = last.position if last else None
        maintenance_steps.begin(
            run.db, run.id, one.name, holder=run.holder(), position=position, at=now
        )
    return position, None


def _done(run: Run, one: Planned) -> StepReport:
    """What a step did. Raises what the store itself raises, and whatever interrupts; the step is then unfinished."""
    before, began = run.db.acting, clock.seconds()
    run.db.acting = ACTOR, f"maintain: {one.name}"
    did: Mapping[str, Any] = {}
    try:
        did = one.step.run(run)
    except (KeyboardInterrupt, SystemExit, *spool.UNWILLING):
        _let_go(run, one)
        raise
    except Exception as error:  # The step has failed; those that do not need it go on.
        text = drafts.clean(
            str(error) if isinstance(error, MemctlError) else f"{type(error).__name__}: {error}"
        )
        run.problems.append(f"{one.name} failed: {text}")
        return _ended(run, one, "failed", did, began, error=text)
    finally:
        run.db.acting = before
    return _ended(run, one, "unfinished" if run.is_stopped else "done", did, began)


def _ended(
    run: Run,
    one: Planned,
    state: str,
    did: Mapping[str, Any],
    began: float,
    error: str | None = None,
) -> StepReport:
    counts = {name: many for name, many in did.items() if many and not isinstance(many, str)}
    position = run.position if state == "unfinished" else None
    with run.db.write():
        maintenance_steps.end(
            run.db,
            run.id,
            one.name,
            state,
            outcome=did,
            position=position,
            error=error,
            at=clock.now(),
        )
    seconds = round(clock.seconds() - began, 3)
    reason = error or (run.why if state == "unfinished" else one.reason)
    return StepReport(one.name, state, reason, counts, seconds, position)


def _let_go(run: Run, one: Planned) -> None:
    """Give a step up in the middle, so that nobody has to wait for its claim to run out; a store that is busy or broken is left alone."""
    with suppress(*spool.UNWILLING), run.db.write(_LETTING_GO_SECONDS):
        maintenance_steps.end(
            run.db,
            run.id,
            one.name,
            "unfinished",
            position=run.position,
            error="interrupted",
            at=clock.now(),
        )
        maintenance_steps.release_jobs(run.db, run.id, clock.now())
