"""The files whose memories were imported before: which of them changed since, and which are gone.

They are looked at (`stat`). Only where that leaves a doubt are their bytes compared with what was
read; what they say is read by `import_memories`.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memctl import importers
from memctl.core import timestamps
from memctl.core.model import Source
from memctl.core.regular_files import read_regular_file
from memctl.curate.note_versions import LIVING_STATUSES
from memctl.store import evidence, records, sources
from memctl.store.database import Database

# Kinds of which each file is one memory: a file that is taken away is a memory that is deleted.
_FILE_IS_MEMORY = ("claude-memory",)
# Seconds before it was stored in which a file may have been changed after it was read. By hand.
_READING_SECONDS = 2.0


def list_known_files(db: Database) -> Mapping[str, Sequence[Source]]:
    """The newest version of what each file says of each project, by the path of the file.

    Databases and exports, which are copies of something else, are not among them.
    """
    kinds = [one.kind for one in importers.IMPORTERS if not one.is_database and not one.is_export]
    found: dict[str, list[Source]] = {}
    for source in sources.list_newest_of_agents(db, kinds):
        if source.path is not None:
            found.setdefault(source.path, []).append(source)
    return found


def find_changed(known: Mapping[str, Sequence[Source]]) -> Iterator[str]:
    """Yield the paths of the files that say something else than when they were last read."""
    for path, versions in known.items():
        state = _look_at(path)
        if state is None:
            continue
        newest = max(versions, key=lambda source: source.updated_at)
        seen = timestamps.parse_iso(newest.updated_at)
        is_touched = state.st_mtime > seen - _READING_SECONDS
        if state.st_size != newest.size_bytes or (is_touched and _has_other_bytes(path, newest)):
            yield path


def _has_other_bytes(path: str, newest: Source) -> bool:
    try:
        read = read_regular_file(path, most=newest.size_bytes)
    except OSError:
        return True  # The import says why it cannot be read, or that it grew meanwhile.
    return hashlib.sha256(read).hexdigest() != newest.content_hash


def is_missing(path: str) -> bool:
    """Whether there is no file of that name; one that cannot be looked at may be there."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def is_deleted_memory(path: str, version: Source) -> bool:
    """Whether a missing file was a memory of a folder that is still there."""
    return version.agent in _FILE_IS_MEMORY and Path(path).parent.is_dir()


def count_resting(db: Database, versions: Sequence[Source]) -> int:
    """How many records in use rest on a file."""
    every = {
        one.id
        for version in versions
        for one in sources.list_of_session(db, version.agent, version.session_id)
    }
    ids = {item.memory_id for item in evidence.list_of_sources(db, every)}
    found = records.list_by_ids(db, ids).values()
    return sum(memory.status in LIVING_STATUSES for memory in found)


def describe(resting: int) -> str:
    """Say of a missing file what became of its records: nothing."""
    many = "1 record rests" if resting == 1 else f"{resting} records rest"
    return f"is not there any more; {many} on it and stay as they are"


def _look_at(path: str) -> os.stat_result | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state if stat.S_ISREG(state.st_mode) else None
