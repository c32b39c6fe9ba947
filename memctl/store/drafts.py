"""Drafts: files that come into being whole and private or not at all, and are found after a kill.

A draft stands beside the file that it becomes, which may be in any folder. A note in
`<store>.drafts` says where, and which process writes it; the note is on disk before the draft is
and goes after it. The notes of copies that somebody asked for stay, so that an erasure can name
those copies, wherever they are.

Where the store's own disk takes no note (it is full or read-only), a copy elsewhere is made without
one: to get the memory off such a disk counts for more than that an erasure can name the copy.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from memctl.core import clock, process_identity, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.regular_files import read_regular_file
from memctl.core.system_errors import explain_failed_write
from memctl.core.typing_lite import Any, BinaryIO
from memctl.settings.config import Config
from memctl.store import files
from memctl.store.migrate import make_private_folder, touch_private

# Seconds for which the process of another machine counts as alive, and a draft without a note (of
# an earlier version) as being written. Chosen by hand.
_LONGEST_SECONDS = 86400.0
_FOR_EVER = "9999"
# How the note of a complete copy ends.
_COMPLETE = ".copy.json"
# `.NAME.ULID.tmp`
_DRAFT_NAME = compile_later(r"\..+\.[0-9A-HJKMNP-TV-Z]{26}\.tmp", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that is not complete: what becomes of it, which process writes it, and its note."""

    path: Path
    target: Path
    process: Mapping[str, Any]
    note: Path | None = None

    @property
    def is_complete(self) -> bool:
        """Whether this was a draft once and has its name now."""
        return self.note is not None and self.note.name.endswith(_COMPLETE)

    @property
    def is_being_written(self) -> bool:
        """Whether its process lives and is not done, as far as can be told."""
        if self.is_complete:
            return False
        if not self.process:
            return not is_older_than(self.path, _LONGEST_SECONDS)
        return _is_at_work(self.process)


@contextmanager
def write_draft(
    config: Config, target: Path, *, replaces: bool = False, is_asked_for: bool = False
) -> Iterator[Path]:
    """Open an empty 0600 file that becomes `target` when the block ends well.

    Unless it `replaces` a file, one that has come there meanwhile stays. What somebody asked for
    keeps its note. Raises UsageError, StoreFull.
    """
    if target.is_dir():
        raise UsageError(f"{target} is a folder")
    with open_scratch(config, target, is_asked_for=is_asked_for) as draft:
        yield draft
        with _file_errors(target):
            files.sync_path(draft)
            _give_name(draft, target, replaces=replaces)
            files.sync_path(target.parent)


@contextmanager
def create_private_file(
    config: Config, target: Path, *, replaces: bool = False
) -> Iterator[BinaryIO]:
    """Open a file that somebody asked for: it appears at `target` when the block ends well."""
    with (
        write_draft(config, target, replaces=replaces, is_asked_for=True) as draft,
        _file_errors(target),
        draft.open("r+b") as handle,
    ):
        yield handle


@contextmanager
def open_scratch(config: Config, target: Path, *, is_asked_for: bool = False) -> Iterator[Path]:
    """Open an empty 0600 file beside `target` that is gone when the block ends.

    Raises UsageError, StoreFull.
    """
    own_id = clock.new_id()
    draft = target.with_name(f".{target.name}.{own_id}.tmp")
    with _file_errors(target):
        note = _try_to_write_note(config, own_id, draft, target)
        try:
            touch_private(draft)
        except BaseException:
            if note is not None:
                note.unlink()
            raise
    try:
        yield draft
    finally:
        for leftover in _list_parts(draft):
            leftover.unlink(missing_ok=True)
        if note is None:
            pass
        elif is_asked_for and target.is_file():
            note.rename(note.with_suffix(_COMPLETE))
        else:
            note.unlink(missing_ok=True)


def list_drafts(config: Config) -> list[Draft]:
    """List the drafts that are there, with and without a note."""
    noted = [draft for draft in _read_notes(config) if _is_there(draft.path)]
    known = {draft.path for draft in noted}
    found = (
        path
        for folder in (config.db.parent, config.backups)
        if folder.is_dir()
        for path in sorted(folder.glob(".*.tmp"))
        if _DRAFT_NAME.fullmatch(path.name)
    )
    return noted + [Draft(path, path, {}) for path in found if path not in known]


def list_abandoned(config: Config) -> list[Draft]:
    """List the drafts that no living process writes."""
    return [draft for draft in list_drafts(config) if not draft.is_being_written]


def list_unreachable(config: Config) -> list[Path]:
    """List the drafts and copies whose folder is not there now: on another disk, perhaps."""
    return [
        draft.target if draft.is_complete else draft.path
        for draft in _read_notes(config)
        if not draft.target.parent.is_dir()
    ]


def list_requested_copies(config: Config) -> list[Path]:
    """List the backups and exports that somebody asked for, wherever they are."""
    return list(
        dict.fromkeys(
            draft.target
            for draft in _read_notes(config)
            if not _is_there(draft.path) and draft.target.is_file()
        )
    )


def list_parts(draft: Draft) -> list[Path]:
    """List a draft and the files that SQLite may have left beside it."""
    return _list_parts(draft.path)


def remove_draft(draft: Draft) -> None:
    """Overwrite and delete a draft, with SQLite's files beside it and its note."""
    for path in list_parts(draft):
        files.shred_file(path)
    if draft.note is not None and not draft.target.is_file():
        draft.note.unlink(missing_ok=True)


def drop_stale_notes(config: Config) -> None:
    """Drop the notes that speak of nothing any more."""
    for draft in _read_notes(config):
        is_reachable = draft.target.parent.is_dir()
        is_of_use = _is_there(draft.path) or draft.target.is_file() or draft.is_being_written
        if draft.note is not None and is_reachable and not is_of_use:
            draft.note.unlink(missing_ok=True)


def locate_notes(config: Config) -> Path:
    """Return the folder of the notes."""
    return config.db.with_name(f"{config.db.name}.drafts")


def is_older_than(path: Path, seconds: float) -> bool:
    """Whether a file was last changed so long ago, or by a clock that was as far ahead."""
    try:
        age = timestamps.parse_iso(clock.now()) - path.stat().st_mtime
    except OSError:
        return False
    return abs(age) > seconds


def _is_at_work(process: Mapping[str, Any]) -> bool:
    """Whether a process lives. One of an earlier start of this machine does not."""
    here = process_identity.describe_process()
    if process.get("machine") == here["machine"]:
        return process_identity.is_alive({**process, "until": _FOR_EVER}, clock.now())
    return process.get("host") != _name_host() and process_identity.is_alive(process, clock.now())


def _try_to_write_note(config: Config, own_id: str, draft: Path, target: Path) -> Path | None:
    """Write the note of a draft; None where the store's disk takes none."""
    try:
        return _write_note(config, own_id, draft, target)
    except OSError as error:
        if explain_failed_write(error.errno, config.db) is None:
            raise
        # An empty file may be what became of it.
        with suppress(OSError):
            (locate_notes(config) / f"{own_id}.json").unlink(missing_ok=True)
        return None


def _write_note(config: Config, own_id: str, draft: Path, target: Path) -> Path:
    folder = locate_notes(config)
    make_private_folder(folder)
    note = folder / f"{own_id}.json"
    body = {
        "draft": str(draft.absolute()),
        "target": str(target.absolute()),
        "process": {
            **process_identity.describe_process(),
            "host": _name_host(),
            "until": timestamps.add_seconds(clock.now(), seconds=_LONGEST_SECONDS),
        },
    }
    handle = os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(json.dumps(body).encode())
        stream.flush()
        os.fsync(stream.fileno())
    files.sync_path(folder)
    return note


def _name_host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else ""


def _read_notes(config: Config) -> Iterator[Draft]:
    folder = locate_notes(config)
    for note in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            body = json.loads(read_regular_file(note))
            yield Draft(Path(body["draft"]), Path(body["target"]), dict(body["process"]), note)


def _is_there(path: Path) -> bool:
    return any(os.path.lexists(each) for each in _list_parts(path))


def _list_parts(path: Path) -> list[Path]:
    return [path, *files.list_companions(path), path.with_name(f"{path.name}-journal")]


def _give_name(draft: Path, target: Path, *, replaces: bool) -> None:
    if not replaces:
        try:
            os.link(draft, target)
        except FileExistsError:
            raise UsageError(f"{target} is there already; it came while this was written") from None
        except OSError:  # a file system without hard links
            pass
        else:
            return
    draft.replace(target)


@contextmanager
def _file_errors(target: Path) -> Iterator[None]:
    """Raise what the system says of a draft as an error about the file that it becomes."""
    try:
        yield
    except OSError as error:
        obstacle = explain_failed_write(error.errno, target)
        raise obstacle or UsageError(f"cannot write {target}: {error.strerror}") from error
