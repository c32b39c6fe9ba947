"""What a plan of maintenance is made from, read from the store in one look: how each step fared, and what waits for it."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.maintain import steps as table
from memctl.maintain.plan import Known, Past, Step
from memctl.settings.config import Config
from memctl.store import maintenance_steps
from memctl.store.database import Db


def known(db: Db, config: Config, forced: Iterable[str] = ()) -> Known:
    """Everything that decides which steps are due; `forced` ones are, whatever is known of them."""
    wanted = set(forced)
    past = {
        step.name: Past() if step.name in wanted else past_of(db, step.name)
        for step in table.in_force(config)
    }
    off = {step.name: step.off(config) if step.off else None for step in table.in_force(config)}
    waits = {
        step.name: None if step.name in wanted or off[step.name] else _waits(db, config, step)
        for step in table.in_force(config)
    }
    return Known(past, waits, off, clock.now())


def past_of(db: Db, name: str) -> Past:
    """How a step fared last."""
    last, done = (
        next(iter(maintenance_steps.latest(db, name)), None),
        maintenance_steps.done(db, name),
    )
    return Past(last.state if last else None, done.ended_at if done else None)


def _waits(db: Db, config: Config, step: Step) -> int | None:
    return step.waits(db, config) if step.waits else None
