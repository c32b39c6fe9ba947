"""Define what every importer shares: the contract, one memory, and how memories become turns.

An importer turns the memories that another tool keeps into turns, one for each memory, in that
tool's exact words. It never raises on odd content; what it leaves out it counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from memctl.core.frozen import dataclass, field
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar, Protocol
from memctl.readers.base import Input, Tables
from memctl.readers.text_document import TextDocument, parse_document
from memctl.readers.turns import Turns
from memctl.text.private_blocks import remove_private

FORMAT_PREFIX = "memory:"


@dataclass(frozen=True, slots=True)
class ImportedNote:
    """One memory of another tool; `text` is its exact words.

    `content` says the same where the words need their context. `entity` is kind and name of what it
    is about. `heading` is the nearest one above. `confidence` goes from 0 to 1.
    """

    text: str
    type: str
    kind: str
    scope: str
    confidence: float = 0.5
    content: str | None = None
    title: str | None = None
    rationale: str | None = None
    entity: tuple[str, str] | None = None
    line: int = 0
    ts: str | None = None
    heading: str | None = None
    tags: tuple[str, ...] = ()

    def to_turn_data(self) -> dict[str, Any]:
        """Return what is kept beside the words in the turn."""
        names = ("type", "kind", "scope", "confidence", "content", "title", "rationale", "heading")
        given = {name: getattr(self, name) for name in names}
        about = {"entity": {"kind": self.entity[0], "name": self.entity[1]}} if self.entity else {}
        filed = {"tags": [*self.tags]} if self.tags else {}
        return {name: value for name, value in given.items() if value is not None} | about | filed


@dataclass(frozen=True, slots=True)
class ProjectMemories:
    """The memories of one project.

    They belong to the folder of the transcript, else to the `project` of that name, else to all
    projects. `reason_unplaced` says why nobody can tell. With `only_rooted` the folder counts only
    if it has a repository or a project marker.
    """

    transcript: Transcript
    project: str | None = None
    reason_unplaced: str | None = None
    only_rooted: bool = False


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What is known of a file before it is read: its project's folder, or that it is for all."""

    path: Path
    folder: Path
    is_global: bool = False


class Importer(Protocol):
    """The importer of one kind of memories.

    `is_export` tells a copy made of another tool's store from a file that the tool itself uses.
    """

    kind: ClassVar[str]
    is_export: ClassVar[bool]
    is_database: ClassVar[bool]

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether a file is of this kind, by its name or its beginning; a database by its
        tables.
        """
        ...

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield what is remembered, project by project. Never raises on odd content."""
        ...


def build_transcript(
    kind: str,
    session: str,
    noted: Iterable[ImportedNote],
    *,
    cwd: Path | str | None = None,
    title: str | None = None,
    unknown: Mapping[str, int] | None = None,
) -> Transcript:
    """Build a transcript of memories, in which nobody speaks."""
    turns = Turns()
    for note in noted:
        turns.add("system", "note", note.text, ts=note.ts, line=note.line, data=note.to_turn_data())
    return Transcript(
        FORMAT_PREFIX + kind,
        kind,
        session,
        turns.collect(),
        cwd=str(cwd) if cwd is not None else None,
        title=title,
        started_at=turns.started_at,
        ended_at=turns.ended_at,
        unknown=dict(unknown or {}),
    )


def read_page(source: Input) -> TextDocument:
    """Read a page without its private blocks, which may hold several statements."""
    return parse_document(remove_private(source.read_text()))


def make_session_id(path: Path, part: str | None = None) -> str:
    """Return the id of a file, or of the part of it that belongs to one project."""
    return f"path:{path.absolute()}" + (f"#{part}" if part else "")


@dataclass(frozen=True, slots=True)
class NotesByProject:
    """Memories sorted by the project that they name.

    An empty name stands for all projects, None for memories that name no project.
    """

    kind: str
    path: Path
    notes: dict[str | None, list[ImportedNote]] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)

    def add(self, project: str | None, note: ImportedNote | None) -> None:
        """Add one memory; None and blank ones are ignored."""
        if note is not None and note.text.strip():
            self.notes.setdefault(project, []).append(note)

    def build_transcripts(self) -> Iterator[ProjectMemories]:
        """Yield one transcript for each project."""
        for project, noted in self.notes.items():
            session = make_session_id(self.path, "?" if project is None else project)
            lost = f"{len(noted)} of its memories name no project" if project is None else None
            yield ProjectMemories(
                build_transcript(self.kind, session, noted, unknown=self.unknown),
                project=project or None,
                reason_unplaced=lost,
            )


def has_tables(tables: Tables | None, **columns: str) -> bool:
    """Whether a database has these tables with these columns, named in one string each."""
    return tables is not None and all(
        tables.columns(table) >= set(names.split()) for table, names in columns.items()
    )
