"""Checks of what memctl runs on: the SQLite library and the file system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memctl.maintain.checks import places
from memctl.maintain.checks.finding import Finding, make_note, make_ok, make_problem
from memctl.settings.config import Config
from memctl.store import obstacles
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import find_network_file_system

# Versions of SQLite with the WAL-reset bug, by SQLite's release notes: all from the first that had
# write-ahead logging to the last before the fix, except those that got the fix later.
_FIRST_BAD_SQLITE = (3, 7, 0)
_LAST_BAD_SQLITE = (3, 51, 2)
_FIXED_SQLITES = ((3, 50, 7), (3, 44, 6))


def check_sqlite(_db: Database, _config: Config) -> Iterator[Finding]:
    """The SQLite library does not lose commits."""
    library = sqlite_library()
    version = tuple(int(part) for part in library.sqlite_version.split("."))
    detail = f"SQLite {library.sqlite_version} by {library.__name__}"
    if not has_wal_reset_bug(version):
        yield make_ok("sqlite", detail)
        return
    yield make_note(
        "sqlite",
        f"{detail} has the WAL-reset bug: rare lost commits among many writers",
        "pip install pysqlite3 (0.6.1 or newer), or a Python with SQLite 3.51.3",
    )


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this SQLite can lose commits when the write-ahead log starts over."""
    return _FIRST_BAD_SQLITE <= version <= _LAST_BAD_SQLITE and version not in _FIXED_SQLITES


def check_writing(db: Database, _config: Config) -> Iterator[Finding]:
    """The file system of the store takes what is written. Without that, nothing can be mended."""
    obstacle = db.obstacle or obstacles.find_obstacle(db.path)
    if obstacle is None:
        yield make_ok("writing", "the file system has room")
        return
    detail = f"the store can be read, but nothing can be written: {obstacle}"
    yield make_problem("writing", detail, obstacle.hint)


def check_file_system(_db: Database, config: Config) -> Iterator[Finding]:
    """The store is on a local file system, and nothing copies it to other machines."""
    yield _check_kind(config)
    yield from places.find_odd_places(config)
    yield from places.find_synced_store(config)


def _check_kind(config: Config) -> Finding:
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return make_ok("file_system", "cannot read the mount table; assuming a local disk")
    kind = find_network_file_system(config.db.parent.resolve(), mounts)
    if kind:
        detail = f"the store is on {kind}, where write-ahead logging loses data"
        return make_problem("file_system", detail, "move it to a local folder")
    return make_ok("file_system", "the store is on a local file system")
