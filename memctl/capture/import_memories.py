"""Other tools' memories taken in: each file becomes a source whose notes become candidates in the inbox, never anything more.

Kept true here: the same file adds nothing twice, and one that grew only what is new; what was rejected or forgotten is not proposed
again; nothing is taken of which nobody knows what project it belongs to. What one place remembers is stored at once and then sorted a
few at a time, so that nobody waits long for the store; an import that is broken off is ended by the next one, or by maintenance.
A dry run does the whole work and takes it back.
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
from memctl.extract import extract_candidates, extract_version
from memctl.importers import locations
from memctl.importers.base import Importer, Place, Told
from memctl.importers.instruction_files import Page, folder_of
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
LARGEST = 256 * 1024 * 1024
# How many candidates are looked at in one transaction, which takes about a second.
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories to take in: those in these files and folders, or all that are found here; of one kind, if it is named."""

    paths: tuple[Path, ...] = ()
    kind: str | None = None
    found: bool = False
    cwd: Path | None = None


@dataclass(frozen=True, slots=True)
class _File:
    """One file to take in, or why it cannot be."""

    path: Path
    importer: Importer | None = None
    problem: str | None = None


class _DryRun(BaseException):
    """Leaves the transaction so that it is taken back."""


def import_memories(
    open_db: session.OpenDatabase,
    settings: Config,
    actor: str,
    wanted: Wanted,
    *,
    dry_run: bool = False,
) -> MemoriesReport:
    """Take in what other tools remember. Raises UsageError for an unknown kind, a path that is not there, and for no path at all."""
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
        for file in _files(wanted, make_redactor(settings))
        for item in _take(db, settings, actor, file, dry_run=dry_run)
    ]
    return MemoriesReport(tuple(items), dry_run)


def _files(wanted: Wanted, redactor: Redactor) -> Iterator[_File]:
    """Every file once."""
    seen: set[Path] = set()
    for file in (*_named(wanted), *(_found(wanted, redactor) if wanted.found else ())):
        if file.path.absolute() not in seen:
            seen.add(file.path.absolute())
            yield file


def _named(wanted: Wanted) -> Iterator[_File]:
    for path in wanted.paths:
        if path.is_dir():
            inside = list(_inside(path, wanted.kind))
            yield from inside or [_File(path, problem="holds no memories of a known kind")]
        elif path.is_file():
            yield _recognised(path, wanted.kind)
        else:
            raise UsageError(f"{path} is not there")


def _recognised(path: Path, kind: str | None) -> _File:
    """A file that was named: of the kind that was named, else of the kind that it looks like."""
    if kind is not None:
        return _File(path, importers.importer_of(kind))
    try:
        with _input(path) as source:
            importer = importers.recognised(path, source)
    except (MemctlError, OSError) as error:
        return _File(path, problem=str(error))
    hint = f"no memories of a known kind; --from says which: {', '.join(importers.KINDS)}"
    return _File(path, importer, None if importer else hint)


def _inside(folder: Path, kind: str | None) -> Iterator[_File]:
    """The memory files of a project's folder, or of a folder that only holds such."""
    found = [(name, path) for name, path in locations.of_project(folder)]
    yield from (
        _File(path, importers.importer_of(name)) for name, path in found if kind in (None, name)
    )
    for path in sorted(
        path for path in folder.iterdir() if path.is_file() and not path.is_symlink()
    ):
        if path not in (place for _, place in found):
            file = _recognised(path, None)
            if file.importer is not None and kind in (None, file.importer.kind):
                yield file


def _found(wanted: Wanted, redactor: Redactor) -> Iterator[_File]:
    """What the operator's own folders and the project of the working folder hold."""
    around = projects.read_surroundings(wanted.cwd, redactor) if wanted.cwd is not None else None
    for kind, path in locations.found(config.environ(), around.root if around else None):
        if wanted.kind in (None, kind):
            yield _File(path, importers.importer_of(kind))


@contextmanager
def _input(path: Path) -> Iterator[Input]:
    """A file to read, its tables open if it is a database."""
    source = Input(path=path)
    if not source.is_database():
        yield source
        return
    with foreign_databases.open_tables(path) as tables:
        yield replace(source, tables=tables)


def _take(
    db: Database, settings: Config, actor: str, file: _File, *, dry_run: bool
) -> Iterator[MemoryFile]:
    """Take in one file; whatever it is, the next one follows."""
    kind = file.importer.kind if file.importer else None
    if file.importer is None:
        yield MemoryFile(str(file.path), kind, outcome="refused", problem=file.problem)
        return
    try:
        told, original = _read(file.path, file.importer, make_redactor(settings))
    except (MemctlError, OSError) as error:
        yield MemoryFile(str(file.path), kind, outcome="failed", problem=str(error))
        return
    for each in told:
        yield _one(db, settings, actor, file, each, original, dry_run=dry_run)
    if not told:
        yield MemoryFile(str(file.path), kind, outcome="empty")


def _read(path: Path, importer: Importer, redactor: Redactor) -> tuple[list[Told], OriginalFile]:
    """What a file tells, read to its end before the store is asked. Raises UsageError."""
    with _input(path) as source:
        if importer.is_database != (source.tables is not None):
            raise UsageError(f"is {'no' if importer.is_database else 'a'} database")
        size = path.stat().st_size
        if size > LARGEST and not importer.is_database:
            raise UsageError(f"has {size} bytes; notes are smaller")
        place = _place_of(path, redactor)
        if (
            isinstance(importer, Page)
            and not place.is_global
            and projects.read_surroundings(place.folder, redactor) is None
        ):
            raise UsageError(
                "belongs to no project: it lies in a folder for temporary files or above the home folder"
            )
        told = list(importer.read(source, place))
    text = (
        b"".join(sources.pack(each.transcript.turns) for each in told)
        if importer.is_database
        else path.read_bytes()
    )
    return told, OriginalFile(
        size,
        hashlib.sha256(text).hexdigest(),
        sanitize.sanitize_text(str(path.absolute()), redactor),
    )


def _place_of(path: Path, redactor: Redactor) -> Place:
    """The folder that a file speaks to; what lies in the home folder, or below a dot folder there and in no repository, speaks to all."""
    folder, home = folder_of(path), Path.home()
    if locations.is_for_all(path, config.environ()) or folder == home:
        return Place(path, folder, is_global=True)
    hidden = folder.is_relative_to(home) and folder.relative_to(home).parts[0].startswith(".")
    return Place(path, folder, is_global=hidden and not _is_rooted(folder, redactor))


def _is_rooted(folder: Path, redactor: Redactor) -> bool:
    around = projects.read_surroundings(folder, redactor)
    return around is not None and (around.git_common_dir is not None or around.marker is not None)


def _one(
    db: Database,
    settings: Config,
    actor: str,
    file: _File,
    each: Told,
    original: OriginalFile,
    *,
    dry_run: bool,
) -> MemoryFile:
    """Take in what is remembered of one place; whatever becomes of it, the other places follow."""
    each = replace(
        each,
        transcript=sanitize.sanitize_transcript(
            _placed(each, make_redactor(settings)), make_redactor(settings)
        ),
    )
    transcript = each.transcript
    item = MemoryFile(str(file.path), transcript.agent, each.project, len(transcript.turns))
    try:
        if not transcript.turns:
            return replace(item, outcome="empty")
        if ignored := _why_ignored(db, settings, file, each):
            return replace(item, outcome="ignored", note=ignored)
        if each.unplaced:
            return replace(item, outcome="refused", problem=each.unplaced)
        return (_tried if dry_run else _taken_in)(db, settings, actor, file, each, original)
    except StoreLocked:
        raise
    except RefusedByPolicy as error:
        return replace(item, outcome="ignored", note=str(error))
    except MemctlError as error:
        return replace(item, outcome="failed", problem=str(error))


def _placed(each: Told, redactor: Redactor) -> Transcript:
    """The transcript, without a folder that counts only where something is rooted."""
    cwd = each.transcript.cwd
    return (
        replace(each.transcript, cwd=None)
        if cwd and each.only_rooted and not _is_rooted(Path(cwd), redactor)
        else each.transcript
    )


def _why_ignored(db: Database, settings: Config, file: _File, each: Told) -> str | None:
    """Why the operator wants it left out."""
    known = known_projects.called(db, each.project) if each.project else None
    names = known_projects.all_names(db, known.id) if known else ()
    cwd = Path(each.transcript.cwd) if each.transcript.cwd else None
    return ignore_rules.find_ignore_reason(
        settings, folders=(cwd,), files=(file.path,), named=(each.project, *names)
    )


def _tried(
    db: Database, settings: Config, actor: str, file: _File, each: Told, original: OriginalFile
) -> MemoryFile:
    """What would become of it: done, and taken back."""
    made: list[MemoryFile] = []
    try:
        with db.write():
            made.append(_taken_in(db, settings, actor, file, each, original))
            raise _DryRun
    except _DryRun:
        return made[0]


def _taken_in(
    db: Database, settings: Config, actor: str, file: _File, each: Told, original: OriginalFile
) -> MemoryFile:
    """Store the memories of one place, then propose what is new among them, unless that was done before."""
    transcript = each.transcript
    with db.write():
        project = _project(db, each.project, make_redactor(settings)) if each.project else None
    request = CaptureRequest(Input(path=file.path), TRIGGER, actor, project=project)
    (stored,) = store_transcripts.store_transcripts(
        db, settings, request, original, [transcript]
    ).items
    job, number = queue.waiting(db, stored.source_id), len(transcript.turns)
    tally = (
        ProposalCounts(duplicates=number)
        if job is None
        else _proposed(db, settings, stored.source_id, job)
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


def _proposed(db: Database, settings: Config, source_id: str, job: Job) -> ProposalCounts:
    """Do the work that a capture leaves for maintenance, a few candidates at a time."""
    source, total = sources.get(db, source_id), ProposalCounts()
    transcript = store_transcripts.read_stored(db, source)
    candidates = extract_candidates(transcript)
    for start in range(0, len(candidates), _AT_ONCE):
        few = candidates[start : start + _AT_ONCE]
        with db.write():
            tally = propose_candidates(
                db, settings, source, transcript.turns, few, cause=f"ingestion {job.id}"
            )
        for name in ProposalCounts.__slots__:
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    outcome = {**job.outcome, **{name: getattr(total, name) for name in ProposalCounts.__slots__}}
    with db.write():
        queue.finish(
            db,
            job,
            owner=None,
            now=clock.now(),
            outcome=outcome,
            processor="extract",
            version=extract_version,
        )
    return total


def _project(db: Database, name: str, redactor: Redactor) -> str:
    """The id of the project of that name, added if there is none. Raises UsageError where several are called so."""
    try:
        return known_projects.named(db, name).id
    except NotFound as error:
        if known_projects.called(db, name) is not None:
            raise UsageError(str(error)) from error
    return known_projects.insert(db, sanitize.sanitize_text(name, redactor), None, clock.now()).id
