"""MEMORY.md and its versions: proposed, staged, approved, rejected, restored.

A version is staged until the operator approves it; only then it stands in the file. Old ones are
kept. What no longer holds when a version is approved or restored is left out of it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor
from memctl.journal import diary as diaries
from memctl.journal import hand_edits, journal_files, memory_lines, proposal
from memctl.journal.journal_files import ChangedMeanwhile
from memctl.journal.local_days import Calendar
from memctl.journal.memory_lines import DocumentLine
from memctl.journal.memory_material import EVERYWHERE, list_places, may_stand
from memctl.journal.proposal import DocumentDraft, DreamOptions
from memctl.results.journal import DiaryEntry, DreamReport, MemoryDocument, MemoryLine
from memctl.retrieve.bundle import count_tokens
from memctl.settings.config import Config
from memctl.settings.policy import AT_A_TERMINAL
from memctl.store import context_records, memory_documents, projects, records
from memctl.store.database import Database
from memctl.store.memory_documents import StoredDocument

# Versions kept of a place, besides the staged and the present one. Chosen by hand.
_KEPT = 40
# How often a file is read again because somebody saved it meanwhile. Chosen by hand.
_ATTEMPTS = 5
_REJECTED = "you rejected just that"


def find_places(db: Database, project: str | None) -> list[str]:
    """The place of a project, else all places of which anything is in force. Raises NotFound."""
    if project is not None:
        return [projects.named(db, project).id]
    with db.snapshot():
        return list_places(db)


def propose_documents(
    db: Database, config: Config, places: Iterable[str], options: DreamOptions
) -> DreamReport:
    """Make the document of each place without storing anything."""
    items = []
    for place in places:
        made = proposal.make_proposal(db, config, place, options)
        lines = proposal.compose(db, made, proposal.UNSTORED)
        is_new = not proposal.says_the_same(made, made.present.lines)
        items.append(_describe_proposal(made, lines, "proposed" if is_new else "unchanged"))
    return DreamReport("propose", tuple(items))


def stage_documents(
    db: Database, config: Config, actor: Actor, places: Iterable[str], options: DreamOptions
) -> DreamReport:
    """Make the document of each place, and stage it if it says anything new."""
    items, notes = [], []
    for place in places:
        item, note = _stage(db, config, actor, place, options)
        items.append(item)
        notes += [note] if note else []
    return DreamReport("stage", tuple(items), tuple(notes))


def _stage(
    db: Database, config: Config, actor: Actor, place: str, options: DreamOptions
) -> tuple[MemoryDocument, str | None]:
    made = proposal.make_proposal(db, config, place, options)
    staged = memory_documents.find_document(db, place, "staged")
    if staged and proposal.says_the_same(made, memory_lines.from_objects(staged.lines)):
        return describe_version(db, staged, path=_name_path(made)), None
    if proposal.says_the_same(made, made.present.lines):
        if staged is not None:
            with db.write():
                memory_documents.set_state(db, staged.id, "withdrawn")
        lines = proposal.compose(db, made, proposal.UNSTORED)
        return _describe_proposal(made, lines, "unchanged"), None
    if _was_rejected(db, made):
        lines = proposal.compose(db, made, proposal.UNSTORED)
        return _describe_proposal(made, lines, "unchanged"), _say_of(made, _REJECTED)
    version = clock.new_id()
    lines = proposal.compose(db, made, version)
    document = StoredDocument(
        version,
        place,
        "staged",
        tuple(memory_lines.to_objects(lines)),
        tuple(diaries.to_objects(made.entries)),
        actor.name,
        clock.now(),
    )
    with db.write():
        for older in memory_documents.list_documents(db, place):
            if older.state == "staged":
                memory_documents.set_state(db, older.id, "withdrawn")
        memory_documents.insert_document(db, document)
        memory_documents.drop_oldest(db, place, _KEPT)
    return _describe_proposal(made, lines, "staged", document), None


def _was_rejected(db: Database, made: DocumentDraft) -> bool:
    """Whether the operator rejected the same since the present version was approved."""
    rejected = memory_documents.find_document(db, made.present.place, "rejected")
    current = made.present.current
    if rejected is None or (current and (rejected.decided_at or "") < (current.decided_at or "")):
        return False
    return proposal.says_the_same(made, memory_lines.from_objects(rejected.lines))


def approve_document(
    db: Database, config: Config, actor: Actor, text: str, folder: Path | None
) -> DreamReport:
    """Let a staged version be the present one, and write its file.

    Raises RefusedByPolicy unless the operator, NotFound, UsageError.
    """
    _require_operator(actor, "approving a version of MEMORY.md")
    document = memory_documents.resolve_document(db, text)
    if document.state != "staged":
        raise UsageError(
            f"{document.id} is {document.state}, not staged",
            hint="`memctl dream --history` shows the versions; --restore takes an old one",
        )
    return _put_in_force(db, config, document, "approve", folder, document.diary)


def reject_document(db: Database, actor: Actor, text: str) -> DreamReport:
    """Turn a staged version down: the same is not staged again. Raises like `approve_document`."""
    _require_operator(actor, "rejecting a version of MEMORY.md")
    document = memory_documents.resolve_document(db, text)
    if document.state != "staged":
        raise UsageError(f"{document.id} is {document.state}, not staged")
    with db.write():
        memory_documents.set_state(db, document.id, "rejected")
    return DreamReport("reject", (describe_version(db, replace(document, state="rejected")),))


def restore_document(
    db: Database, config: Config, actor: Actor, text: str, folder: Path | None
) -> DreamReport:
    """Let an old version be the present one again, but for what no longer holds.

    Raises like `approve_document`.
    """
    _require_operator(actor, "restoring a version of MEMORY.md")
    document = memory_documents.resolve_document(db, text)
    if document.state not in ("past", "rejected", "withdrawn"):
        raise UsageError(f"{document.id} is {document.state}: there is nothing to restore")
    calendar = Calendar(config)
    day = calendar.format_day(clock.now())
    why = f"the version of {calendar.format_day(document.created_at)}"
    copied = replace(
        document, id=clock.new_id(), state="staged", actor=actor.name, created_at=clock.now()
    )
    with db.write():
        memory_documents.insert_document(db, copied)
    entries = diaries.to_objects([DiaryEntry(day, "restored", "", why)])
    return _put_in_force(db, config, copied, "restore", folder, entries)


def _require_operator(actor: Actor, what: str) -> None:
    if not actor.is_operator:
        raise RefusedByPolicy(f"{what} {AT_A_TERMINAL}")


def _put_in_force(
    db: Database,
    config: Config,
    document: StoredDocument,
    asked: str,
    folder: Path | None,
    entries: Sequence[object],
) -> DreamReport:
    """Write a version into its file, then note that it is the present one.

    A kill in between leaves a file whose seal names a version that is staged yet: approving it
    again finds the file as it should be.
    """
    goal = journal_files.find_folder(config, folder)
    diary = diaries.from_objects(entries)  # type: ignore[arg-type]
    for _ in range(_ATTEMPTS):
        made, outdated = _renew(db, config, document, goal, diary)
        lines = proposal.compose(db, made, document.id)
        try:
            if goal is not None and made.present.file is not None:
                journal_files.replace_note(
                    config, goal, made.present.file, memory_lines.render(lines)
                )
        except ChangedMeanwhile:
            continue
        _note_present(db, document, lines, diary)
        found = memory_documents.get_document(db, document.id)
        item = describe_version(db, found, path=_name_path(made), outdated=outdated)
        notes = [_NO_FILE] if goal is None else []
        return DreamReport(asked, (item,), tuple(notes))
    raise journal_files.refuse_changing(proposal.locate_file(db, goal, document.place))  # type: ignore[arg-type]


_NO_FILE = "no folder is set, so it stands in the store alone (journal.dir, or --dir FOLDER)"


def _renew(
    db: Database,
    config: Config,
    document: StoredDocument,
    folder: Path | None,
    diary: tuple[DiaryEntry, ...],
) -> tuple[DocumentDraft, tuple[str, ...]]:
    """A stored version with the person's lines as they are now, without what no longer holds."""
    now = clock.now()
    with db.snapshot():
        present = proposal.read_present(db, config, document.place, folder)
        stored = memory_lines.from_objects(document.lines)
        mine = memory_lines.pick(stored, memory_lines.RECORD)
        known = records.list_by_ids(db, {each for line in mine for each in line.ids})
        removed = {line.ids for line in present.edits.removed}
        outdated = tuple(
            line.ids[0]
            for line in mine
            if not all(
                each in known and may_stand(known[each], document.place, now) for each in line.ids
            )
        )
        shorts = context_records.shorten_ids(db, known)
    kept = [line for line in mine if line.ids[0] not in outdated and line.ids not in removed]
    dropped = proposal.list_dropped(present)
    made = DocumentDraft(
        present,
        hand_edits.merge_lines(kept, present.edits, memory_lines.pick(stored, memory_lines.PERSON)),
        dropped,
        diary,
        (),
        int(config["journal.memory_budget"]),
        Calendar(config).format_day(now),
        shorts,
    )
    return made, outdated


def _note_present(
    db: Database,
    document: StoredDocument,
    lines: Sequence[DocumentLine],
    diary: Sequence[DiaryEntry],
) -> None:
    with db.write():
        for older in memory_documents.list_documents(db, document.place):
            if older.state == "current" and older.id != document.id:
                memory_documents.set_state(db, older.id, "past")
        memory_documents.set_content(
            db, document.id, memory_lines.to_objects(lines), diaries.to_objects(diary)
        )
        memory_documents.set_state(db, document.id, "current")


def list_versions(db: Database, project: str | None, limit: int) -> DreamReport:
    """List the versions of a project or of all places, newest first, each with its diary."""
    place = projects.named(db, project).id if project else None
    with db.snapshot():
        found = memory_documents.list_documents(db, place, limit=limit)
        return DreamReport("history", tuple(describe_version(db, each) for each in found))


def compare_staged(db: Database, project: str | None) -> DreamReport:
    """Show what each staged version changes in the lines of the present one."""
    place = projects.named(db, project).id if project else None
    items = []
    with db.snapshot():
        for staged in memory_documents.list_documents(db, place):
            if staged.state == "staged":
                current = memory_documents.find_document(db, staged.place, "current")
                before = memory_lines.from_objects(current.lines) if current else ()
                after = memory_lines.from_objects(staged.lines)
                text = "\n".join(_compare(before, after))
                items.append(replace(describe_version(db, staged), text=text))
    return DreamReport("diff", tuple(items))


def _compare(before: Sequence[DocumentLine], after: Sequence[DocumentLine]) -> list[str]:
    old, new = (memory_lines.render(each).split("\n") for each in (before, after))
    return [
        *difflib.unified_diff(old if before else [], new, "present", "staged", lineterm="", n=1)
    ]


def describe_version(
    db: Database,
    document: StoredDocument,
    *,
    path: str | None = None,
    outdated: tuple[str, ...] = (),
) -> MemoryDocument:
    """A stored version as it is told."""
    lines = memory_lines.from_objects(document.lines)
    text = memory_lines.render(lines)
    name = projects.names(db).get(document.place) if document.place != EVERYWHERE else None
    return MemoryDocument(
        document.id,
        name,
        document.state,
        text,
        _tell_lines(lines),
        diaries.from_objects(document.diary),
        count_tokens(text),
        path=path,
        created_at=document.created_at,
        decided_at=document.decided_at,
        actor=document.actor,
        worded_by=_find_model(lines),
        outdated=outdated,
    )


def _describe_proposal(
    made: DocumentDraft,
    lines: Sequence[DocumentLine],
    state: str,
    document: StoredDocument | None = None,
) -> MemoryDocument:
    text = memory_lines.render(replace(line, raw="") for line in lines)
    return MemoryDocument(
        document.id if document else None,
        made.present.name,
        state,
        text,
        _tell_lines(lines),
        made.entries,
        count_tokens(text),
        made.budget,
        len(made.left_out),
        _name_path(made),
        document.created_at if document else None,
        actor=document.actor if document else None,
        worded_by=_find_model(lines),
    )


def _tell_lines(lines: Iterable[DocumentLine]) -> tuple[MemoryLine, ...]:
    return tuple(
        MemoryLine(line.kind, line.section, line.text, line.ids)
        for line in lines
        if line.kind != memory_lines.DROPPED and line.text
    )


def _find_model(lines: Iterable[DocumentLine]) -> str | None:
    return next((line.model for line in lines if line.model), None)


def _name_path(made: DocumentDraft) -> str | None:
    return str(made.present.file.path) if made.present.file else None


def _say_of(made: DocumentDraft, what: str) -> str:
    return f"{made.present.name or 'everywhere'}: {what}"


def require_known(report: DreamReport, project: str | None) -> DreamReport:
    """The report, if it is about anything. Raises NotFound."""
    if project is not None and not report.items:
        raise NotFound(f"there is no version of MEMORY.md of {project!r}")
    return report
