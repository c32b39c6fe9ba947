"""What `doctor` says of maintenance: whether it runs, which steps fail, and which never come to their end."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core import clock, timestamps
from memctl.maintain import steps as table
from memctl.results.store import Check
from memctl.settings.config import Config
from memctl.store import maintenance_steps, meta
from memctl.store.database import Db

_STALE_DAYS = 2.0
# A step that was stopped so many times in a row will hardly ever be done.
_TOO_OFTEN = 3


def checks(db: Db, config: Config) -> Iterator[Check]:
    """Whether maintenance runs at all, and how its steps fare."""
    yield _lately(db)
    yield _steps(db, config)


def _lately(db: Db) -> Check:
    last, cure = (
        meta.get(db, "last_maintained"),
        "run `memctl maintain`, or install its timer (contrib/cron)",
    )
    if last is None:
        return Check("maintenance", "note", "the store was never maintained", cure)
    days = timestamps.days_between(last, clock.now())
    if days > _STALE_DAYS:
        return Check("maintenance", "note", f"last maintained {days:.0f} days ago", cure)
    return Check("maintenance", "ok", f"last maintained {last}")


def _steps(db: Db, config: Config) -> Check:
    failed, endless, ran = list[str](), list[str](), list[str]()
    for step in table.in_force(config):
        lately = maintenance_steps.latest(db, step.name, _TOO_OFTEN)
        if not lately or (step.off and step.off(config)):
            continue
        if lately[0].state == "failed":
            failed.append(f"{step.name} failed at {lately[0].started_at}: {lately[0].error}")
        elif len(lately) == _TOO_OFTEN and all(each.state == "unfinished" for each in lately):
            endless.append(f"{step.name} was stopped {_TOO_OFTEN} times before it was done")
        done = maintenance_steps.done(db, step.name)
        ran += [f"{step.name} {done.started_at[:16]}Z"] if done else []
    if failed:
        return Check(
            "steps",
            "problem",
            "; ".join([*failed, *endless]),
            "`memctl maintain --step NAME` tries one again",
        )
    if endless:
        return Check(
            "steps",
            "note",
            "; ".join(endless),
            "`memctl maintain` without --budget, or with a larger one (maintain.budget)",
        )
    return Check(
        "steps",
        "ok",
        f"last done: {', '.join(ran)}" if ran else "no step of maintenance has trouble",
    )
