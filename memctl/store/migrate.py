"""Opening a store: create it privately, migrate it, refuse what is newer or foreign.

Each migration script begins, changes, sets `user_version` and commits by itself. Two processes that
open an empty store at once both succeed, and only one of them creates it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memctl.core.errors import (
    NoStore,
    StoreDamaged,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreRefused,
    StoreTooNew,
)
from memctl.core.system_errors import explain_failed_write
from memctl.store import statements
from memctl.store.database import APPLICATION_ID, WRITE_WAIT_SECONDS, Database, OperationalError
from memctl.text import tokens

# File systems on which WAL's shared memory cannot be trusted between machines.
_NETWORK_FILE_SYSTEMS = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "smb2",
    "afs",
    "9p",
    "ceph",
    "glusterfs",
    "lustre",
    "beegfs",
    "ncpfs",
    "davfs",
    "fuse.sshfs",
    "fuse.glusterfs",
    "fuse.s3fs",
    "fuse.rclone",
    "fuse.davfs2",
    "fuse.gcsfuse",
    "afpfs",
    "webdav",
}


def open_store(path: Path, *, create: bool, patience: float = WRITE_WAIT_SECONDS) -> Database:
    """Open a store, migrated to the current schema; wait at most `patience` seconds for others.

    Where nothing can be written beside it, a store that was closed cleanly opens to be read alone:
    its `obstacle` says why. Raises NoStore, StoreTooNew, StoreDamaged, StoreRefused or StoreLocked.
    """
    if not path.exists():
        if not create:
            raise NoStore(
                f"no store at {path}",
                hint="`memctl init` creates one, as does your own first write; if you have one, "
                "look at HOME, XDG_DATA_HOME and MEMCTL_DB",
            )
        _create_privately(path)
    elif not path.is_file():
        raise StoreRefused(f"{path} is not a file")
    try:
        return _bring_up_to_date(Database(path, patience=patience))
    except (StoreFull, StoreReadOnly) as obstacle:
        return _open_unwritable(path, obstacle, patience)


def _open_unwritable(path: Path, obstacle: StoreLocked, patience: float) -> Database:
    """Open a store for reading alone where even a reader's files cannot be made beside it."""
    from memctl.store.unwritable import UnwritableDatabase, repeat_error

    if not path.stat().st_size:
        raise repeat_error(obstacle)
    return _bring_up_to_date(UnwritableDatabase(path, obstacle, patience=patience))


def is_erasing(db: Database) -> bool:
    """Whether a purge was begun and not ended: asked at each opening, so without the ledger."""
    return bool(db.value("unfinished.is_purge_begun"))


def get_latest_version() -> int:
    """Return the schema version that this program writes."""
    return statements.list_migrations()[-1][0]


def read_schema_version(db: Database) -> int:
    """Return the schema version of the file."""
    return int(db.pragma("user_version"))


def find_network_file_system(path: Path, mounts: str) -> str | None:
    """Return the kind of network file system that `path` lies on; None for a local disk.

    `mounts` is the text of /proc/self/mounts.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        place = fields[1].replace("\\040", " ")
        if (path == Path(place) or Path(place) in path.parents) and len(place) >= len(best):
            best, kind = place, fields[2]
    return kind if kind in _NETWORK_FILE_SYSTEMS else None


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents for the operator alone (0700 under any umask)."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        place.chmod(0o700)


def touch_private(path: Path) -> None:
    """Create an empty file for the operator alone (0600 under any umask) unless it exists."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return
    os.fchmod(handle, 0o600)
    os.close(handle)


def _create_privately(path: Path) -> None:
    try:
        make_private_folder(path.parent)
        _refuse_network(path.parent.resolve())
        touch_private(path)
    except OSError as error:
        obstacle = explain_failed_write(error.errno, path)
        raise obstacle or StoreRefused(f"cannot create {path}: {error.strerror}") from error


def _refuse_network(folder: Path) -> None:
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    kind = find_network_file_system(folder, mounts)
    if kind:
        raise StoreRefused(
            f"{folder} lies on {kind}, a network file system: write-ahead logging loses data there",
            hint="choose a local folder with --db or MEMCTL_DB",
        )


def _bring_up_to_date(db: Database) -> Database:
    """Migrate an open store and return it; one that cannot be migrated is closed."""
    try:
        _migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def _migrate(db: Database) -> None:
    version, newest = read_schema_version(db), get_latest_version()
    if version == newest:
        return
    if version > newest:
        raise StoreTooNew(
            f"{db.path} has schema {version}, this memctl knows {newest}", hint="upgrade memctl"
        )
    if version == 0:
        _refuse_foreign(db)
    db.write_ahead_log()
    scripts = [
        (number, path.read_text(encoding="utf-8"))
        for number, path in statements.list_migrations()
        if number > version
    ]
    if version:
        from memctl.store import upgrade  # here, because a store is upgraded once

        upgrade.prepare(db, (text for _, text in scripts))
    for number, script in scripts:
        if version:
            _apply_migration(db, number, partial(upgrade.carry_out, db, number, script))
        else:
            _apply_migration(db, number, partial(db.script, script))
    if version == 0:
        with db.write():
            db.run("meta.set", key="analysis", value=str(tokens.VERSION))
            # The stream of a store that begins now tells of everything in it.
            db.run("meta.set", key="history_covers", value="3")
            db.run("meta.set", key="checksums_complete", value="1")


def _refuse_foreign(db: Database) -> None:
    with db.snapshot():
        version, application, pages = (
            read_schema_version(db),
            int(db.pragma("application_id")),
            db.pragma("page_count"),
        )
    if application not in (0, APPLICATION_ID) or (version == application == 0 and pages > 1):
        raise StoreDamaged(f"{db.path} is not a memctl store")


def _apply_migration(db: Database, number: int, carry_out: Callable[[], None]) -> None:
    """Run one migration unless another process did; its BEGIN IMMEDIATE may find the store busy."""
    deadline = time.monotonic() + db.patience
    while read_schema_version(db) < number:
        try:
            carry_out()
        except (StoreLocked, OperationalError) as error:
            if read_schema_version(db) >= number:
                return
            if time.monotonic() >= deadline or not isinstance(error, StoreLocked):
                raise
            from random import uniform  # here, because hardly a call has to wait

            time.sleep(uniform(0.001, 0.01))
