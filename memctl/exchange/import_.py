"""Import of an export: the operator's own into an empty store is a restore, else a merge by id.

The whole file is read, checked and redacted into a staged file first; then its units are applied in
short transactions, under one operation, so that others wait for no more than one of them. What they
changed meanwhile is looked at again in each. A kill leaves an operation that `finish_imports` ends.
A bad line is reported with its number and skipped. A dry run applies everything to a copy.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

from memctl.core import clock, process_identity
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import dataclass, replace
from memctl.core.garbage import collect_seldom
from memctl.core.model import Actor
from memctl.core.regular_files import read_stream
from memctl.core.typing_lite import Any, BinaryIO
from memctl.exchange import merge, merge_records, merge_tags, origins, staging, untold_changes
from memctl.exchange.import_state import ImportState
from memctl.exchange.reading import ExportLine, ExportReader, ProblemList, open_export
from memctl.exchange.sections import SECTIONS
from memctl.exchange.staging import StagedImport
from memctl.redact.redactor import make_redactor
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import (
    chunks,
    drafts,
    event_log,
    exchange,
    files,
    staged_imports,
    unfinished,
    upkeep,
)
from memctl.store.database import Database
from memctl.store.migrate import open_store

_KIND = "import"
# Batches that are prepared before a transaction begins; chosen by hand.
_BATCHES_AHEAD = 3
_HANDLERS: Mapping[str, Callable[[ImportState, Sequence[ExportLine]], None]] = {
    "source_parts": merge.merge_source_parts,
    "memories": merge_records.merge_records,
    "stream": merge_records.merge_event_log,
    "tombstones": merge_records.merge_tombstones,
}


@dataclass(frozen=True, slots=True)
class _Applying:
    """One import on its way: its number, what has been staged, and how others are let in."""

    operation_id: str
    staged: StagedImport
    state: ImportState
    is_copy: bool = False


def import_file(
    db: Database | None,
    config: Config,
    actor: Actor,
    path: Path,
    *,
    origin: str | None = None,
    dry_run: bool,
    work: BoundedWork | None = None,
) -> TransferReport:
    """Import an export; `origin` is `mine`, a name, or `unknown` (also if None).

    The store may be None for a dry run; `work` is told how far it is. Raises UsageError,
    UnknownFormat, NothingInIt, StoreTooNew, RefusedByPolicy.
    """
    whose = origins.read_origin(origin, actor)
    with collect_seldom(), _open_lines(path, config) as (export, cause):
        if dry_run:
            with _open_copy(db, config) as (copy, place):
                state = _run_import(copy, place, actor, export, cause, whose, work, is_copy=True)
        else:
            assert db is not None
            finish_imports(db, config)
            state = _run_import(db, config, actor, export, cause, whose, work, is_copy=False)
        problems = export.problems.list_all()
    note = origins.describe_import(whose)
    return TransferReport(str(path), state.build_report(), problems, dry_run, text=note)


def finish_imports(db: Database, config: Config, work: BoundedWork | None = None) -> int:
    """Finish the imports that were cut off, and remove the files of those that ended.

    Returns how many were finished; stops between two transactions when `work` must.
    """
    finished = 0
    for operation in unfinished.list_abandoned(db, _KIND):
        with db.write():
            is_ours = unfinished.claim_abandoned(db, operation)
        if is_ours and _resume(db, config, operation, work or BoundedWork()):
            finished += 1
    staged_imports.remove_orphans(db, config)
    return finished


@contextmanager
def _open_lines(path: Path, config: Config) -> Iterator[tuple[ExportReader, str]]:
    with open_export(path) as opened:
        handle: BinaryIO = opened if path.is_file() else io.BytesIO(read_stream(opened, str(path)))
        export = ExportReader(handle, path, make_redactor(config))
        yield export, _describe_cause(handle)


@contextmanager
def _open_copy(db: Database | None, config: Config) -> Iterator[tuple[Database, Config]]:
    """A copy of the store in which a dry run may do everything; an empty one if there is none."""
    with ExitStack() as stack:
        if db is None:
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix=process_identity.name_temporary())
            )
            config = replace(config, db=Path(folder, config.db.name))
        scratch = stack.enter_context(drafts.open_scratch(config, config.db))
        if db is not None:
            upkeep.copy_into(db, scratch)
        copy = open_store(scratch, create=True)
        stack.callback(copy.close)
        copy.pragma("synchronous", "OFF")
        yield copy, config


def _run_import(
    db: Database,
    config: Config,
    actor: Actor,
    export: ExportReader,
    cause: str,
    origin: str | None,
    work: BoundedWork | None,
    *,
    is_copy: bool,
) -> ImportState:
    """Stage a file and apply it."""
    work = work or BoundedWork()
    exact = origin is None and exchange.is_empty(db)
    operation_id, at = clock.new_id(), clock.now()
    state = ImportState(db, actor, cause, at, origin, exact, export.problems)
    target = staged_imports.locate_staged(config, operation_id)
    note = {"done": 0, "origin": origin, "exact": exact, "cause": cause, "at": at}
    with drafts.open_scratch(config, target) as draft:
        lines = export.read_lines()
        staged = staging.stage_lines(lines, draft, export.problems, exact=exact)
        if not staged.units:
            return state
        state.alone = exact
        applying = _Applying(operation_id, staged, _learn(state, staged), is_copy)
        if is_copy:
            _apply(applying, note, 0, work)
            return state
        files.sync_path(draft)
        with db.write():
            unfinished.begin_operation(db, _KIND, note, actor=actor.name, id=operation_id)
        draft.replace(target)
        files.sync_path(target.parent)
        staged.path = target
    _apply(applying, note, 0, work)
    files.shred_file(target)
    return state


def _resume(
    db: Database, config: Config, operation: unfinished.UnfinishedOperation, work: BoundedWork
) -> bool:
    """Apply the rest of an import that was cut off; False if that is impossible or must wait."""
    note = dict(operation.data)
    target = staged_imports.locate_staged(config, operation.id)
    try:
        staged = staging.open_staged(target, exact=bool(note["exact"]))
    except (OSError, ValueError, KeyError, TypeError):
        if note.get("done"):  # Doctor names it: the same import, run again, brings the rest.
            return False
        with db.write():
            unfinished.end_operation(db, operation.id)
        return False
    state = ImportState(
        db,
        Actor(operation.actor),
        str(note["cause"]),
        str(note["at"]),
        note["origin"],
        bool(note["exact"]),
        ProblemList(),
    )
    _learn(state, staged)
    for line in staged.read_lines(staged.units[: int(note["done"])]):
        merge.note_missing_pointer(state, line)
        untold_changes.note_done(state, line)
    is_done = _apply(_Applying(operation.id, staged, state), note, int(note["done"]), work)
    if is_done:
        files.shred_file(target)
    return is_done


def _learn(state: ImportState, staged: StagedImport) -> ImportState:
    state.in_file, state.alive = staged.in_file, frozenset(staged.alive)
    state.entities, state.expected = staged.entities, staged.expected
    return state


def _apply(applying: _Applying, note: dict[str, Any], start: int, work: BoundedWork) -> bool:
    """Apply the units from one on, in short transactions; False if the time was over before."""
    state, db = applying.state, applying.state.db
    batches = applying.staged.read_batches(start)
    # What is to be stored next is prepared here, where nobody waits for it.
    ready = deque(islice(batches, _BATCHES_AHEAD))
    version = db.pragma("data_version")
    while ready:
        if work.must_stop():
            return False
        with _chunk(applying):
            # What another process wrote since the last chunk ends the time of being alone.
            state.alone = state.alone and db.pragma("data_version") == version
            until = clock.read_monotonic() + chunks.CHUNK_SECONDS
            while ready:
                done, lines = ready.popleft()
                _apply_batch(state, lines)
                if clock.read_monotonic() >= until:
                    break
            work.tell(done, len(applying.staged.units))
            if not applying.is_copy:
                note["done"] = done
                unfinished.note_progress(db, applying.operation_id, note)
        version = db.pragma("data_version")
        ready.extend(islice(batches, _BATCHES_AHEAD - len(ready)))
        if ready:
            chunks.pause_between_chunks()
    return _finish(applying, work)


def _finish(applying: _Applying, work: BoundedWork) -> bool:
    """Do what needs every line, log what the event log does not tell yet, and end the import."""
    state, db = applying.state, applying.state.db
    for key in applying.staged.untold:
        state.untold.setdefault(key, None)
    is_done = False
    while not is_done:
        if work.must_stop():
            return False
        with _chunk(applying):
            merge.finish_pointers(state)
            is_done = untold_changes.log_untold(state, chunks.CHUNK_SECONDS)
            if is_done and not applying.is_copy:
                unfinished.end_operation(db, applying.operation_id)
        if not is_done:
            chunks.pause_between_chunks()
    return True


@contextmanager
def _chunk(applying: _Applying) -> Iterator[None]:
    """One short transaction of an import, under its operation."""
    state = applying.state
    who = {"actor": state.actor.name, "cause": state.cause}
    with (
        state.db.write(),
        event_log.group_changes(state.db, operation=applying.operation_id, **who),
    ):
        yield


def _apply_batch(state: ImportState, lines: Sequence[ExportLine]) -> None:
    state.begin_batch()
    for section in SECTIONS:
        batch = [line for line in lines if line.section == section.name]
        if batch:
            _HANDLERS.get(section.name, merge.merge_rows)(state, batch)
    ids = [line.row["id"] for line in lines if line.section == "memories"]
    merge_records.finish_records(state, ids)
    merge_tags.take_off_removed(state, ids)
    merge.finish_batch(state)
    untold_changes.note_missing_mentions(state, lines)
    if not state.exact:
        untold_changes.log_untold(state)


def _describe_cause(handle: BinaryIO) -> str:
    """The cause in the event log: a hash of the manifest, which holds the checksums of all
    lines.
    """
    place = handle.tell()
    handle.seek(0)
    mark = hashlib.sha256(handle.readline(1 << 20)).hexdigest()[:16]
    handle.seek(place)
    return f"import {mark}"
