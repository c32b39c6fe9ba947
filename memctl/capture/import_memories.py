"""Import other tools' memories: each file becomes a source, and its notes become candidates.

Guarantees: they only get into the inbox; the same file adds nothing twice, and one that grew only
what is new; what was rejected or forgotten is not proposed again; nothing is imported whose project
is unknown. The memories of one project are stored at once and then proposed a few at a time, so
that nobody waits long for the store. An interrupted import is finished by the next one, or by
maintenance. A dry run does the whole work and rolls it back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl import importers
from memctl.capture import session, store_transcripts
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.core import clock
from memctl.core.errors import MemctlError, NotFound, RefusedByPolicy, StoreLocked, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Job, Transcript
from memctl.curate.propose import ProposalCounts, propose_candidates
from memctl.extract import extract, extract_version
from memctl.importers import locations
from memctl.importers.base import ImportedFile as Place
from memctl.importers.base import Importer, ProjectMemories
from memctl.importers.instruction_files import InstructionFile, find_project_folder
from memctl.readers.base import Input
from memctl.records import ignore_rules, projects
from memctl.redact import sanitize
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.backfill import MemoriesReport, MemoryFile
from memctl.settings import config
from memctl.settings.config import Config
from memctl.store import foreign_databases, queue, sources
from memctl.store import projects as known_projects
from memctl.store.database import Database

TRIGGER = "import-memories"
# Nobody keeps notes for agents in a file of this size; a database is read row by row.
MAX_FILE_BYTES = 256 * 1024 * 1024
# Candidates proposed in one transaction, which takes about a second.
_BATCH = 50


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
class _MemoryFileToImport:
    """One file to import, or why it cannot be imported."""

    path: Path
    importer: Importer | None = None
    problem: str | None = None


class _RollBack(BaseException):
    """Leaves a transaction so that it is rolled back."""


def import_memories(
    open_db: session.OpenDatabase,
    settings: Config,
    actor: str,
    wanted: ImportOptions,
    *,
    dry_run: bool = False,
) -> MemoriesReport:
    """Import what other tools remember.

    Raises UsageError for an unknown kind, a missing path, and for no path at all.
    """
    if wanted.kind is not None and wanted.kind not in importers.KINDS:
        raise UsageError(
            f"no memories are known of {wanted.kind}",
            hint=f"known are {', '.join(importers.KINDS)}",
        )
    if not wanted.paths and not wanted.found:
        raise UsageError(
            "name files or folders",
            hint="`memctl import-memories --found` takes in what is found on this machine",
        )
    db = open_db()
    items = [
        item
        for file in _list_files(wanted, make_redactor(settings))
        for item in _import_file(db, settings, actor, file, dry_run=dry_run)
    ]
    return MemoriesReport(tuple(items), dry_run)


def _list_files(wanted: ImportOptions, redactor: Redactor) -> Iterator[_MemoryFileToImport]:
    """Every file once."""
    seen: set[Path] = set()
    for file in (
        *_list_named_files(wanted),
        *(_find_files(wanted, redactor) if wanted.found else ()),
    ):
        if file.path.absolute() not in seen:
            seen.add(file.path.absolute())
            yield file


def _list_named_files(wanted: ImportOptions) -> Iterator[_MemoryFileToImport]:
    for path in wanted.paths:
        if path.is_dir():
            inside = list(_list_folder_files(path, wanted.kind))
            yield from inside or [
                _MemoryFileToImport(path, problem="holds no memories of a known kind")
            ]
        elif path.is_file():
            yield _recognise_file(path, wanted.kind)
        else:
            raise UsageError(f"{path} is not there")


def _recognise_file(path: Path, kind: str | None) -> _MemoryFileToImport:
    """A named file, of the kind that was named or the kind that it looks like."""
    if kind is not None:
        return _MemoryFileToImport(path, importers.get_importer(kind))
    try:
        with _open_input(path) as source:
            importer = importers.find_importer(path, source)
    except (MemctlError, OSError) as error:
        return _MemoryFileToImport(path, problem=str(error))
    hint = f"no memories of a known kind; --from says which: {', '.join(importers.KINDS)}"
    return _MemoryFileToImport(path, importer, None if importer else hint)


def _list_folder_files(folder: Path, kind: str | None) -> Iterator[_MemoryFileToImport]:
    """The memory files of a project's folder, or of a folder that only holds such files."""
    found = [(name, path) for name, path in locations.find_project_files(folder)]
    yield from (
        _MemoryFileToImport(path, importers.get_importer(name))
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


def _find_files(wanted: ImportOptions, redactor: Redactor) -> Iterator[_MemoryFileToImport]:
    """The memory files in the operator's own folders and in the project of the working folder."""
    around = projects.read_surroundings(wanted.cwd, redactor) if wanted.cwd is not None else None
    for kind, path in locations.find_memory_files(
        config.get_environment(), around.root if around else None
    ):
        if wanted.kind in (None, kind):
            yield _MemoryFileToImport(path, importers.get_importer(kind))


@contextmanager
def _open_input(path: Path) -> Iterator[Input]:
    """A file to read, with its tables open if it is a database."""
    source = Input(path=path)
    if not source.is_database():
        yield source
        return
    with foreign_databases.open_tables(path) as tables:
        yield replace(source, tables=tables)


def _import_file(
    db: Database, settings: Config, actor: str, file: _MemoryFileToImport, *, dry_run: bool
) -> Iterator[MemoryFile]:
    """Import one file; whatever becomes of it, the next one follows."""
    kind = file.importer.kind if file.importer else None
    if file.importer is None:
        yield MemoryFile(str(file.path), kind, outcome="refused", problem=file.problem)
        return
    try:
        told, original = _read_file(file.path, file.importer, make_redactor(settings))
    except (MemctlError, OSError) as error:
        yield MemoryFile(str(file.path), kind, outcome="failed", problem=str(error))
        return
    for each in told:
        yield _import_project_memories(db, settings, actor, file, each, original, dry_run=dry_run)
    if not told:
        yield MemoryFile(str(file.path), kind, outcome="empty")


def _read_file(
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
        else path.read_bytes()
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
    return Place(path, folder, is_global=hidden and not _has_project_root(folder, redactor))


def _has_project_root(folder: Path, redactor: Redactor) -> bool:
    around = projects.read_surroundings(folder, redactor)
    return around is not None and (around.git_common_dir is not None or around.marker is not None)


def _import_project_memories(
    db: Database,
    settings: Config,
    actor: str,
    file: _MemoryFileToImport,
    each: ProjectMemories,
    original: OriginalFile,
    *,
    dry_run: bool,
) -> MemoryFile:
    """Import what a file holds of one project; whatever becomes of it, the others follow."""
    each = replace(
        each,
        transcript=sanitize.sanitize_transcript(
            _drop_unrooted_folder(each, make_redactor(settings)), make_redactor(settings)
        ),
    )
    transcript = each.transcript
    item = MemoryFile(str(file.path), transcript.agent, each.project, len(transcript.turns))
    try:
        if not transcript.turns:
            return replace(item, outcome="empty")
        if ignored := _find_ignore_reason(db, settings, file, each):
            return replace(item, outcome="ignored", note=ignored)
        if each.reason_unplaced:
            return replace(item, outcome="refused", problem=each.reason_unplaced)
        return (_try_to_store if dry_run else _store_memories)(
            db, settings, actor, file, each, original
        )
    except StoreLocked:
        raise
    except RefusedByPolicy as error:
        return replace(item, outcome="ignored", note=str(error))
    except MemctlError as error:
        return replace(item, outcome="failed", problem=str(error))


def _drop_unrooted_folder(each: ProjectMemories, redactor: Redactor) -> Transcript:
    """The transcript, without a folder that counts only if a project has its root there."""
    cwd = each.transcript.cwd
    return (
        replace(each.transcript, cwd=None)
        if cwd and each.only_rooted and not _has_project_root(Path(cwd), redactor)
        else each.transcript
    )


def _find_ignore_reason(
    db: Database, settings: Config, file: _MemoryFileToImport, each: ProjectMemories
) -> str | None:
    """Why the operator's rules ignore these memories, or None."""
    known = known_projects.called(db, each.project) if each.project else None
    names = known_projects.all_names(db, known.id) if known else ()
    cwd = Path(each.transcript.cwd) if each.transcript.cwd else None
    return ignore_rules.find_ignore_reason(
        settings, folders=(cwd,), files=(file.path,), named=(each.project, *names)
    )


def _try_to_store(
    db: Database,
    settings: Config,
    actor: str,
    file: _MemoryFileToImport,
    each: ProjectMemories,
    original: OriginalFile,
) -> MemoryFile:
    """What would become of the memories: they are stored, and rolled back."""
    made: list[MemoryFile] = []
    try:
        with db.write():
            made.append(_store_memories(db, settings, actor, file, each, original))
            raise _RollBack
    except _RollBack:
        return made[0]


def _store_memories(
    db: Database,
    settings: Config,
    actor: str,
    file: _MemoryFileToImport,
    each: ProjectMemories,
    original: OriginalFile,
) -> MemoryFile:
    """Store the memories of one project, then propose what is new among them."""
    transcript = each.transcript
    with db.write():
        project = (
            _ensure_project(db, each.project, make_redactor(settings)) if each.project else None
        )
    request = CaptureRequest(Input(path=file.path), TRIGGER, actor, project=project)
    (stored,) = store_transcripts.store_transcripts(
        db, settings, request, original, [transcript]
    ).items
    job, number = queue.find_waiting(db, stored.source_id), len(transcript.turns)
    tally = (
        ProposalCounts(duplicates=number)
        if job is None
        else _propose_stored(db, settings, stored.source_id, job)
    )
    return MemoryFile(
        str(file.path),
        transcript.agent,
        stored.project,
        number,
        tally.proposed,
        tally.duplicates,
        tally.rejected_again,
        stored.outcome,
        redacted=stored.redacted,
    )


def _propose_stored(db: Database, settings: Config, source_id: str, job: Job) -> ProposalCounts:
    """Propose the candidates of a stored source, a few at a time, and finish its job."""
    source, total = sources.get_source(db, source_id), ProposalCounts()
    transcript = store_transcripts.read_stored(db, source)
    candidates = extract(transcript)
    for start in range(0, len(candidates), _BATCH):
        few = candidates[start : start + _BATCH]
        with db.write():
            tally = propose_candidates(
                db, settings, source, transcript.turns, few, cause=f"ingestion {job.id}"
            )
        for name in ProposalCounts.__slots__:
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    outcome = {**job.outcome, **{name: getattr(total, name) for name in ProposalCounts.__slots__}}
    with db.write():
        queue.finish_job(
            db,
            job,
            owner=None,
            now=clock.now(),
            outcome=outcome,
            processor="extract",
            version=extract_version,
        )
    return total


def _ensure_project(db: Database, name: str, redactor: Redactor) -> str:
    """The id of the project of that name, added if there is none.

    Raises UsageError where several have that name.
    """
    try:
        return known_projects.named(db, name).id
    except NotFound as error:
        if known_projects.called(db, name) is not None:
            raise UsageError(str(error)) from error
    return known_projects.insert(db, sanitize.sanitize_text(name, redactor), None, clock.now()).id
