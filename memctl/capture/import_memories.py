"""Import other tools' memories: each file becomes a source, and its notes become candidates.

Guarantees: they only get into the inbox; the same file adds nothing twice, and one that was changed
only what is new, while the records of its other lines are brought in line (`reconcile_notes`); what
was rejected or forgotten is not proposed again; nothing is imported whose project is unknown. The
memories of one project are stored at once and then proposed a few at a time, so that nobody waits
long for the store. An interrupted import is finished by the next one, or by maintenance. A dry run
does the whole work and rolls it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memctl import importers
from memctl.capture import known_memory_files, session, store_transcripts
from memctl.capture.memory_files import FileToImport, ImportOptions, has_project_root, list_files
from memctl.capture.memory_files import read_file as read_memory_file
from memctl.capture.request import CaptureRequest, OriginalFile
from memctl.core import clock
from memctl.core.errors import MemctlError, NotFound, RefusedByPolicy, StoreLocked, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Job, Source, Transcript
from memctl.curate.note_versions import find_new_notes
from memctl.curate.propose import ProposalCounts, propose_candidates
from memctl.curate.reconcile_notes import NoteCounts, reconcile_notes
from memctl.extract import extract, extract_version
from memctl.importers.base import ProjectMemories
from memctl.readers.base import Input
from memctl.records import ignore_rules
from memctl.redact import sanitize
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.backfill import MemoriesReport, MemoryFile
from memctl.results.captures import Captured
from memctl.settings.config import Config
from memctl.store import projects as known_projects
from memctl.store import queue, sources
from memctl.store.database import Database

TRIGGER = "import-memories"
# Candidates proposed in one transaction, which takes about a second.
_BATCH = 50


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
    known = known_memory_files.list_known_files(db)
    named, missing = _split_missing(wanted, known)
    items = [
        item
        for file in list_files(named, make_redactor(settings))
        for item in import_file(db, settings, actor, file, known=known, dry_run=dry_run)
    ]
    if wanted.found:
        missing += [
            path for path in known if known_memory_files.is_missing(path) and path not in missing
        ]
    items += [
        _report_missing(db, path, known[path], actor, dry_run=dry_run)
        for path in missing
        if wanted.kind in (None, known[path][0].agent)
    ]
    return MemoriesReport(tuple(items), dry_run)


def _split_missing(
    wanted: ImportOptions, known: Mapping[str, Sequence[Source]]
) -> tuple[ImportOptions, list[str]]:
    """Split off the named files that were imported before and are not there any more."""
    gone = [
        path
        for path in wanted.paths
        if str(path.absolute()) in known and known_memory_files.is_missing(str(path.absolute()))
    ]
    there = tuple(path for path in wanted.paths if path not in gone)
    return replace(wanted, paths=there), [str(path.absolute()) for path in gone]


def _report_missing(
    db: Database, path: str, versions: Sequence[Source], actor: str, *, dry_run: bool
) -> MemoryFile:
    """Say what still rests on a file that is not there any more.

    In a folder in which each memory is a file, taking the file away is how a memory is deleted:
    then the archive of its record is proposed. Elsewhere a file may be missing for any reason.
    """
    resting = known_memory_files.count_resting(db, versions)
    item = MemoryFile(
        path, versions[0].agent, outcome="missing", note=known_memory_files.describe(resting)
    )
    if not known_memory_files.is_deleted_memory(path, versions[0]):
        return item
    for version in versions:
        counts = _reconcile(db, version.agent, version.session_id, (), path, actor, dry_run)
        item = _add_changes(item, counts)
    return item


def _reconcile(
    db: Database,
    agent: str,
    session_id: str,
    turns: tuple[()],
    path: str | None,
    actor: str,
    dry_run: bool,
) -> NoteCounts:
    """Bring the records of a file that says nothing any more in line with that."""
    if not dry_run:
        return reconcile_notes(db, agent, session_id, turns, actor=Actor(actor), path=path)
    made: list[NoteCounts] = []
    try:
        with db.write():
            made.append(
                reconcile_notes(db, agent, session_id, turns, actor=Actor(actor), path=path)
            )
            raise _RollBack
    except _RollBack:
        return made[0]


def import_file(
    db: Database,
    settings: Config,
    actor: str,
    file: FileToImport,
    *,
    known: Mapping[str, Sequence[Source]],
    dry_run: bool,
) -> Iterator[MemoryFile]:
    """Import one file; whatever becomes of it, the next one follows.

    `known` are the newest versions of the files that were imported before, by path.
    """
    kind = file.importer.kind if file.importer else None
    if file.importer is None:
        yield MemoryFile(str(file.path), kind, outcome="refused", problem=file.problem)
        return
    try:
        told, original = read_memory_file(file.path, file.importer, make_redactor(settings))
    except (MemctlError, OSError) as error:
        yield MemoryFile(str(file.path), kind, outcome="failed", problem=str(error))
        return
    for each in told:
        yield _import_project_memories(db, settings, actor, file, each, original, dry_run=dry_run)
    here = {each.transcript.session_id for each in told if each.transcript.turns}
    for version in known.get(original.path or "", ()):
        if version.session_id not in here and version.agent == kind:
            counts = _reconcile(
                db, version.agent, version.session_id, (), original.path, actor, dry_run
            )
            if counts.gone:
                yield _add_changes(MemoryFile(str(file.path), kind, outcome="empty"), counts)
    if not told:
        yield MemoryFile(str(file.path), kind, outcome="empty")


def _import_project_memories(
    db: Database,
    settings: Config,
    actor: str,
    file: FileToImport,
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
        if cwd and each.only_rooted and not has_project_root(Path(cwd), redactor)
        else each.transcript
    )


def _find_ignore_reason(
    db: Database, settings: Config, file: FileToImport, each: ProjectMemories
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
    file: FileToImport,
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
    file: FileToImport,
    each: ProjectMemories,
    original: OriginalFile,
) -> MemoryFile:
    """Store the memories of one project, propose what is new among them, and what changed."""
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
    operation = job.id if job is not None else clock.new_id()
    tally = (
        ProposalCounts(duplicates=number)
        if job is None
        else _propose_stored(db, settings, stored.source_id, job)
    )
    counts = reconcile_notes(
        db,
        transcript.agent,
        transcript.session_id,
        transcript.turns,
        actor=Actor(actor),
        path=original.path,
        operation=operation,
    )
    if job is not None:
        _finish_job(db, job, tally)
    return _report_stored(file, transcript, stored, tally, counts)


def _report_stored(
    file: FileToImport,
    transcript: Transcript,
    stored: Captured,
    tally: ProposalCounts,
    counts: NoteCounts,
) -> MemoryFile:
    number = len(transcript.turns)
    known_lines = {
        "captured": 0,
        "grown": number - stored.new_turns,
        "rewritten": counts.unchanged,
        "unchanged": number,
    }
    item = MemoryFile(
        str(file.path),
        transcript.agent,
        stored.project,
        number,
        tally.proposed,
        tally.duplicates,
        tally.rejected_again,
        moved=counts.moved if stored.outcome == "rewritten" else 0,
        unchanged=known_lines.get(stored.outcome, 0),
        outcome=stored.outcome,
        redacted=stored.redacted,
    )
    return _add_changes(item, counts)


def _add_changes(item: MemoryFile, counts: NoteCounts) -> MemoryFile:
    """The account of a file with what became of the lines that it held before."""
    return replace(
        item,
        new=max(0, item.new - counts.changed),
        changed=item.changed + counts.changed,
        gone=item.gone + counts.gone,
        back=item.back + counts.back,
        changes=(*item.changes, *counts.changes),
    )


def _propose_stored(db: Database, settings: Config, source_id: str, job: Job) -> ProposalCounts:
    """Propose the candidates of a stored source, a few at a time."""
    source, total = sources.get_source(db, source_id), ProposalCounts()
    transcript = store_transcripts.read_stored(db, source)
    new = find_new_notes(db, source, transcript.turns, extract(transcript))
    total.duplicates += new.known
    for start in range(0, len(new.candidates), _BATCH):
        few = new.candidates[start : start + _BATCH]
        with db.write():
            tally = propose_candidates(
                db,
                settings,
                source,
                transcript.turns,
                few,
                cause=f"ingestion {job.id}",
                operation=job.id,
                apart=new.apart,
            )
        for name in ProposalCounts.__slots__:
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    return total


def _finish_job(db: Database, job: Job, tally: ProposalCounts) -> None:
    outcome = {**job.outcome, **{name: getattr(tally, name) for name in ProposalCounts.__slots__}}
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
