"""The files in which other tools remember, and what each of them says when it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl import importers
from memctl.capture.request import OriginalFile
from memctl.core.errors import MemctlError, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.regular_files import read_regular_file
from memctl.importers import locations
from memctl.importers.base import ImportedFile as Place
from memctl.importers.base import Importer, ProjectMemories
from memctl.importers.instruction_files import InstructionFile, find_project_folder
from memctl.readers.base import Input
from memctl.records import projects
from memctl.redact import sanitize
from memctl.redact.redactor import Redactor
from memctl.settings import config
from memctl.store import foreign_databases, sources

# Nobody keeps notes for agents in a file of this size; a database is read row by row.
MAX_FILE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Which memories to import: those in these files and folders, and with `found` all on this
    machine.

    `kind` limits them to one kind.
    """

    paths: tuple[Path, ...] = ()
    kind: str | None = None
    found: bool = False
    cwd: Path | None = None


@dataclass(frozen=True, slots=True)
class FileToImport:
    """One file to import, or why it cannot be imported."""

    path: Path
    importer: Importer | None = None
    problem: str | None = None


def list_files(wanted: ImportOptions, redactor: Redactor) -> Iterator[FileToImport]:
    """Every file once."""
    seen: set[Path] = set()
    for file in (
        *_list_named_files(wanted),
        *(_find_files(wanted, redactor) if wanted.found else ()),
    ):
        if file.path.absolute() not in seen:
            seen.add(file.path.absolute())
            yield file


def _list_named_files(wanted: ImportOptions) -> Iterator[FileToImport]:
    for path in wanted.paths:
        if path.is_dir():
            inside = list(_list_folder_files(path, wanted.kind))
            yield from inside or [FileToImport(path, problem="holds no memories of a known kind")]
        elif path.is_file():
            yield _recognise_file(path, wanted.kind)
        else:
            raise UsageError(f"{path} is not there")


def _recognise_file(path: Path, kind: str | None) -> FileToImport:
    """A named file, of the kind that was named or the kind that it looks like."""
    if kind is not None:
        return FileToImport(path, importers.get_importer(kind))
    try:
        with _open_input(path) as source:
            importer = importers.find_importer(path, source)
    except (MemctlError, OSError) as error:
        return FileToImport(path, problem=str(error))
    hint = f"no memories of a known kind; --from says which: {', '.join(importers.KINDS)}"
    return FileToImport(path, importer, None if importer else hint)


def _list_folder_files(folder: Path, kind: str | None) -> Iterator[FileToImport]:
    """The memory files of a project's folder, or of a folder that only holds such files."""
    found = [(name, path) for name, path in locations.find_project_files(folder)]
    yield from (
        FileToImport(path, importers.get_importer(name))
        for name, path in found
        if kind in (None, name)
    )
    for path in sorted(
        path for path in folder.iterdir() if path.is_file() and not path.is_symlink()
    ):
        if path not in (place for _, place in found):
            file = _recognise_file(path, None)
            if file.importer is not None and kind in (None, file.importer.kind):
                yield file


def _find_files(wanted: ImportOptions, redactor: Redactor) -> Iterator[FileToImport]:
    """The memory files in the operator's own folders and in the project of the working folder."""
    around = projects.read_surroundings(wanted.cwd, redactor) if wanted.cwd is not None else None
    for kind, path in locations.find_memory_files(
        config.get_environment(), around.root if around else None
    ):
        if wanted.kind in (None, kind):
            yield FileToImport(path, importers.get_importer(kind))


@contextmanager
def _open_input(path: Path) -> Iterator[Input]:
    """A file to read, with its tables open if it is a database."""
    source = Input(path=path)
    if not source.is_database():
        yield source
        return
    with foreign_databases.open_tables(path) as tables:
        yield replace(source, tables=tables)


def read_file(
    path: Path, importer: Importer, redactor: Redactor
) -> tuple[list[ProjectMemories], OriginalFile]:
    """Read a file to its end, before the store is asked. Raises UsageError."""
    with _open_input(path) as source:
        if importer.is_database != (source.tables is not None):
            raise UsageError(f"is {'no' if importer.is_database else 'a'} database")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES and not importer.is_database:
            raise UsageError(f"has {size} bytes; notes are smaller")
        place = _find_location(path, redactor)
        if (
            isinstance(importer, InstructionFile)
            and not place.is_global
            and projects.read_surroundings(place.folder, redactor) is None
        ):
            raise UsageError(
                "belongs to no project: it lies in a folder for temporary files or above the home "
                "folder"
            )
        told = list(importer.read(source, place))
    text = (
        b"".join(sources.pack_turns(each.transcript.turns) for each in told)
        if importer.is_database
        else read_regular_file(path)
    )
    return told, OriginalFile(
        size,
        hashlib.sha256(text).hexdigest(),
        sanitize.sanitize_text(str(path.absolute()), redactor),
    )


def _find_location(path: Path, redactor: Redactor) -> Place:
    """The folder that a file is about.

    A file in the home folder, or below a dot folder there and outside a repository, is about all
    projects.
    """
    folder, home = find_project_folder(path), Path.home()
    if locations.is_for_all_projects(path, config.get_environment()) or folder == home:
        return Place(path, folder, is_global=True)
    hidden = folder.is_relative_to(home) and folder.relative_to(home).parts[0].startswith(".")
    return Place(path, folder, is_global=hidden and not has_project_root(folder, redactor))


def has_project_root(folder: Path, redactor: Redactor) -> bool:
    around = projects.read_surroundings(folder, redactor)
    return around is not None and (around.git_common_dir is not None or around.marker is not None)
