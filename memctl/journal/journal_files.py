"""Files of daily notes and MEMORY.md: where they stand, read and replaced whole.

A file is private to the operator, appears in one step, and is only replaced as long as it is what
was read: what somebody saved meanwhile is never overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memctl.core.errors import StoreLocked, UsageError
from memctl.core.frozen import dataclass
from memctl.core.regular_files import read_regular_file
from memctl.core.system_errors import explain_failed_write
from memctl.records.paths import make_name
from memctl.settings.config import Config
from memctl.store import journal_folders
from memctl.vault.notes_on_disk import open_folder, recover_folder

MEMORY_NAME = "MEMORY.md"
_DAILY_FOLDER = "daily"
_PROJECTS_FOLDER = "projects"
# What a killed run may have left beside a file.
_ASIDE = ".memctl-*"
# Last characters of an id that tell two projects of one name apart.
_ID_END = 8


class ChangedMeanwhile(Exception):
    """Somebody saved the file after it was read."""


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file as it was read: its text, or None where there is none."""

    path: Path
    text: str | None


def find_folder(config: Config, given: Path | None) -> Path | None:
    """Return the folder that was given, else that of the settings. Raises UsageError."""
    named = given if given is not None else str(config["journal.dir"]).strip()
    if not named:
        return None
    folder = Path(named).expanduser()
    if given is not None:
        folder = folder.absolute()
    if not folder.is_absolute():
        raise UsageError(f"journal.dir: {folder} is no whole path", hint="it begins with / or ~/")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    return folder


def name_project_folders(names: Mapping[str, str]) -> dict[str, str]:
    """Name the folder of each project, by id: where `memctl ls` and a vault have it, unless two
    would be one.
    """
    taken: set[str] = set()
    found = {}
    for project_id in sorted(names):
        name = make_name(names[project_id])
        if name.casefold() in taken:
            name = f"{name}-{project_id[-_ID_END:]}"
        taken.add(name.casefold())
        found[project_id] = f"{_PROJECTS_FOLDER}/{name}"
    return found


def locate_daily(folder: Path, day: str, project_folder: str | None) -> Path:
    """Return where the note of a day stands."""
    return (folder / project_folder if project_folder else folder) / _DAILY_FOLDER / f"{day}.md"


def locate_memory(folder: Path, project_folder: str | None) -> Path:
    """Return where MEMORY.md of a place stands."""
    return (folder / project_folder if project_folder else folder) / MEMORY_NAME


def read_note(path: Path) -> NoteFile:
    """Read a file. Raises UsageError for what cannot be read or is a link."""
    if path.is_symlink():
        raise UsageError(f"{path} is a link, so it is left alone")
    if not path.exists() and any(path.parent.glob(_ASIDE)):
        recover_folder(path.parent)
    try:
        return NoteFile(path, read_regular_file(path).decode("utf-8", "surrogateescape"))
    except FileNotFoundError:
        return NoteFile(path, None)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def replace_note(config: Config, folder: Path, read: NoteFile, text: str) -> bool:
    """Replace a file that was read; False if it says that already.

    What somebody still writes to the old file, which they had open, is kept beside the new one.
    Raises ChangedMeanwhile, UsageError, StoreFull.
    """
    if read.text == text:
        return False
    path = read.path.relative_to(folder).as_posix()
    expected = None if read.text is None else _encode(read.text)
    journal_folders.note_folder(config, folder)
    try:
        with open_folder(folder) as notes:
            is_done = notes.write(path, _encode(text), expected)
    except OSError as error:
        obstacle = explain_failed_write(error.errno, read.path) if error.errno else None
        reason = error.strerror or error
        raise obstacle or UsageError(f"cannot write {read.path}: {reason}") from error
    if not is_done:
        raise ChangedMeanwhile
    return True


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def refuse_changing(path: Path) -> StoreLocked:
    """The error for a file that somebody keeps saving."""
    return StoreLocked(f"{path} is being written by somebody else; try again")
