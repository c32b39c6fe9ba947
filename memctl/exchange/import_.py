"""Import of an export file in one transaction: into an empty store a restore, else a merge by id.

A bad line is reported with its number and skipped. A regular file is read inside the transaction,
because reading is quicker than merging; a pipe is read to its end first. A dry run does all the
work and rolls back.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from memctl.core import clock
from memctl.core.model import Actor
from memctl.exchange import merge, merge_records
from memctl.exchange.import_state import ImportState
from memctl.exchange.reading import ExportLine, ExportReader, open_export
from memctl.history import rebuild
from memctl.redact.redactor import make_redactor
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import event_log, exchange
from memctl.store.database import Database

_HANDLERS: Mapping[str, Callable[[ImportState, Sequence[ExportLine]], None]] = {
    "source_parts": merge.merge_source_parts,
    "memories": merge_records.merge_records,
    "stream": merge_records.merge_event_log,
    "tombstones": merge_records.merge_tombstones,
}


class _DryRun(BaseException):
    """Raised to roll the transaction back."""


def import_file(
    db: Database, config: Config, actor: Actor, path: Path, *, dry_run: bool
) -> TransferReport:
    """Import an export. Raises UsageError, UnknownFormat, NothingInIt, StoreTooNew."""
    with open_export(path) as opened:
        handle: BinaryIO = opened if path.is_file() else io.BytesIO(opened.read())
        export = ExportReader(handle, path, make_redactor(config))
        state = _import_lines(db, actor, export, _describe_cause(handle), dry_run)
    return TransferReport(str(path), state.build_report(), export.problems.list_all(), dry_run)


def _import_lines(
    db: Database, actor: Actor, export: ExportReader, cause: str, dry_run: bool
) -> ImportState:
    try:
        with db.write():
            rebuild.record_untracked(db)
            astray = {(each.topic, each.item) for each in rebuild.find_differences(db)}
            ended = rebuild.list_ended(db)
            with event_log.group_changes(db, actor=actor.name, cause=cause):
                state = ImportState(
                    db,
                    actor,
                    cause,
                    clock.now(),
                    exchange.is_empty(db),
                    export.problems,
                    ended=ended,
                )
                for batch in _split_into_batches(export.read_lines()):
                    _HANDLERS.get(batch[0].section, merge.merge_rows)(state, batch)
                merge_records.finish_records(state)
                merge.finish_rows(state)
                rebuild.log_untracked_changes(db, skip=astray)
            if dry_run:
                raise _DryRun
    except _DryRun:
        pass
    return state


def _split_into_batches(lines: Iterator[ExportLine]) -> Iterator[list[ExportLine]]:
    """Split lines into runs of one section and limited length."""
    batch: list[ExportLine] = []
    for line in lines:
        if batch and (line.section != batch[0].section or len(batch) >= exchange.BATCH):
            yield batch
            batch = []
        batch.append(line)
    if batch:
        yield batch


def _describe_cause(handle: BinaryIO) -> str:
    """The cause in the event log: a hash of the manifest, which holds the checksums of all
    lines.
    """
    place = handle.tell()
    handle.seek(0)
    mark = hashlib.sha256(handle.readline(1 << 20)).hexdigest()[:16]
    handle.seek(place)
    return f"import {mark}"
