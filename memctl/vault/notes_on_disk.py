"""Changing the files of a folder of notes, so that nothing that others write there is lost.

A file is only replaced if it holds what was read. It is first moved aside and compared there, and
the new one is put in place only if nobody has put another there meanwhile. Whoever had the old file
open may still write to it: it is kept until the run ends and looked at again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memctl.core import clock
from memctl.core.lazy_pattern import compile_later
from memctl.core.process_identity import name_temporary
from memctl.core.regular_files import read_regular_file
from memctl.vault.scan import CONFLICT_ENDING, ENDING, MOST_BYTES

_DRAFT = ".draft"
# What stands in the name of a note that keeps what was written where only memctl writes.
EDITED = "edited"
# Notes that hold what a person wrote, and not the record's side.
_KEPT_WORDS = compile_later(rf"\.(?:{EDITED}|[0-9a-z]{{6}}){re.escape(CONFLICT_ENDING)}\Z")
_ASIDE = compile_later(r"\.memctl-\d+-[0-9A-Z]{26}\.(.+)", re.DOTALL)


class NotSafe(OSError):
    """A path within a folder leads out of it, by a link."""


class NoteFolder:
    """A folder of notes, while it is being changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # Old files that were replaced: where they lie, what they held, and their path.
        self._aside: list[tuple[Path, bytes, str]] = []

    def write(self, path: str, new: bytes, expected: bytes | None) -> bool:
        """Let a file hold something else, or be there if `expected` is None; False if it does not
        hold what is expected. Raises OSError.
        """
        target = self._find(path)
        make_private_folder(target.parent)
        draft = self._write_draft(target, new)
        try:
            if expected is not None and not self._put_aside(target, expected, path):
                return False
            return _put_in_place(draft, target)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()

    def move(self, old: str, new: str, expected: bytes) -> bool:
        """Move a file that holds what is expected to a path that is free; False if it cannot be."""
        source, target = self._find(old), self._find(new)
        if _read(source) != expected:
            return False
        make_private_folder(target.parent)
        if not _put_in_place(source, target, keeps_source=False):
            return False
        _drop_empty(source.parent, self.root)
        return True

    def remove(self, path: str, expected: bytes) -> bool:
        """Remove a file that holds what is expected; False if it does not."""
        target = self._find(path)
        if not self._put_aside(target, expected, path):
            return False
        _drop_empty(target.parent, self.root)
        return True

    def end(self) -> list[str]:
        """Drop the old files; one that was written to after it was replaced is kept beside the new
        one. Returns the paths of those.
        """
        kept = []
        for aside, held, path in self._aside:
            if _read(aside) == held:
                aside.unlink(missing_ok=True)
                continue
            beside = self._find(find_conflict_path(path, clock.new_id()[-6:].lower()))
            if _put_in_place(aside, beside, keeps_source=False):
                kept.append(str(beside.relative_to(self.root)))
        self._aside = []
        return kept

    def _find(self, path: str) -> Path:
        """Return where a path within the folder is. Raises NotSafe if a link leads elsewhere."""
        place = self.root
        for part in path.split("/"):
            if part in ("", ".", ".."):
                raise NotSafe(f"{path}: is no path within the folder")
            place = place / part
            if place.is_symlink():
                raise NotSafe(f"{path}: a link stands in the way")
        return place

    def _write_draft(self, target: Path, new: bytes) -> Path:
        draft = target.with_name(f".{name_temporary()}{clock.new_id()}{_DRAFT}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(new)
            stream.flush()
            os.fsync(handle)
        return draft

    def _put_aside(self, target: Path, expected: bytes, path: str) -> bool:
        if _read(target) != expected:
            return False
        # Its name says where it belongs: a killed run leaves it to the next one.
        aside = target.with_name(f".{name_temporary()}{clock.new_id()}.{target.name}")
        try:
            os.rename(target, aside)
        except FileNotFoundError:
            return False
        if _read(aside) == expected:
            self._aside.append((aside, expected, path))
            return True
        # Somebody wrote to it in between: it goes back, or, if there is another by now, beside it.
        if not _put_in_place(aside, target, keeps_source=False):
            self._aside.append((aside, expected, path))
        return False


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it, for nobody else; one that is there stays as it is."""
    for each in (*reversed(folder.parents), folder):
        with suppress(FileExistsError):
            each.mkdir(mode=0o700)


def find_conflict_path(path: str, mark: str = "") -> str:
    """Return where the other side of a conflict about a note lies."""
    plain = path.removesuffix(ENDING)
    return f"{plain}.{mark}{CONFLICT_ENDING}" if mark else f"{plain}{CONFLICT_ENDING}"


def locate_conflict(path: str, record_id: str, conflicts: Mapping[str, str | None]) -> str:
    """Return where the record's side of a conflict about a note lies, or is to lie: beside it, or
    where it was written before the note was moved.
    """
    beside = find_conflict_path(path)
    if beside in conflicts:
        return beside
    left = (each for each, named in sorted(conflicts.items()) if named == record_id)
    return next((each for each in left if not _KEPT_WORDS.search(each)), beside)


def recover_folder(root: Path) -> list[str]:
    """Put back what a killed run moved aside, and drop its drafts; returns the paths put back.

    Where there is another file by now, what was moved aside is kept beside it, unless it is the
    same.
    """
    found = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".")]
        found += [Path(folder) / name for name in files if _ASIDE.fullmatch(name)]
    back = []
    for path in found:
        name = _ASIDE.fullmatch(path.name)
        if name is None or path.name.endswith(_DRAFT) or path.is_symlink():
            path.unlink(missing_ok=True)
            continue
        target = path.with_name(name[1])
        if _read(path) != _read(target):
            if not _put_in_place(path, target, keeps_source=False):
                mark = clock.new_id()[-6:].lower()
                target = path.with_name(find_conflict_path(name[1], mark))
                _put_in_place(path, target, keeps_source=False)
            back.append(target.relative_to(root).as_posix())
        path.unlink(missing_ok=True)
    return back


@contextmanager
def open_folder(root: Path) -> Iterator[NoteFolder]:
    """Change a folder; what was written to an old file meanwhile is kept whatever happens."""
    folder = NoteFolder(root)
    try:
        yield folder
    finally:
        folder.end()


def _read(path: Path) -> bytes | None:
    try:
        return read_regular_file(path, most=MOST_BYTES)
    except OSError:
        return None


def _put_in_place(source: Path, target: Path, *, keeps_source: bool = True) -> bool:
    """Give a file a name that nobody has, or False; the old name goes unless it is kept."""
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError:  # A file system without hard links.
        if target.exists() or target.is_symlink():
            return False
        os.rename(source, target)
        return True
    if not keeps_source:
        source.unlink()
    return True


def _drop_empty(folder: Path, root: Path) -> None:
    """Remove a folder that holds nothing any more, and those above it."""
    while folder != root:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
