"""A new MEMORY.md of one place, made from what is in force, the present version and the file.

Nothing is written here. The same store and file give the same document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memctl.core.frozen import dataclass, field, replace
from memctl.journal import diary as diaries
from memctl.journal import hand_edits, journal_files, memory_lines, memory_text
from memctl.journal.change_reasons import ReasonFinder
from memctl.journal.hand_edits import HandEdits, MergedLines
from memctl.journal.journal_files import NoteFile
from memctl.journal.local_days import Calendar
from memctl.journal.memory_choice import MemoryChoice, MemoryMaterial, choose_lines
from memctl.journal.memory_lines import DocumentLine
from memctl.journal.memory_material import EVERYWHERE, read_material
from memctl.journal.memory_text import DocumentParts
from memctl.redact.redactor import make_redactor
from memctl.results.journal import DiaryEntry
from memctl.retrieve.bundle import count_tokens
from memctl.settings.config import Config
from memctl.store import context_records, memory_documents, projects
from memctl.store.database import Database
from memctl.store.memory_documents import StoredDocument
from memctl.text import sealed_notes

# What stands in the seal of a document that is not stored.
UNSTORED = "proposal"
# Tokens. Title, headings and a line or two need so many; `journal.memory_budget` takes no fewer.
LEAST_BUDGET = 200
# How often lines are chosen again because headings took more than was reckoned. By hand.
_ATTEMPTS = 6

# Words lines otherwise, if a model is there to: gets and returns the lines of records.
Wording = Callable[[Sequence[DocumentLine]], Sequence[DocumentLine]]


@dataclass(frozen=True, slots=True)
class DreamOptions:
    """How a document is made: days of sessions told, tokens, the folder of the files, and who
    words lines otherwise.
    """

    days: int
    budget: int
    folder: Path | None = None
    wording: Wording | None = None


@dataclass(frozen=True, slots=True)
class PresentMemory:
    """What is there of a place: its name (None: everywhere), the version in force with its lines,
    the file, and what a person did to it.
    """

    place: str
    name: str | None
    current: StoredDocument | None
    lines: tuple[DocumentLine, ...]
    file: NoteFile | None
    edits: HandEdits


@dataclass(frozen=True, slots=True)
class DocumentDraft:
    """A document that could stand in the place of the present one. `dropped` are the lines that the
    person took out; `entries` the changes, `left_out` the records without room.
    """

    present: PresentMemory
    merged: MergedLines
    dropped: tuple[DocumentLine, ...]
    entries: tuple[DiaryEntry, ...]
    left_out: tuple[str, ...]
    budget: int
    day: str
    shorts: dict[str, str] = field(default_factory=dict)


def read_present(db: Database, config: Config, place: str, folder: Path | None) -> PresentMemory:
    """Read what is there of a place. Raises UsageError for a file that cannot be read."""
    name = None if place == EVERYWHERE else projects.get(db, place).name
    current = memory_documents.find_document(db, place, "current")
    lines = memory_lines.from_objects(current.lines) if current else ()
    if folder is None:
        return PresentMemory(place, name, current, lines, None, hand_edits.keep_edits(lines))
    file = journal_files.read_note(locate_file(db, folder, place))
    if file.text is None:
        return PresentMemory(place, name, current, lines, file, hand_edits.keep_edits(lines))
    base = _find_base(db, place, file.text, lines)
    clean = make_redactor(config).make_replacer().redact
    return PresentMemory(
        place, name, current, lines, file, hand_edits.read_edits(base, file.text, clean)
    )


def locate_file(db: Database, folder: Path, place: str) -> Path:
    """Where MEMORY.md of a place stands."""
    if place == EVERYWHERE:
        return journal_files.locate_memory(folder, None)
    return journal_files.locate_memory(
        folder, journal_files.name_project_folders(projects.names(db))[place]
    )


def _find_base(
    db: Database, place: str, text: str, lines: tuple[DocumentLine, ...]
) -> tuple[DocumentLine, ...]:
    """The lines that were written into a file: those of the version in its seal, if it is known."""
    seal = sealed_notes.find_seal(text, sealed_notes.MEMORY)
    if seal is None:
        return lines
    for document in memory_documents.list_documents(db, place):
        if document.id == seal[2]:
            return memory_lines.from_objects(document.lines)
    return lines


def make_proposal(db: Database, config: Config, place: str, options: DreamOptions) -> DocumentDraft:
    """Make the document of a place. Raises UsageError for a file that cannot be read."""
    calendar = Calendar(config)
    with db.snapshot():
        present = read_present(db, config, place, options.folder)
        dropped = list_dropped(present)
        gone = {each: line.plain for line in dropped for each in line.ids}
        material = read_material(db, config, place, calendar, options.days, gone)
    room = options.budget - memory_text.count_diary_tokens(options.budget)
    room -= memory_text.estimate_frame(present.name, present.edits.blocks)
    day = calendar.format_day(material.now)
    for _ in range(_ATTEMPTS):
        choice = choose_lines(material, present.lines, room)
        lines = _keep_wordings(choice.lines, present.lines)
        if options.wording is not None:
            lines = tuple(options.wording(lines))
        made = _finish(db, calendar, present, choice, lines, material, options.budget, day, dropped)
        excess = count_tokens(memory_lines.render(compose(db, made, UNSTORED))) - options.budget
        if excess <= 0 or not choice.lines:
            return made
        room -= excess
    return made


def list_dropped(present: PresentMemory) -> tuple[DocumentLine, ...]:
    """What the person took out, now or before, as lines that are not shown."""
    now = (replace(line, kind=memory_lines.DROPPED, text="") for line in present.edits.removed)
    before = memory_lines.pick(present.lines, memory_lines.DROPPED)
    return tuple({line.ids: line for line in (*before, *now)}.values())


def _keep_wordings(
    lines: Sequence[DocumentLine], standing: Sequence[DocumentLine]
) -> tuple[DocumentLine, ...]:
    """The lines as a model worded them before, as long as their records say the same."""
    worded = {(line.ids, line.plain): line for line in standing if line.model}
    found = ((line, worded.get((line.ids, line.plain))) for line in lines)
    return tuple(
        replace(line, text=old.text, model=old.model) if old is not None else line
        for line, old in found
    )


def _finish(
    db: Database,
    calendar: Calendar,
    present: PresentMemory,
    choice: MemoryChoice,
    lines: Sequence[DocumentLine],
    material: MemoryMaterial,
    budget: int,
    day: str,
    dropped: tuple[DocumentLine, ...],
) -> DocumentDraft:
    merged = hand_edits.merge_lines(lines, present.edits)
    since = present.current.created_at if present.current else ""
    reasons = ReasonFinder(db, calendar, present.place, since=since, now=material.now)
    with db.snapshot():
        entries = diaries.write_diary(
            day, present.lines, merged, present.edits.removed, choice.folded, reasons
        )
    return DocumentDraft(
        present,
        merged,
        dropped,
        tuple(entries),
        choice.left_out,
        budget,
        day,
        dict(material.shorts),
    )


def compose(db: Database, made: DocumentDraft, version: str) -> list[DocumentLine]:
    """All lines of the document in their order, those that are not shown at the end."""
    diary = [*made.entries, *list_past_entries(db, made.present.place)]
    ids = {each for entry in diary for each in entry.ids} - made.shorts.keys()
    shorts = made.shorts | context_records.shorten_ids(db, ids)
    parts = DocumentParts(
        made.present.name,
        made.day,
        version,
        made.merged.lines,
        made.merged.blocks,
        diary,
        made.present.edits.removed_frames,
    )
    tokens = memory_text.count_diary_tokens(made.budget)
    return [*memory_text.compose_document(parts, shorts, tokens), *made.dropped]


def list_past_entries(db: Database, place: str) -> list[DiaryEntry]:
    """The entries of the versions that were once in force, the newest first."""
    return [
        entry
        for document in memory_documents.list_documents(db, place)
        if document.state in ("current", "past")
        for entry in diaries.from_objects(document.diary)
    ]


def says_the_same(made: DocumentDraft, lines: Sequence[DocumentLine]) -> bool:
    """Whether a version tells the same records in the same words; what a person did to the file
    makes no difference.
    """
    removed = {line.ids for line in made.present.edits.removed}
    ours = {_identify(line) for line in made.merged.lines}
    theirs = {
        _identify(line)
        for line in memory_lines.pick(lines, memory_lines.RECORD)
        if line.ids not in removed
    }
    told_by_hand = {each for block in made.merged.blocks for each in block.ids if block.plain}
    theirs = {each for each in theirs if not told_by_hand & {*each[1]}}
    return ours == theirs and not made.merged.clashes


def _identify(line: DocumentLine) -> tuple[str, tuple[str, ...], str, str]:
    return line.section, line.ids, line.plain, line.text if line.model else ""
