"""Complete private copies of the store, checked before they get their names.

A copy is made by VACUUM INTO, which works while others write. Automatic copies carry a number that
only grows, and the highest ones are kept: a clock that jumps would mislead about which is newest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl.core.errors import MemctlError, StoreDamaged, StoreFull, StoreTooNew, UsageError
from memctl.core.lazy_pattern import compile_later
from memctl.results.store import TransferReport
from memctl.settings.config import Config
from memctl.store import drafts, files, upkeep
from memctl.store.database import APPLICATION_ID, Database
from memctl.store.migrate import (
    get_latest_version,
    make_private_folder,
    open_store,
    read_schema_version,
)

_BEFORE_REPAIR = "-before-rebuild"
# The name of an automatic copy: when it was made, which one it is, and what for.
_AUTOMATIC = compile_later(
    r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z(?:-(?P<number>\d+))?(?:-before-rebuild)?\.db"
)


def make_backup(db: Database, config: Config, path: Path | None) -> TransferReport:
    """Copy the store to `path`, or among the automatic backups, of which the newest are kept.

    Raises UsageError, StoreDamaged, StoreFull.
    """
    if path is None:
        make_private_folder(config.backups)
        target = _name_copy(config, "")
    else:
        target = path.absolute()
        _refuse_taken_path(target, config.db)
    with (
        drafts.write_draft(config, target, is_asked_for=path is not None) as draft,
        name_as(target, draft),
    ):
        _copy_into(db, draft)
        counts = normalise_copy(draft)
    removed = _keep_newest(config, target) if path is None else []
    by_section = {name: {"copied": count} for name, count in counts.items()}
    return TransferReport(str(target), by_section, removed=tuple(map(str, removed)))


def copy_unchecked(db: Database, config: Config) -> str:
    """Copy a store that is about to be repaired, whatever is wrong with it; return the copy's
    path.
    """
    make_private_folder(config.backups)
    target = _name_copy(config, _BEFORE_REPAIR)
    with drafts.write_draft(config, target) as draft, name_as(target, draft):
        _copy_into(db, draft)
    _keep_newest(config, target)
    return str(target)


def list_automatic(config: Config) -> list[Path]:
    """List the copies that were made without being asked for, oldest first."""
    requested = set(drafts.list_requested_copies(config))
    found = config.backups.iterdir() if config.backups.is_dir() else ()
    return sorted(
        (path for path in found if _AUTOMATIC.fullmatch(path.name) and path not in requested),
        key=_read_order,
    )


@contextmanager
def name_as(path: Path, draft: Path) -> Iterator[None]:
    """Let errors about a draft name the file that the operator knows."""
    try:
        yield
    except MemctlError as error:
        error.args = tuple(str(part).replace(str(draft), str(path)) for part in error.args)
        raise


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


def normalise_copy(path: Path) -> dict[str, int]:
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


def _copy_into(db: Database, draft: Path) -> None:
    """Copy the store. Raises StoreFull about the copy: it is the copy that has no room."""
    try:
        upkeep.copy_into(db, draft)
    except StoreFull as error:
        raise StoreFull(f"{draft}: no room is left on the disk for the copy") from error


def _refuse_taken_path(target: Path, store: Path) -> None:
    if target.exists():
        what = (
            "is the store itself"
            if target.samefile(store)
            else "is there already; name another file, or none for the usual place"
        )
        raise UsageError(f"{target} {what}")
    if os.fsencode(target).decode(errors="replace") != str(target):
        raise UsageError(
            f"{target}: SQLite copies only to a path that is text in UTF-8",
            hint="name one: memctl backup PATH",
        )


def _name_copy(config: Config, ending: str) -> Path:
    """Name a new automatic copy, with a number above all others."""
    numbers = [_read_order(path)[0] for path in config.backups.iterdir()]
    target = config.backups / f"{files.format_now()}-{max(numbers, default=0) + 1}{ending}.db"
    _refuse_taken_path(target.absolute(), config.db)
    return target.absolute()


def _is_before_repair(path: Path) -> bool:
    return path.stem.endswith(_BEFORE_REPAIR)


def _read_order(path: Path) -> tuple[int, str]:
    """The number of an automatic copy; copies of earlier versions have none, and come first."""
    named = _AUTOMATIC.fullmatch(path.name)
    return int(named["number"] or 0) if named else 0, path.name


def _keep_newest(config: Config, made: Path) -> list[Path]:
    """Remove all but the newest automatic copies, never the one just made; return the removed.

    Copies from before a repair, which may be damaged, are counted for themselves.
    """
    ring = [
        path
        for path in list_automatic(config)
        if path != made and _is_before_repair(path) == _is_before_repair(made)
    ]
    surplus = ring[: max(0, len(ring) + 1 - max(1, config["backup.keep"]))]
    for old in surplus:
        old.unlink(missing_ok=True)
    return surplus
