"""Checks of what agents and their hooks left: the ingestion queue, the spool, the hook log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.regular_files import open_regular_file
from memctl.maintain.checks.finding import (
    MAX_LISTED,
    Finding,
    find_faults,
    make_note,
    make_ok,
    make_problem,
)
from memctl.settings.config import Config
from memctl.store import queue, spool
from memctl.store.database import Database

# A hook says nothing to its agent; its failures of so many days are told here. Chosen by hand.
_HOOK_DAYS = 7.0
# How much of the end of the log is read, in bytes; how many of its lines are shown.
_HOOK_LOG_BYTES = 65536
_SHOWN_LINES = 3


def check_queue(db: Database, _config: Config) -> Iterator[Finding]:
    """No ingestion failed."""
    by_state = queue.count_by_state(db)
    dead, failed, waiting = (by_state.get(state, 0) for state in ("dead", "failed", "queued"))
    if dead:
        detail = f"{dead} ingestions gave up, {failed} will be tried again"
        finding = make_problem("queue", detail, "`memctl doctor --repair` tries them again")
        yield replace(
            finding,
            repaired=f"queued {dead + failed} ingestions again",
            repair=lambda: _retry_jobs(db),
        )
    elif failed:
        detail = f"{failed} ingestions failed and will be tried again, {waiting} waiting"
        yield make_note("queue", detail, "`memctl maintain`")
    else:
        yield make_ok("queue", f"{waiting} ingestions waiting, none failed")


def _retry_jobs(db: Database) -> None:
    with db.write():
        queue.retry_all(db, clock.now())


def check_spool(_db: Database, config: Config) -> Iterator[Finding]:
    """Nothing waits in the spool folder, and nothing there is unreadable."""
    damaged = spool.list_damaged(config)
    waiting = spool.list_files(config)
    if damaged:
        yield find_faults(
            "spool",
            [path.name for path in damaged],
            ok="",
            label=f"unreadable files in {config.spool}",
            cure="look at them; no command will take them in",
        )
    elif waiting:
        cure = "`memctl maintain` takes them in; it waits up to a day for unfinished transcripts"
        yield make_note("spool", f"{len(waiting)} files waiting in {config.spool}", cure)
    else:
        yield make_ok("spool", "the spool folder is empty")


def check_hooks(_db: Database, config: Config) -> Iterator[Finding]:
    """No hook failed lately."""
    log = config.db.parent / "hook.log"
    try:
        lines = _read_last_lines(log)
    except FileNotFoundError:
        yield make_ok("hooks", "no hook ever failed")
        return
    except OSError as error:
        yield make_note("hooks", f"cannot read {log}: {error.strerror}")
        return
    now = clock.now()
    oldest = timestamps.add_seconds(now, seconds=-86400 * _HOOK_DAYS)
    # A line is `TIME AGENT EVENT: what went wrong`; the order of such times as text is their order.
    recent = [line for line in lines if oldest <= line[: len(now)] <= now]
    if not recent:
        yield make_ok("hooks", f"no hook failed in the last {_HOOK_DAYS:.0f} days")
        return
    callers = Counter(_parse_caller(line[len(now) :]) for line in recent)
    by_caller = ", ".join(f"{name} {many}" for name, many in callers.most_common(MAX_LISTED))
    yield make_note(
        "hooks",
        f"hook failures in the last {_HOOK_DAYS:.0f} days: {len(recent)} ({by_caller}); "
        f"the latest: {'; '.join(recent[-_SHOWN_LINES:])}",
        f"see {log}",
    )


def _read_last_lines(log: Path) -> list[str]:
    with open_regular_file(log) as stream:
        stream.seek(max(0, log.stat().st_size - _HOOK_LOG_BYTES))
        return stream.read().decode("utf-8", "replace").splitlines()


def _parse_caller(line: str) -> str:
    """The agent and event that a line of the hook log begins with."""
    return line.partition(":")[0].strip() or "no agent named"
