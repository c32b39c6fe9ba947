"""Reading a folder of notes: what is ours, by its id, and what is not.

Links are never followed, hidden folders never entered. What cannot be read, or is another program's
copy of a note, is told and left.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memctl.core.errors import NotFound
from memctl.core.lazy_pattern import compile_later
from memctl.core.regular_files import IrregularFile, read_regular_file
from memctl.vault.note_text import ParsedNote, parse_note, split_front

ENDING = ".md"
CONFLICT_ENDING = ".conflict.md"
# The file by which a folder of notes is known.
MARKER = ".memctl-vault.json"
# What stands in a note of a conflict in place of `id`.
CONFLICT_KEY = "memctl_conflict"
# Bytes of a note; a record has at most 65,536 characters of each text. Chosen by hand.
MOST_BYTES = 2_000_000
# Folders deep, and notes; beyond that it is no folder of notes. Chosen by hand.
_MOST_DEEP = 24
# How programs that copy folders name the version that they could not place.
_COPY = compile_later(r"\.sync-conflict-|\(.*conflicted copy.*\)|\(conflict[^)]*\)", re.IGNORECASE)
# What other parts of memctl, and people, keep in the same folder.
LEFT_FOLDERS = ("daily",)
MEMORY = "MEMORY.md"


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note of a record as it was read: its path within the folder, its bytes, what it says."""

    path: str
    raw: bytes
    note: ParsedNote


@dataclass(slots=True)
class Scan:
    """What is in a folder: notes of records by id, each perhaps more than once; generated pages by
    path; other notes with their front matter; what is wrong, by path.
    """

    notes: dict[str, list[FoundNote]] = field(default_factory=dict)
    pages: dict[str, bytes] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    # Notes that tell of a conflict, by path, each with the id of its record if it names one.
    conflicts: dict[str, str | None] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    # Every file by path, notes or not: a new one takes no name of another.
    names: set[str] = field(default_factory=set)


def scan_folder(root: Path) -> Scan:
    """Read every note of a folder."""
    found = Scan()
    for path, is_link in _walk(root, "", 0):
        found.names.add(path)
        name = path.rpartition("/")[2]
        if not name.lower().endswith(ENDING) or is_left(path):
            continue
        if is_link:
            found.problems[path] = "is a link; links are not followed"
        elif name.endswith(CONFLICT_ENDING):
            found.conflicts[path] = _read_conflict_id(root / path)
        elif _COPY.search(name):
            found.problems[path] = "is a copy that another program made of a note in conflict"
        else:
            _read_note(root, path, found)
    return found


def _walk(root: Path, folder: str, depth: int) -> Iterator[tuple[str, bool]]:
    """Yield the path of each file, and whether it is a link."""
    try:
        entries = sorted(os.scandir(root / folder if folder else root), key=lambda each: each.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or not _is_text(entry.name):
            continue
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.is_symlink():
            yield path, True
        elif entry.is_dir(follow_symlinks=False):
            is_own = os.path.lexists(root / path / MARKER)  # Another folder of notes, within this.
            if depth < _MOST_DEEP and not is_own:
                yield from _walk(root, path, depth + 1)
        else:
            yield path, False


def _is_text(name: str) -> bool:
    """Whether a name can be written down: one that is no UTF-8 has halves of characters in it."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read_note(root: Path, path: str, found: Scan) -> None:
    try:
        raw = read_regular_file(root / path, most=MOST_BYTES)
        text = decode_note(raw)
    except IrregularFile:
        found.problems[path] = f"is no file of at most {MOST_BYTES} bytes"
    except (OSError, UnicodeDecodeError) as error:
        is_text = isinstance(error, UnicodeDecodeError)
        found.problems[path] = "is not UTF-8" if is_text else f"cannot be read: {error}"
    else:
        note = parse_note(text)
        if note is not None:
            found.notes.setdefault(note.id, []).append(FoundNote(path, raw, note))
        elif is_page(text):
            found.pages[path] = raw
        else:
            found.others[path] = text


def _read_conflict_id(path: Path) -> str | None:
    """Return the id of the record that a note of a conflict is about, wherever it was moved to."""
    try:
        front, _ = split_front(decode_note(read_regular_file(path, most=MOST_BYTES)))
    except (OSError, UnicodeDecodeError):
        return None
    named = (front or {}).get(CONFLICT_KEY) or (front or {}).get("id")
    return named if isinstance(named, str) else None


def decode_note(raw: bytes) -> str:
    """Return the text of a note, without a mark of byte order and with line feeds only. Raises
    UnicodeDecodeError.
    """
    return raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def is_page(text: str) -> bool:
    """Whether a note is one that memctl generates: an index of a folder, or of an entity."""
    front, _ = split_front(text)
    return front is not None and front.get("memctl") in ("index", "entity")


def read_names(front: Mapping[str, object]) -> list[str]:
    """Return the names that a note gives itself: its title, and its aliases."""
    aliases = front.get("aliases") or []
    listed = [front.get("title"), *(aliases if isinstance(aliases, list) else [aliases])]
    return [each for each in listed if isinstance(each, str) and each]


def list_strangers(root: Path) -> tuple[list[Path], dict[Path, str]]:
    """Return the notes of a folder, or the one note, that are none of memctl's, and why others are
    left out. Raises NotFound.
    """
    if not root.exists():
        raise NotFound(f"{root}: no such file or folder")
    if root.is_file():
        return [root], {}
    found = scan_folder(root)
    left = dict(found.problems)
    if not (root / MARKER).exists():  # In a folder of ours nobody expects notes of ours to come in.
        own = (each.path for notes in found.notes.values() for each in notes)
        left |= dict.fromkeys(own, "is a note of memctl, of another folder")
    return [root / path for path in sorted(found.others)], {
        root / path: why for path, why in sorted(left.items())
    }


def is_left(path: str) -> bool:
    """Whether a file is one of the journal's: a daily note or a MEMORY.md."""
    *folders, name = path.split("/")
    own = folders[2:] if folders[:1] == ["projects"] else folders
    return (name == MEMORY and not own) or own[:1] == list(LEFT_FOLDERS)
