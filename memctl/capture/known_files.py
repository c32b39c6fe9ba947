"""What earlier backfills noted of files: which state of each they read, and with what success."""

from __future__ import annotations

import hashlib
import os

from memctl import readers
from memctl.agents.session_locations import SessionFile
from memctl.core.typing_lite import Literal
from memctl.core.version import __version__
from memctl.store import meta
from memctl.store.database import Database


def make_note_key(found: SessionFile) -> str:
    """Return the key of the note about a file."""
    return "backfill:" + hashlib.sha256(os.fsencode(found.path)).hexdigest()[:24]


def read_file_state(found: SessionFile) -> tuple[int, str]:
    """The size of all files of a session, and a mark that changes when one of them does.

    The write-ahead log of a database is included.
    """
    parts = [
        *readers.list_session_files(found.path),
        *([found.path.with_name(found.path.name + "-wal")] if found.is_database else []),
    ]
    total, said = 0, hashlib.sha256()
    for part in parts:
        try:
            seen = part.stat()
        except OSError:
            continue
        total += seen.st_size
        # A copy may keep the size and time of the file it replaces, but not the time of the change.
        said.update(
            f"{part.name} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}\n".encode(
                "utf-8", "surrogateescape"
            )
        )
    return total, said.hexdigest()[:24]


def mark_in_vain(state: str) -> str:
    """Return the note about a file from which nothing was captured; a later version tries again."""
    return state + __version__


def find_known(db: Database, found: SessionFile) -> Literal["captured", "in vain"] | None:
    """What an earlier run, of this version, made of a file that has not changed since."""
    noted = meta.get_note(db, make_note_key(found))
    if noted is None:
        return None
    state = read_file_state(found)[1]
    if noted == state:
        return "captured"
    return "in vain" if noted == mark_in_vain(state) else None
