"""Complete private copies of the store, and restoring one.

A backup is made by VACUUM INTO, which works while others write, into an empty private file that is
checked before it gets its name. A restore works on a copy of the backup: it checks and migrates it,
keeps the present store beside it with all its rows, and replaces the store in one step. A process
that has the old store open at that moment goes on with the kept file.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from memctl.core.errors import RefusedByPolicy, StoreDamaged, StoreLocked, StoreTooNew, UsageError
from memctl.core.model import Actor
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import files, upkeep
from memctl.store.database import APPLICATION_ID, Database
from memctl.store.migrate import (
    get_latest_version,
    make_private_folder,
    open_store,
    read_schema_version,
)


def make_backup(db: Database, config: Config, path: Path | None) -> TransferReport:
    """Copy the store to `path`, or among the automatic backups, of which the newest are kept.

    Raises UsageError, StoreDamaged.
    """
    target = (path or config.backups / f"{files.format_now()}.db").absolute()
    if target.exists():
        what = (
            "is the store itself"
            if target.samefile(config.db)
            else "is there already; name another file, or none for the usual place"
        )
        raise UsageError(f"{target} {what}")
    if os.fsencode(target).decode(errors="replace") != str(target):
        raise UsageError(
            f"{target}: SQLite copies only to a path that is text in UTF-8",
            hint="name one: memctl backup PATH",
        )
    if path is None:
        make_private_folder(config.backups)
    with files.write_draft(target) as beside:
        upkeep.copy_into(db, beside)
        counts = _normalise_copy(beside)
    if path is None:
        _keep_newest(config.backups, max(1, config["backup.keep"]))
    return _build_report(target, counts, "copied")


def copy_unchecked(db: Database, config: Config) -> str:
    """Copy a store that is about to be repaired, whatever is wrong with it; return the copy's
    path.
    """
    target = (config.backups / f"{files.format_now()}-before-rebuild.db").absolute()
    make_private_folder(config.backups)
    with files.write_draft(target) as beside:
        upkeep.copy_into(db, beside)
    return str(target)


def restore_backup(config: Config, actor: Actor, path: Path) -> TransferReport:
    """Replace the store by a backup.

    Raises UsageError, RefusedByPolicy, StoreDamaged, StoreTooNew; nothing has changed then.
    """
    store = config.db
    if not path.is_file():
        raise UsageError(f"there is no backup at {path}")
    if store.exists():
        if path.samefile(store):
            raise UsageError(f"{path} is the store itself")
        if not actor.is_operator:
            raise RefusedByPolicy(
                "putting another store in this one's place needs the operator at a terminal"
            )
    make_private_folder(store.parent)
    with files.write_draft(store) as beside:
        _copy_store(path, beside)
        counts = _normalise_copy(beside)
        kept = _keep_present(store)
    notes = (f"the store that was here is kept at {kept}",) if kept else ()
    return TransferReport(
        str(store),
        {name: {"restored": count} for name, count in counts.items()},
        text="\n".join(notes) or None,
    )


def verify_backup(db: Database) -> None:
    """Refuse a file that is not a whole store readable by this version.

    Raises StoreDamaged, StoreTooNew.
    """
    if int(db.pragma("application_id")) != APPLICATION_ID:
        raise StoreDamaged(f"{db.path} is not a memctl store")
    version = read_schema_version(db)
    if version > get_latest_version():
        raise StoreTooNew(
            f"{db.path} has schema {version}, this memctl knows {get_latest_version()}",
            hint="upgrade memctl",
        )
    faults = (
        upkeep.find_structure_faults(db)
        or upkeep.find_strange_objects(db, version)
        or upkeep.find_dangling(db)
    )
    if faults:
        raise StoreDamaged(f"{db.path}: {'; '.join(faults[:3])}")


def _normalise_copy(path: Path) -> dict[str, int]:
    """Check a copy, migrate it, and leave it as one file in WAL mode; return its row counts."""
    db = Database(path)
    try:
        verify_backup(db)
    finally:
        db.close()
    db = open_store(path, create=False)
    try:
        db.write_ahead_log()
        if not upkeep.index_is_sound(db):
            upkeep.mend_index(db)
        return upkeep.count_rows(db)
    finally:
        db.close()


def _copy_store(path: Path, beside: Path) -> None:
    """Copy a store with what its write-ahead log holds."""
    try:
        shutil.copyfile(path, beside)
        log = files.list_companions(path)[0]
        if log.is_file():
            shutil.copyfile(log, files.list_companions(beside)[0])
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _keep_present(store: Path) -> Path | None:
    """Give the present store a second name, with all its rows, and leave no write-ahead log.

    The new store could take the log for its own.
    """
    kept = store.with_name(f"{store.name}.before-restore-{files.format_now()}")
    there = store.exists()
    if there:
        _fold_in(store)
        _name_twice(store, kept)
    log, shared = files.list_companions(store)
    if log.exists() and log.stat().st_size:
        log.rename(files.list_companions(kept)[0])
    log.unlink(missing_ok=True)
    shared.unlink(missing_ok=True)
    return kept if there else None


def _name_twice(store: Path, kept: Path) -> None:
    try:
        os.link(store, kept)
    except OSError:
        shutil.copy2(store, kept)
    kept.chmod(0o600)


def _fold_in(store: Path) -> None:
    """Fold the write-ahead log into the main file; a store too damaged for that keeps its log."""
    try:
        present = Database(store)
    except (StoreDamaged, StoreLocked):
        return
    try:
        with present.write():
            pass
        present.pragma("wal_checkpoint(TRUNCATE)")
    except (StoreDamaged, StoreLocked):
        return
    finally:
        present.close()


def _keep_newest(folder: Path, keep: int) -> None:
    for old in sorted(folder.glob("[0-9]*.db"))[:-keep]:
        old.unlink(missing_ok=True)


def _build_report(path: Path, counts: dict[str, int], outcome: str) -> TransferReport:
    return TransferReport(str(path), {name: {outcome: count} for name, count in counts.items()})
