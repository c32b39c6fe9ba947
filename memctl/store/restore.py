"""Restoring a backup into the living store, among processes that use it.

The backup is checked, migrated and normalised in a private draft. Then SQLite itself copies the
draft's pages into the store in one write transaction: a process that has the store open sees the
old content or the new, and no file changes its name under it. The present store is copied before
nobody can write, and that copy gets the store's log once nobody can: what was acknowledged until
then stands in that copy, what is acknowledged later in the store.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from memctl.core.errors import (
    MemctlError,
    RefusedByPolicy,
    StoreDamaged,
    StoreLocked,
    StoreRefused,
    UsageError,
)
from memctl.core.model import Actor
from memctl.core.system_errors import explain_failed_write
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import backup, drafts, files, handover, witness
from memctl.store.database import WRITE_WAIT_SECONDS, Database, OperationalError
from memctl.store.migrate import make_private_folder, touch_private

# Attempts to copy a backup that another program is writing; chosen by hand.
_COPY_ATTEMPTS = 3


def restore_backup(
    config: Config,
    actor: Actor,
    path: Path,
    *,
    patience: float = WRITE_WAIT_SECONDS,
    prepare: Callable[[Database], None] = lambda _copy: None,
) -> TransferReport:
    """Replace the content of the store by that of a backup; wait `patience` seconds for others.

    `prepare` may change the private copy of the backup before anybody sees it.
    Raises UsageError, RefusedByPolicy, StoreDamaged, StoreTooNew, StoreLocked, StoreFull; nothing
    has changed then.
    """
    _refuse_unfit(config, actor, path)
    make_private_folder(config.db.parent)
    kept = config.db.with_name(f"{config.db.name}.before-restore-{files.format_now()}")
    with drafts.open_scratch(config, config.db) as draft:
        with backup.name_as(path, draft):
            _copy_store(path, draft)
            counts = backup.normalise_copy(draft)
            with closing(Database(draft)) as copied:
                prepare(copied)
        is_kept = _is_store(config.db)

        def announce() -> None:
            witness.announce_rewriting(config, f"restore of {path.name}")

        try:
            _replace_living(config, draft, kept if is_kept else None, patience, announce)
        except StoreRefused:
            raise
        except (StoreDamaged, OperationalError):
            announce()
            _replace_damaged(config.db, draft, kept, patience)
    notes = (f"the store that was here is kept at {kept}",) if is_kept else ()
    return TransferReport(
        str(config.db),
        {name: {"restored": count} for name, count in counts.items()},
        text="\n".join(notes) or None,
    )


def _refuse_unfit(config: Config, actor: Actor, path: Path) -> None:
    if not path.is_file():
        raise UsageError(f"there is no backup at {path}")
    store = config.db
    if store.is_dir():
        raise UsageError(f"{store} is a folder")
    if store.exists() and path.samefile(store):
        raise UsageError(f"{path} is the store itself")
    target = Path(os.path.realpath(store))
    if not target.parent.is_dir() and store.is_symlink():
        raise UsageError(f"{store} is a link to {target}, whose folder is not there")
    # Also where there is no store yet: everything in a backup is taken in at the trust it claims.
    if not actor.is_operator:
        raise RefusedByPolicy(
            "restoring takes a backup in at the trust that it claims, which needs the operator at "
            "a terminal",
            hint="`memctl import` takes an export in without raising trust",
        )


def _is_store(store: Path) -> bool:
    """Whether anything is there that a restore would replace."""
    return store.exists() and store.stat().st_size > 0


def _copy_store(path: Path, draft: Path) -> None:
    """Copy a store with what its write-ahead log holds.

    Raises UsageError if it is being written, StoreFull.
    """
    log = files.list_companions(path)[0]
    try:
        for _ in range(_COPY_ATTEMPTS):
            before = _read_state(path), _read_state(log)
            shutil.copyfile(path, draft)
            if before[1] is not None:
                shutil.copyfile(log, files.list_companions(draft)[0])
            if before == (_read_state(path), _read_state(log)):
                return
    except OSError as error:
        obstacle = explain_failed_write(error.errno, path)
        raise obstacle or UsageError(f"cannot read {path}: {error.strerror}") from error
    raise UsageError(f"{path} is being written", hint="copy it with `memctl backup` first")


def _read_state(path: Path) -> tuple[int, int, int] | None:
    """What tells that a file was changed; None if there is none."""
    with suppress(FileNotFoundError):
        found = path.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def _replace_living(
    config: Config,
    draft: Path,
    kept: Path | None,
    patience: float,
    announce: Callable[[], None],
) -> None:
    """Copy the draft into the store, which others may have open, and the store to `kept`.

    `announce` is called once it is certain that this happens now.
    """
    store = config.db
    touch_private(Path(os.path.realpath(store)))
    with ExitStack() as stack:
        target = stack.enter_context(closing(Database(store, patience=patience)))
        if kept is not None:
            target.write_ahead_log()
            _fit_page_size(draft, int(target.pragma("page_size")))
        source = stack.enter_context(closing(Database(draft)))
        if kept is None:
            source.copy_pages_into(target, announce)
        else:
            _copy_and_keep(config, source, target, kept, announce)
        store.chmod(0o600)
        files.sync_path(Path(os.path.realpath(store)).parent)
        _fold_in(target)
    if kept is not None:
        _fold_kept(kept)


def _copy_and_keep(
    config: Config, source: Database, target: Database, kept: Path, announce: Callable[[], None]
) -> None:
    """Copy the source into the store `target`, after the store as it was to `kept`.

    The long copy is made while others write. What they write until nobody can any more stands in
    the store's log, which is short: the copy gets it whole, as it would find it after a crash.
    While the reader looks at what it copied, SQLite begins no log anew that holds later changes.
    """
    store, log = target.path, files.list_companions(kept)[0]
    with ExitStack() as stack:
        spare = stack.enter_context(drafts.open_scratch(config, kept))
        stack.enter_context(backup.name_as(kept, spare))
        reader = stack.enter_context(closing(Database(store, patience=target.patience)))
        with suppress(StoreLocked):
            target.pragma("wal_checkpoint(TRUNCATE)")
        stack.enter_context(reader.snapshot())
        _copy_present(reader, spare)

        def keep() -> None:
            _copy_log(files.list_companions(store)[0], log)
            spare.rename(kept)
            files.sync_path(kept.parent)
            announce()

        try:
            source.copy_pages_into(target, keep)
        except BaseException:
            kept.unlink(missing_ok=True)
            log.unlink(missing_ok=True)
            raise


def _fit_page_size(draft: Path, size: int) -> None:
    """Give a draft pages of the store's size: no copy can change that of a living store."""
    with closing(Database(draft)) as db:
        if int(db.pragma("page_size")) != size:
            db.pragma("journal_mode", "DELETE")
            db.pragma("page_size", size)
            db.run("erase.vacuum")


def _copy_present(reader: Database, spare: Path) -> None:
    """Copy the store as the snapshot of `reader` shows it."""
    with closing(Database(spare)) as db:
        # It is synced as a whole before it gets its name.
        db.pragma("journal_mode", "OFF")
        db.pragma("synchronous", "OFF")
        reader.copy_pages_into(db)
    files.sync_path(spare)


def _copy_log(log: Path, place: Path) -> None:
    """Copy a write-ahead log that nobody can write to. Raises StoreFull, UsageError."""
    try:
        touch_private(place)
        shutil.copyfile(log, place)
        files.sync_path(place)
    except OSError as error:
        obstacle = explain_failed_write(error.errno, place)
        raise obstacle or UsageError(f"cannot write {place}: {error.strerror}") from error


def _fold_kept(kept: Path) -> None:
    """Make a kept copy one file; where that cannot be done now, whoever opens it does."""
    with suppress(MemctlError), closing(Database(kept)) as db:
        db.pragma("wal_checkpoint(TRUNCATE)")


def _fold_in(target: Database) -> None:
    """Fold the long write-ahead log in; most of it before any writer has to wait for that."""
    with suppress(StoreLocked):
        target.pragma("wal_checkpoint(PASSIVE)")
        target.pragma("wal_checkpoint(TRUNCATE)")


def _replace_damaged(store: Path, draft: Path, kept: Path, patience: float) -> None:
    """Write the draft over a store that SQLite cannot use, once nobody has it open."""
    try:
        handover.replace_content(store, draft, kept, patience)
    except OSError as error:
        obstacle = explain_failed_write(error.errno, error.filename or store)
        raise obstacle or StoreDamaged(
            f"{store}: it is damaged and cannot be kept: {error.strerror}",
            hint="move it away, then restore again",
        ) from error
