"""Read what a plan depends on from the store: how each step went, and how much waits for it."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.maintain import steps
from memctl.maintain.plan import PlanInputs, StepHistory
from memctl.settings.config import Config
from memctl.store import maintenance_steps
from memctl.store.database import Database


def read_plan_inputs(db: Database, config: Config, forced: Iterable[str] = ()) -> PlanInputs:
    """Read everything that decides which steps are due.

    `forced` steps are due whatever happened: nothing is read for them.
    """
    forced_names = set(forced)
    histories: dict[str, StepHistory] = {}
    waiting: dict[str, int | None] = {}
    off: dict[str, str | None] = {}
    for step in steps.list_steps(config):
        is_forced = step.name in forced_names
        histories[step.name] = StepHistory() if is_forced else read_history(db, step.name)
        off[step.name] = step.why_off(config) if step.why_off else None
        waiting[step.name] = None
        if step.count_waiting and not is_forced and not off[step.name]:
            waiting[step.name] = step.count_waiting(db, config)
    return PlanInputs(histories, waiting, off, clock.now())


def read_history(db: Database, name: str) -> StepHistory:
    """Read how a step went last, and when it was last done."""
    latest = next(iter(maintenance_steps.list_latest(db, name)), None)
    done = maintenance_steps.find_last_done(db, name)
    return StepHistory(latest.state if latest else None, done.ended_at if done else None)
