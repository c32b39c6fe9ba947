"""Checks of maintenance itself: whether it runs, which steps fail or never come to their end."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core import clock, timestamps
from memctl.maintain import steps
from memctl.maintain.checks.finding import Finding, make_note, make_ok, make_problem
from memctl.records import upkeep
from memctl.settings.config import Config
from memctl.store import maintenance_steps
from memctl.store.database import Database

# Maintenance that did not run for so many days is worth a note. Chosen by hand.
_STALE_DAYS = 2.0
# What starts it, where that is no timer.
_WAYS = {
    upkeep.HOOKS: "hooks start it after a session",
    upkeep.NOTHING: "nothing starts it by itself",
}
# A step that was cut off so many times in a row will hardly ever be done. Chosen by hand.
_TOO_MANY_CUTS = 3


def check_last_run(db: Database, config: Config) -> Iterator[Finding]:
    """Maintenance ran lately, and who starts it."""
    state = upkeep.find_upkeep(db, config)
    last_run = state.last_run
    way = _WAYS.get(state.way, f"{state.way} starts it")
    cure = "run `memctl maintain`, or install its timer (`memctl setup timer`)"
    if config["maintain.auto"]:
        cure += "; without one, hooks start it once a session is captured"
    if last_run is None:
        yield make_note("maintenance", f"maintenance never ran; {way}", cure)
        return
    days = timestamps.days_between(last_run, clock.now())
    if days > _STALE_DAYS:
        told = f"maintenance last ran {days:.0f} days ago; {way}"
        yield make_note("maintenance", told, cure)
    else:
        starter = state.started_by
        is_named = starter is not None and starter != state.way
        by = f", started by {'a hook' if starter == 'hook' else starter}" if is_named else ""
        yield make_ok("maintenance", f"maintenance last ran at {last_run}{by}; {way}")


def check_steps(db: Database, config: Config) -> Iterator[Finding]:
    """Every step comes to its end sooner or later."""
    failed = list[str]()
    cut_off = list[str]()
    last_done = list[str]()
    for step in steps.list_steps(config):
        latest = maintenance_steps.list_latest(db, step.name, _TOO_MANY_CUTS)
        if not latest or (step.why_off and step.why_off(config)):
            continue
        states = [ran.state for ran in latest]
        if states[0] == "failed":
            failed.append(f"{step.name} failed at {latest[0].started_at}: {latest[0].error}")
        elif states == ["unfinished"] * _TOO_MANY_CUTS:
            cut_off.append(f"{step.name} was cut off {_TOO_MANY_CUTS} times before it was done")
        done = maintenance_steps.find_last_done(db, step.name)
        if done:
            last_done.append(f"{step.name} {done.started_at[:16]}Z")
    yield _report_steps(failed, cut_off, last_done)


def _report_steps(failed: list[str], cut_off: list[str], last_done: list[str]) -> Finding:
    if failed:
        cure = "`memctl maintain --step NAME` tries one again"
        return make_problem("steps", "; ".join([*failed, *cut_off]), cure)
    if cut_off:
        cure = "`memctl maintain` without --budget, or with a larger one (maintain.budget)"
        return make_note("steps", "; ".join(cut_off), cure)
    if last_done:
        return make_ok("steps", f"last done: {', '.join(last_done)}")
    return make_ok("steps", "no maintenance step failed")
