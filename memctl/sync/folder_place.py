"""A folder that reaches several machines, as a place where stores meet.

Everything lies below `memctl-sync/`: `group.json` says which group meets there, `cards/` and
`removals/` who takes part, and `sets/STREAM/REPLICA/FIRST-LAST-DIGEST.mcs` hold the changes. Each
file is written once, by one replica, and becomes visible whole. So it does not matter in which
order, how late or how often whatever carries the folder (Syncthing, Dropbox, git, a mounted bucket)
brings them; what is damaged, half there or not ours is passed over and named in `problems`.

Without `group.json` nothing is done: a folder that is not mounted must not be taken for an empty
one.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from memctl.core.errors import PlaceUnreachable, SetDamaged, SetGone, UsageError
from memctl.core.frozen import dataclass
from memctl.core.regular_files import IrregularFile
from memctl.sync import change_set, signed_texts
from memctl.sync.cards import MOST_CARD_BYTES, MOST_REMOVAL_BYTES
from memctl.sync.folder_files import FoundName, SharedFolder
from memctl.sync.place import SetName

FOLDER = "memctl-sync"
_MARKER = "group.json"
_CARDS = "cards"
_REMOVALS = "removals"
_SETS = "sets"
_FORMAT = 1
# Bytes of the file that marks a folder.
_MOST_MARKER = 4096
# Problems that are told of one listing; the rest is counted.
_MOST_PROBLEMS = 20
_SET = re.compile(r"(\d{12})-(\d{12})-([0-9a-f]{32})\.mcs")
_CARD = re.compile(r"([0-9a-z]{26})\.card")
_REMOVAL = re.compile(r"[0-9a-f]{32}\.removal")
_STREAM = re.compile(r"(?:[a-z0-9-]|_[0-9a-f]{2})+")
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-")
_PREFIXES = ("own:", "project:")
# A single file that cannot be read is passed over; with anything else the place itself is at fault.
_OF_ONE_FILE = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.EIO, errno.EISDIR, errno.ENXIO)
_FULL = (errno.ENOSPC, errno.EDQUOT)

# What reads a name: what it says, or None if it is not one of its kind.
Reader: TypeAlias = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Marker:
    """What a folder says of itself."""

    group: str
    is_encrypted: bool


def read_marker(path: Path) -> Marker | None:
    """Return which group meets in a folder; None if none does. Raises PlaceUnreachable."""
    root = locate_root(path)
    try:
        with closing(SharedFolder(root, "")) as folder:
            return _read_marker(folder, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise PlaceUnreachable(f"{path} cannot be read: {error.strerror}") from error


def locate_root(path: Path) -> Path:
    """Return where the files of memctl lie in a folder that somebody named."""
    return path if path.name == FOLDER else path / FOLDER


class FolderPlace:
    """A folder where stores meet; see `SyncPlace`."""

    def __init__(self, path: Path, folder: SharedFolder, marker: Marker) -> None:
        self.name = str(path)
        self.is_encrypted = marker.is_encrypted
        self.problems: list[str] = []
        self._folder = folder

    @classmethod
    def create(cls, path: Path, group: str, replica: str, *, is_encrypted: bool) -> FolderPlace:
        """Let a group meet in a folder, whose own folder must be there already.

        Raises PlaceUnreachable, UsageError where another group meets.
        """
        root = locate_root(path)
        told = {
            "format": _FORMAT,
            "group": group,
            "is_encrypted": is_encrypted,
            "about": "changes of memctl stores (`memctl help sync`); files here are never edited",
        }
        try:
            for each in (path, root):
                if not each.is_dir():
                    os.mkdir(each, 0o700)
            with closing(SharedFolder(root, replica)) as folder:
                content = json.dumps(told, indent=1).encode("ascii") + b"\n"
                folder.write((), _MARKER, content, replace=False)
        except OSError as error:
            raise _explain(error, str(path), "written") from error
        return cls.open(path, group, replica, is_encrypted=is_encrypted)

    @classmethod
    def open(
        cls, path: Path, group: str, replica: str, is_encrypted: bool | None = None
    ) -> FolderPlace:
        """Open a folder where a group meets. `is_encrypted` is what it was when it was made.

        Raises PlaceUnreachable for one that is not there now, UsageError where another group meets,
        or what was encrypted says that it is not.
        """
        try:
            folder = SharedFolder(locate_root(path), replica)
        except OSError as error:
            raise _explain(error, str(path), "read") from error
        try:
            marker = _read_marker(folder, path)
            if marker is None:
                raise PlaceUnreachable(f"{path} is no place of sync now: is it mounted?")
            _check_marker(marker, path, group, is_encrypted)
        except BaseException as error:
            folder.close()
            if isinstance(error, OSError):
                raise _explain(error, str(path), "read") from error
            raise
        return cls(path, folder, marker)

    def close(self) -> None:
        """Let go of the folder."""
        self._folder.close()

    def read_cards(self) -> list[bytes]:
        """All cards, unverified."""
        return self._read_all(_CARDS, _CARD, MOST_CARD_BYTES)

    def write_card(self, replica: str, card: bytes) -> None:
        """Put the card of a replica where all see it; its own earlier one is replaced."""
        if not signed_texts.is_replica_id(replica):
            raise ValueError(f"{replica!r} is no replica")
        with self._reach("written"):
            self._folder.write((_CARDS,), f"{replica.lower()}.card", card, replace=True)

    def read_removals(self) -> list[bytes]:
        """All removals of members, unverified."""
        return self._read_all(_REMOVALS, _REMOVAL, MOST_REMOVAL_BYTES)

    def write_removal(self, member: str, removal: bytes) -> None:
        """Put a removal where all see it."""
        name = f"{change_set.compute_digest(removal)}.removal"
        with self._reach("written"):
            self._folder.write((_REMOVALS,), name, removal, replace=False)

    def list_sets(self, have: Mapping[tuple[str, str], int]) -> Iterator[SetName]:
        """Every change set with numbers above those in `have` (by stream and replica), in order of
        stream, replica and first number.
        """
        self.problems = [each for each in self.problems if not each.startswith(_SETS)]
        streams = self._list_known((_SETS,), "folder", _read_stream)
        for stream, stream_name in sorted(streams):
            writers = self._list_known((_SETS, stream_name), "folder", _read_replica)
            for replica, replica_name in sorted(writers):
                known = have.get((stream, replica), 0)
                parts = (_SETS, stream_name, replica_name)
                found = self._list_known(parts, "file", _read_numbers)
                for (first, last, digest), _name in sorted(found):
                    if last > known:
                        yield SetName(stream, replica, first, last, digest)

    def read_set(self, name: SetName) -> bytes:
        """Bytes of a change set. Raises SetDamaged where they are not what its name says."""
        parts, file = _locate(name)
        try:
            with self._reach("read"):
                content = self._folder.read(parts, file, change_set.MOST_BYTES)
        except FileNotFoundError as error:
            raise SetGone("it is not there any more") from error
        except OSError as error:
            raise SetDamaged(f"it cannot be read: {error.strerror}") from error
        if change_set.compute_digest(content) != name.digest:
            raise SetDamaged("it is damaged, or has not arrived as a whole")
        return content

    def write_set(self, name: SetName, content: bytes) -> None:
        """Put a change set there, whole or not at all; writing the same one again does nothing.

        A file of that name that holds something else is damaged, and is put right.
        """
        if change_set.compute_digest(content) != name.digest:
            raise ValueError("a change set has another digest than its name")
        parts, file = _locate(name)
        with self._reach("written"):
            if not self._folder.write(parts, file, content, replace=False):
                self._put_right(parts, file, name, content)

    def replace_sets(self, old: Sequence[SetName], new: SetName, content: bytes) -> None:
        """Put one change set in the place of several of the same replica and stream.

        Whenever this is cut off, everything is there: once, or in two files.
        """
        self.write_set(new, content)
        self.remove_sets([each for each in old if each != new])

    def remove_sets(self, names: Sequence[SetName]) -> None:
        """Remove change sets of our own: what may not lie here any more, or all of them."""
        for name in names:
            parts, file = _locate(name)
            with self._reach("written"):
                self._folder.remove(parts, [file])

    def _put_right(self, parts: Sequence[str], file: str, name: SetName, content: bytes) -> None:
        try:
            self.read_set(name)
        except SetDamaged:
            self._folder.write(parts, file, content, replace=True)

    def _read_all(self, part: str, pattern: re.Pattern[str], most: int) -> list[bytes]:
        """Read all files of a kind; what cannot be read is named."""
        contents = []
        for _match, name in self._list_known((part,), "file", pattern.fullmatch):
            try:
                with self._reach("read"):
                    contents.append(self._folder.read((part,), name, most))
            except FileNotFoundError:
                continue
            except OSError as error:
                self._note_problem(f"{part}/{name} cannot be read: {error.strerror}")
        return contents

    def _list_known(self, parts: Sequence[str], kind: str, read: Reader) -> list[tuple[Any, str]]:
        """List what is named as things are here, each with what its name says; name the rest."""
        with self._reach("read"):
            found = self._folder.list_names(parts)
        known = []
        for each in found:
            told = read(each.name) if each.kind == kind else None
            if told is None:
                self._note_problem(_describe_stranger(parts, each, kind))
            else:
                known.append((told, each.name))
        return known

    def _note_problem(self, problem: str) -> None:
        if problem not in self.problems and len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    @contextmanager
    def _reach(self, doing: str) -> Iterator[None]:
        """Turn what the system says into PlaceUnreachable, unless it is about a single file."""
        try:
            if not self._folder.is_there():
                raise PlaceUnreachable(f"{self.name} was deleted")
            yield
        except OSError as error:
            missing = isinstance(error, FileNotFoundError | IrregularFile)
            if doing == "read" and (missing or error.errno in _OF_ONE_FILE):
                raise
            raise _explain(error, self.name, doing) from error


def quote_stream(stream: str) -> str:
    """A stream as the name of a folder, the same on file systems that know no upper case."""
    told = "".join(
        chr(byte) if byte in _PLAIN else f"_{byte:02x}" for byte in stream.encode("utf-8")
    )
    if _read_stream(told) != stream:
        raise ValueError(f"{stream!r} is no stream")
    return told


def _read_stream(name: str) -> str | None:
    """The stream that a folder is for; None for one that is for none."""
    if not _STREAM.fullmatch(name):
        return None
    parts = name.split("_")
    told = parts[0].encode() + b"".join(
        bytes([int(each[:2], 16)]) + each[2:].encode() for each in parts[1:]
    )
    try:
        stream = told.decode("utf-8")
    except UnicodeDecodeError:
        return None
    head = next((each for each in _PREFIXES if stream.startswith(each)), None)
    again = "".join(chr(byte) if byte in _PLAIN else f"_{byte:02x}" for byte in told)
    fits = head is not None and len(stream) > len(head) and stream.isprintable() and again == name
    return stream if fits else None


def _read_replica(name: str) -> str | None:
    replica = name.upper()
    return replica if name == replica.lower() and signed_texts.is_replica_id(replica) else None


def _read_numbers(name: str) -> tuple[int, int, str] | None:
    found = _SET.fullmatch(name)
    if found is None or not 0 < int(found[1]) <= int(found[2]):
        return None
    return int(found[1]), int(found[2]), found[3]


def _locate(name: SetName) -> tuple[tuple[str, ...], str]:
    """The folders and the file of a change set. Raises ValueError for what can be none's name."""
    file = f"{name.first:012}-{name.last:012}-{name.digest}.mcs"
    if _read_numbers(file) is None or not signed_texts.is_replica_id(name.replica):
        raise ValueError(f"{name} names no change set")
    return (_SETS, quote_stream(name.stream), name.replica.lower()), file


def _describe_stranger(parts: Sequence[str], found: FoundName, kind: str) -> str:
    """Say of something in the folder what it is not."""
    place = "/".join((*parts, found.name))
    shown = "".join(each if each.isprintable() else "?" for each in place)[:200]
    if found.kind == "other":
        return f"{shown}: is a link or a device"
    if found.kind != kind:
        return f"{shown}: is a {found.kind} where only {kind}s are, so is nothing of memctl's"
    return f"{shown}: is nothing of memctl's (a copy by another program?)"


def _read_marker(folder: SharedFolder, path: Path) -> Marker | None:
    """Read what a folder says of itself. Raises OSError, PlaceUnreachable for a damaged file."""
    try:
        content = folder.read((), _MARKER, _MOST_MARKER)
    except FileNotFoundError:
        return None
    try:
        told = json.loads(content)
        group, is_encrypted = told["group"], told["is_encrypted"]
        if told["format"] == _FORMAT and signed_texts.is_group_id(group):
            return Marker(group, bool(is_encrypted))
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise PlaceUnreachable(f"{path}: {_MARKER} is damaged, or has not arrived as a whole")


def _check_marker(marker: Marker, path: Path, group: str, is_encrypted: bool | None) -> None:
    if marker.group != group:
        hint = "choose another folder; a store belongs to one group"
        raise UsageError(f"another group meets in {path}", hint=hint)
    if is_encrypted is not None and marker.is_encrypted != is_encrypted:
        now = "encrypted" if marker.is_encrypted else "not encrypted"
        hint = f"somebody changed {FOLDER}/{_MARKER}; put it right, or leave this place"
        raise UsageError(f"{path} says that it is {now}, and it was not so before", hint=hint)


def _explain(error: OSError, name: str, doing: str) -> PlaceUnreachable:
    """What to say of an error of the file system."""
    if error.errno in _FULL:
        return PlaceUnreachable(f"{name} is full", hint="nothing is lost; make room there")
    if error.errno == errno.EROFS:
        return PlaceUnreachable(f"{name} is read-only")
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return PlaceUnreachable(f"{name}: a link or a file stands where a folder should be")
    if isinstance(error, FileNotFoundError):
        return PlaceUnreachable(
            f"{name} is not there now: is it mounted?",
            hint="emptied for good? `memctl sync leave FOLDER`, then `memctl sync FOLDER`",
        )
    return PlaceUnreachable(f"{name} cannot be {doing}: {error.strerror or error}")
