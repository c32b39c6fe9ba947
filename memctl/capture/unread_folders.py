"""Agents whose folder is there while nothing in it is read.

An agent that changed where or how it keeps its sessions would else be passed over without a word.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from memctl.agents import session_locations

# Endings of files that may hold sessions wherever an agent keeps them; settings end otherwise.
_SESSION_ENDINGS = frozenset({".jsonl", ".zst", ".db", ".sqlite", ".sqlite3", ".vscdb"})
# Entries that are looked at in one folder of an agent.
_MAX_ENTRIES = 20_000


def find_unread(agent: str, environ: Mapping[str, str]) -> str | None:
    """Say how many files in an agent's folders may be sessions; None if none may be."""
    endings = _SESSION_ENDINGS | session_locations.list_file_endings(agent)
    for folder in dict.fromkeys(session_locations.find_session_folders(agent, environ)):
        if number := _count_files(folder, endings):
            return _describe(agent, folder, number)
    for folder in dict.fromkeys(session_locations.find_own_folders(agent, environ)):
        if number := _count_files(folder, _SESSION_ENDINGS):
            return _describe(agent, folder, number)
    return None


def _describe(agent: str, folder: Path, number: int) -> str:
    files = (
        "1 file that may be a session" if number == 1 else f"{number} files that may be sessions"
    )
    return (
        f"{agent}: {folder} holds {files}, and none was read;"
        " `memctl capture-session FILE` says why"
    )


def _count_files(folder: Path, endings: Iterable[str]) -> int:
    return sum(Path(name).suffix in endings for name in _list_file_names(folder))


def _list_file_names(folder: Path) -> Iterator[str]:
    """The names of the files below a folder; links are not followed."""
    seen = 0
    for _, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            seen += 1
            if seen > _MAX_ENTRIES:
                return
            yield name
