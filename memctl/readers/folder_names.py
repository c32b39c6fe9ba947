"""The folder of a session whose file names it only by a slug or a hash of its path.

A slug may stand for several folders, so it counts only where a path says the same: one that a tool
was called with, or one on this disk.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath, PureWindowsPath

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Turn

_SEPARATORS = compile_later(r"[^A-Za-z0-9]+")
_WINDOWS = compile_later(r"[A-Za-z]:[\\/]")
_CHANGED_TO = compile_later(r"\bcd +(['\"]?)((?:/|[A-Za-z]:\\)[^'\";&|\n]{1,1000})\1")
# Folders of one level whose names begin a slug are few; chosen by hand, against a hostile tree.
_MAX_FOLDERS = 64


def make_slug(path: str) -> str:
    """Return a path as Cursor names a folder by it: `/home/ana/my.app` is `home-ana-my-app`."""
    return _SEPARATORS.sub("-", path).strip("-")


def find_by_slug(slug: str, turns: Iterable[Turn]) -> str | None:
    """Find the folder that a slug stands for, above a path in the turns, else on this disk."""
    wanted = make_slug(slug).casefold()
    for folder in _list_folders(turns):
        if make_slug(folder).casefold() == wanted:
            return folder
    return _find_on_disk("/", wanted, [_MAX_FOLDERS]) if wanted else None


def find_by_hash(digest: str, turns: Iterable[Turn]) -> str | None:
    """Find the folder above a path in the turns that has this SHA-256 (hex)."""
    return next((each for each in _list_folders(turns) if compute_hash(each) == digest), None)


def compute_hash(folder: str) -> str:
    """Return the SHA-256 (hex) by which Gemini CLI names a folder."""
    return hashlib.sha256(folder.encode("utf-8", "surrogatepass")).hexdigest()


def _list_folders(turns: Iterable[Turn]) -> Iterator[str]:
    """The folders above the paths that tools were called with, each once."""
    seen: set[str] = set()
    for turn in turns:
        if turn.kind != "tool_call":
            continue
        for text in _list_paths(turn):
            windows = bool(_WINDOWS.match(text))
            path = PureWindowsPath(text) if windows else PurePosixPath(text)
            for folder in map(str, (path, *path.parents)) if path.is_absolute() else ():
                if folder not in seen:
                    seen.add(folder)
                    yield folder


def _list_paths(turn: Turn) -> Iterator[str]:
    files = turn.data.get("files")
    yield from (str(name) for name in files if name) if isinstance(files, list | tuple) else ()
    command = turn.data.get("command")
    if isinstance(command, str):
        yield from (found[2].strip() for found in _CHANGED_TO.finditer(command))


def _find_on_disk(folder: str, wanted: str, left: list[int]) -> str | None:
    """Find a folder below this one whose slug is what is wanted of it."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return None
    for name in names:
        slug = make_slug(name).casefold()
        if not slug or not (wanted == slug or wanted.startswith(f"{slug}-")):
            continue
        path, rest = os.path.join(folder, name), wanted[len(slug) + 1 :]
        left[0] -= 1
        if left[0] < 0 or os.path.islink(path) or not os.path.isdir(path):
            continue
        found = _find_on_disk(path, rest, left) if rest else path
        if found is not None:
            return found
    return None
