"""What `maintain` does for the journal: notes of the days that are missing, then new versions of
MEMORY.md that wait for the operator. Each day and each place is a piece of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import MemctlError, UsageError
from memctl.core.model import Actor
from memctl.journal import daily_notes, dream, journal_files
from memctl.journal.local_days import Calendar, list_days, step_days
from memctl.journal.proposal import DreamOptions, Wording
from memctl.settings.config import Config
from memctl.store import event_log, memory_documents, meta
from memctl.store.database import Database

ACTOR = Actor("maintain")
# The note of the last day whose note is complete, and of the folder that it stands in.
_KEPT_TO = "journal_kept"
# Days told at most when a folder is new. Chosen by hand.
_FIRST_DAYS = 31
# Characters of a hash that stands for a folder.
_HASH_LENGTH = 16


def keep_journal(
    db: Database,
    config: Config,
    work: BoundedWork,
    problems: list[str],
    wording: Callable[[], Wording | None],
) -> None:
    """Write the notes that are missing, then stage what is new in each MEMORY.md.

    Counts `days_written` and `documents_staged`; what cannot be written is a problem, and the rest
    is done.
    """
    work.counts.update(days_written=0, documents_staged=0)
    folder = journal_files.find_folder(config, None)
    if folder is None:
        return
    _keep_days(db, config, folder, work, problems)
    _stage_documents(db, config, work, problems, wording)


def _keep_days(
    db: Database, config: Config, folder: Path, work: BoundedWork, problems: list[str]
) -> None:
    """Write each day since the last complete one; of a day that is not over, what there is."""
    calendar = Calendar(config)
    today = calendar.find_today()
    for day in list_missing_days(db, config, folder):
        if work.must_stop():
            return
        try:
            report = daily_notes.keep_note(db, config, day)
        except UsageError as error:
            problems.append(str(error))
        else:
            work.count("days_written", report.state == "written")
        if day < today:
            with db.write():
                meta.put_note(db, _KEPT_TO, f"{day} {_hash_folder(folder)}")


def list_missing_days(db: Database, config: Config, folder: Path) -> list[str]:
    """List the days whose note is missing or not complete, today's last."""
    calendar = Calendar(config)
    today = calendar.find_today()
    parts = (meta.get_note(db, _KEPT_TO) or "").split()
    if len(parts) == 2 and parts[1] == _hash_folder(folder) and parts[0] <= today:
        return list_days(step_days(parts[0], 1), today)
    began = event_log.find_first_time(db)
    first = calendar.find_date(began) if began else today
    return list_days(max(min(first, today), step_days(today, -_FIRST_DAYS)), today)


def _hash_folder(folder: Path) -> str:
    return hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:_HASH_LENGTH]


def _stage_documents(
    db: Database,
    config: Config,
    work: BoundedWork,
    problems: list[str],
    wording: Callable[[], Wording | None],
) -> None:
    options = DreamOptions(
        int(config["journal.days"]),
        int(config["journal.memory_budget"]),
        journal_files.find_folder(config, None),
        wording(),
    )
    staged = memory_documents.list_staged_places(db)
    for place in sorted({*dream.find_places(db, None), *staged}):
        if work.must_stop():
            return
        before = memory_documents.find_document(db, place, "staged")
        try:
            report = dream.stage_documents(db, config, ACTOR, [place], options)
        except MemctlError as error:
            problems.append(str(error))
            continue
        is_new = report.items[0].state == "staged" and (
            before is None or before.id != report.items[0].id
        )
        work.count("documents_staged", is_new)
