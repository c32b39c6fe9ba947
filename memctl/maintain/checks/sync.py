"""Checks of the stores that this one follows: places, change sets, members, keys."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from memctl.core import clock, timestamps
from memctl.core.errors import MemctlError
from memctl.maintain.checks.finding import (
    Finding,
    join_listed,
    make_note,
    make_ok,
    make_problem,
)
from memctl.results.store import SyncPlaceState
from memctl.results.sync import SyncStatusReport
from memctl.settings.config import Config
from memctl.store import files
from memctl.store.database import Database

# The name of the line in the report; `sync` is about the folder of the store.
_NAME = "sync_group"
# A place that nobody reached for so long is told of; a laptop is offline for a weekend.
_SILENT_DAYS = 3
_DAY_SECONDS = 86400


def check_sync(db: Database, config: Config) -> Iterator[Finding]:
    """Yield how this store stands with those that it follows; nothing if it follows none."""
    if not files.locate_sync_key(config.db).exists():
        yield from _check_lost_keys(db)
        return
    if find_spec("cryptography") is None or find_spec("pyrage") is None:
        told = "this store follows others, but the packages for it are missing: nothing travels"
        yield make_problem(_NAME, told, "pip install 'memctl[sync]'")
        return
    from memctl.sync import keys, status  # hardly anybody has several machines

    try:
        report = status.read_status(db, config)
        own = keys.load_keys(config)
        fork = keys.find_fork(db, config, own) if own is not None else None
    except MemctlError as error:
        yield make_problem(_NAME, str(error), error.hint)
        return
    faults = [*_list_faults(report, fork)]
    yield from faults
    if not faults:
        yield make_ok(_NAME, _describe_all(report))


def _check_lost_keys(db: Database) -> Iterator[Finding]:
    from memctl.store import sync_group

    if sync_group.list_places(db):
        yield make_note(
            _NAME,
            "the key of this machine is gone, so nothing travels: a store that was restored or "
            "moved has to be invited again",
            "`memctl sync join PLACE CODE` with a new invitation, or `memctl sync leave`",
        )


def _list_faults(report: SyncStatusReport, fork: str | None) -> Iterator[Finding]:
    if fork:
        yield make_note(
            _NAME, f"{fork}: at the next sync it goes on as a machine of its own", "`memctl sync`"
        )
    if report.damaged:
        yield make_note(
            _NAME,
            f"change sets that were passed over: {join_listed(report.damaged)}",
            "each is tried again at every sync; its writer's next `memctl sync` can put it right",
        )
    if report.waiting:
        yield make_note(
            _NAME,
            f"{report.waiting} changes wait for others that never came",
            "they come with the next sync of whoever made them; `memctl sync status` counts them",
        )
    for each in report.places:
        if _is_silent(each):
            yield make_note(
                _NAME,
                f"{each.name} was not reached since {each.failing_since}: {each.error}",
                "`memctl sync` tries now; `memctl sync leave PLACE` gives it up",
            )
    here = [one for each in report.members for one in each.devices if one.is_this]
    if not here:
        yield make_problem(
            _NAME,
            "you were removed from the group: what changes here reaches nobody",
            "`memctl sync leave`, and ask for a new invitation",
        )


def _is_silent(each: SyncPlaceState) -> bool:
    if each.failing_since is None:
        return False
    before = timestamps.add_seconds(clock.now(), seconds=-_SILENT_DAYS * _DAY_SECONDS)
    return each.failing_since < before


def _describe_all(report: SyncStatusReport) -> str:
    people = sum(not each.removed_at for each in report.members)
    machines = sum(each.machines for each in report.members if not each.removed_at)
    removed = [each.name for each in report.members if each.removed_at]
    told = f"{people} members with {machines} machines, at {len(report.places)} places"
    return f"{told}; removed: {join_listed(removed)}" if removed else told
