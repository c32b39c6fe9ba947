"""Records of which nobody knows the project, and what their session says of it.

A name that a session tells proves nothing: it is shown, and the operator says whether it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Memory, Source
from memctl.store import projects, sources
from memctl.store.database import Database

# Folders of Windows: a drive, a share, or backslashes between names.
_WINDOWS = compile_later(r"[A-Za-z]:[\\/]|\\\\")
# Where Cursor keeps the sessions of a folder, by its path with dashes; where Gemini CLI keeps those
# of a project, by its name.
_SLUG = compile_later(r"/\.cursor/projects/([^/]+)/")
_GEMINI_NAME = compile_later(r"/\.gemini/tmp/([^/]+)/")
_WINDOWS_HOMES = ("users", "documents and settings")
_HASH = compile_later(r"[0-9a-f]{64}")
# Names of folders that hold projects, or parts of one.
_GENERAL = frozenset(
    """users user home documents and settings desktop downloads code projects project repos repo
    source sources src dev git github work workspace workspaces temp tmp appdata local c d e lib
    app apps packages backend frontend server client tests docs""".split()
)


def suggest_project(db: Database, memory: Memory) -> str | None:
    """The project that the session of an unplaced record may have been about, by name."""
    source = sources.find_source(db, memory.source_ref) if memory.source_ref else None
    return None if source is None else suggest_project_of(db, source)


def suggest_project_of(db: Database, source: Source) -> str | None:
    """The name of a known project among what a source says of its folder, else the likeliest."""
    known = (projects.called(db, name) for name in _list_names(source))
    found = next((project for project in known if project is not None), None)
    return found.name if found is not None else _guess_name(source)


def _guess_name(source: Source) -> str | None:
    """What the project of a folder is likely to be called."""
    slug = _find_slug(source)
    names = reversed(slug) if slug else _list_names(source)
    return next((name for name in names if name.casefold() not in _GENERAL), None)


def _list_names(source: Source) -> Iterator[str]:
    """What the project of a source may be called, the likeliest first."""
    if source.cwd and _WINDOWS.match(source.cwd):
        # The first of the names are the drive, `Users` and who it is.
        parts = [part for part in re.split(r"[\\/]+", source.cwd) if part]
        is_home = len(parts) > 1 and parts[1].casefold() in _WINDOWS_HOMES
        yield from reversed(parts[3 if is_home else 1 :])
    # A name may have dashes of its own.
    slug = _find_slug(source)
    yield from ("-".join(slug[start:]) for start in range(len(slug)))
    named = _GEMINI_NAME.search(source.path or "")
    if named and not _HASH.fullmatch(named[1]):
        yield named[1]


def _find_slug(source: Source) -> list[str]:
    """The parts of the folder's path, split at dashes, after which Cursor names its sessions."""
    found = _SLUG.search(source.path or "")
    return found[1].split("-") if found else []
