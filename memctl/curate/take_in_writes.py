"""Store the writes that wait in the spool, as if they had been stored when they were written.

Each is stored once, whoever finds it and however often: its records have their ids, its progress is
in the ledger of unfinished operations, and its file goes once everything is stored. A file that
cannot be read, and a write that is refused by now, is set aside and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import MemctlError, StoreLocked, UsageError
from memctl.core.model import Actor
from memctl.core.typing_lite import Any
from memctl.curate import editing, profile_facts, spooled_writes, undrafted_writes
from memctl.curate.chunked_writes import ChunkedWrite, Progress, TakenOver
from memctl.curate.write_drafts import unpack_draft
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import spool, unfinished
from memctl.store.database import Database, IntegrityError
from memctl.store.unfinished import UnfinishedOperation

# Who is said to have written what nobody vouches for.
_NOBODY = "agent:spool"


def take_in_writes(db: Database, config: Config, work: BoundedWork, problems: list[str]) -> int:
    """Store what waits and is not being stored by a living process; returns how many files.

    Counts each as `spool_taken`. Appends to `problems` what went wrong. Raises StoreLocked.
    """
    begun = {
        str(operation.data.get("file")): operation
        for operation in unfinished.list_operations(db, spooled_writes.INGEST)
    }
    abandoned = {operation.id for operation in unfinished.list_abandoned(db, spooled_writes.INGEST)}
    for file in spool.list_files(config, spooled_writes.KIND):
        if work.must_stop():
            break
        operation = begun.get(file.name)
        if operation is not None and not (operation.id in abandoned and _claim(db, operation)):
            continue
        try:
            work.count("spool_taken", _take_in_file(db, config, file, operation, work))
        except TakenOver:
            continue
        except StoreLocked:
            raise
        except (MemctlError, KeyError, TypeError, ValueError, OSError, IntegrityError) as error:
            spool.set_aside(file)
            _end_operation(db, operation)
            problems.append(f"{file.name}: {error}")
    _end_lost_operations(db, config, problems)
    return work.counts["spool_taken"]


def _claim(db: Database, operation: UnfinishedOperation) -> bool:
    with db.write():
        return unfinished.claim_abandoned(db, operation)


def _take_in_file(
    db: Database,
    config: Config,
    file: Path,
    operation: UnfinishedOperation | None,
    work: BoundedWork,
) -> bool:
    """Store what one file holds and remove it; False if another process was faster, or if told to
    stop before the end.
    """
    payload = spool.read_file(file)
    if payload is None:
        if not file.exists():
            return False
        raise UsageError("cannot be read")
    actor = Actor(payload["actor"] if spool.has_seal(config, payload) else _NOBODY)
    if payload["what"] == spooled_writes.INGEST:
        is_done = _store_ingest(db, config, actor, payload, file, operation, work)
    elif payload["what"] == spooled_writes.FACT:
        [packed] = payload["items"]
        draft = unpack_draft(packed, actor)
        profile_facts.store_fact(db, config, actor, draft, has_waited=True)
        is_done = True
    elif payload["what"] == spooled_writes.CORRECTION:
        _store_correction(db, config, actor, payload)
        is_done = True
    else:
        raise ValueError(f"damaged: {payload['what']!r} is nothing that waits")
    if is_done:
        file.unlink(missing_ok=True)
    return is_done


def _store_ingest(
    db: Database,
    config: Config,
    actor: Actor,
    payload: Mapping[str, Any],
    file: Path,
    operation: UnfinishedOperation | None,
    work: BoundedWork,
) -> bool:
    if "undrafted" in payload:
        drafts = undrafted_writes.draft_waiting(db, config, actor, payload)
    else:
        drafts = [unpack_draft(packed, actor) for packed in payload["items"]]
    progress = Progress()
    if operation is not None:
        progress = Progress(int(operation.data["stored"]), int(operation.data["compared"]))
    write = ChunkedWrite(
        db,
        config,
        actor,
        drafts,
        operation=str(payload["operation"]),
        file=file,
        progress=progress,
        is_begun=operation is not None,
    )
    return write.run(work.must_stop)


def _store_correction(
    db: Database, config: Config, actor: Actor, payload: Mapping[str, Any]
) -> None:
    told = payload["correction"]
    redactor = make_redactor(config)
    for name in ("record_id", "content"):
        if not isinstance(told[name], str):
            raise ValueError(f"damaged: {name} is {told[name]!r}")
    editing.store_correction(
        db, config, actor, editing.Correction(**told), redactor, waited_since=str(payload["at"])
    )


def _end_operation(db: Database, operation: UnfinishedOperation | None) -> None:
    if operation is not None:
        with db.write():
            unfinished.end_operation(db, operation.id)


def _end_lost_operations(db: Database, config: Config, problems: list[str]) -> None:
    """End what can never be finished, because its file is gone; and say so."""
    for operation in unfinished.list_abandoned(db, spooled_writes.INGEST):
        name = str(operation.data.get("file"))
        if not (config.spool / name).exists() and _claim(db, operation):
            _end_operation(db, operation)
            problems.append(f"{name}: the rest of an ingest is gone with this file")
