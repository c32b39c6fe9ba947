"""An export file taken into a store, in one transaction: an empty store becomes what the file says, any other is merged with it by id.

A bad line is reported with its number and passed over. A regular file is read inside the transaction, because reading it is quicker than
working on it; anything else (a pipe) is read to its end before. A dry run does the whole work and takes it back.
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
from memctl.exchange.import_state import Arrival
from memctl.exchange.reading import Export, Line, open_export
from memctl.history import rebuild
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import event_log, exchange
from memctl.store.database import Database

_HANDLERS: Mapping[str, Callable[[Arrival, Sequence[Line]], None]] = {
    "source_parts": merge.parts,
    "memories": merge_records.memories,
    "stream": merge_records.changes,
    "tombstones": merge_records.entombed,
}


class _DryRun(BaseException):
    """Leaves the transaction so that it is taken back."""


def import_file(
    db: Database, config: Config, actor: Actor, path: Path, *, dry_run: bool
) -> TransferReport:
    """Take an export in. Raises UsageError, UnknownFormat, NothingInIt, StoreTooNew."""
    with open_export(path) as opened:
        handle: BinaryIO = opened if path.is_file() else io.BytesIO(opened.read())
        export = Export(handle, path)
        arrival = _import(db, actor, export, _cause(handle), dry_run)
    return TransferReport(str(path), arrival.report(), export.problems.all(), dry_run)


def _import(db: Database, actor: Actor, export: Export, cause: str, dry_run: bool) -> Arrival:
    try:
        with db.write():
            rebuild.ensure(db)
            astray = {(each.topic, each.item) for each in rebuild.differences(db)}
            ended = rebuild.ended(db)
            with event_log.operation(db, actor=actor.name, cause=cause):
                arrival = Arrival(
                    db,
                    actor,
                    cause,
                    clock.now(),
                    exchange.is_empty(db),
                    export.problems,
                    ended=ended,
                )
                for batch in _batches(export.lines()):
                    _HANDLERS.get(batch[0].section, merge.rows)(arrival, batch)
                merge_records.finish(arrival)
                merge.finish(arrival)
                rebuild.catch_up(db, but=astray)
            if dry_run:
                raise _DryRun
    except _DryRun:
        pass
    return arrival


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Runs of lines of one section, not too long."""
    batch: list[Line] = []
    for line in lines:
        if batch and (line.section != batch[0].section or len(batch) >= exchange.BATCH):
            yield batch
            batch = []
        batch.append(line)
    if batch:
        yield batch


def _cause(handle: BinaryIO) -> str:
    """How the stream names this file: by its first line, which holds the checksums of everything in it."""
    place = handle.tell()
    handle.seek(0)
    mark = hashlib.sha256(handle.readline(1 << 20)).hexdigest()[:16]
    handle.seek(place)
    return f"import {mark}"
