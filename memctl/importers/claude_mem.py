"""Import the database of claude-mem: observations, what summaries learned, and directives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.core.typing_lite import Any, ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
    NotesByProject,
    ProjectMemories,
    has_tables,
)
from memctl.importers.classify import classify_project_statement, find_reason
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.values import as_list, as_text, parse_time

# Type, kind and confidence of an observation by its type. What was only done says less than what
# was found out. Chosen by hand.
_CLASSES: Mapping[str, tuple[str, str, float]] = {
    "bugfix": ("task_hint", "fix", 0.5),
    "discovery": ("project", "fact", 0.5),
    "feature": ("project", "fact", 0.35),
    "refactor": ("project", "fact", 0.35),
    "change": ("project", "fact", 0.35),
}
# Characters of a memory, and words of a summary that says something. Chosen by hand.
_LONGEST_MEMORY = 2000
_FEWEST_WORDS = 3


class ClaudeMem:
    """Importer of the database."""

    kind: ClassVar[str] = "claude-mem"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = True

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it has the tables."""
        return has_tables(source.tables, observations="project type title created_at_epoch")

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield the memories of each project, oldest first."""
        shelf, tables = NotesByProject(self.kind, place.path), source.tables
        if tables is not None:
            named_notes = [
                *_read_observations(tables),
                *_read_summaries(tables),
                *_read_directives(tables),
            ]
            # Later notes come last, whichever table they are in: a store that grew begins the same.
            for project, note in sorted(named_notes, key=lambda each: each[1].ts or ""):
                shelf.add(project, note)
        yield from shelf.build_transcripts()


def _read_observations(tables: Tables) -> Iterator[tuple[str | None, ImportedNote]]:
    for row in tables.rows("observations", order_by="created_at_epoch, rowid"):
        title, body = as_text(row.get("title")).strip(), _choose_body(row)
        text = "\n".join(part for part in (title, body) if part)
        content = ": ".join(part for part in (title.rstrip(".:"), body) if part)
        type_, kind, confidence = _classify_observation(as_text(row.get("type")), text)
        note = ImportedNote(
            text[:_LONGEST_MEMORY],
            type_,
            kind,
            "project",
            confidence,
            content=content[:_LONGEST_MEMORY],
            title=title or None,
            rationale=find_reason(text) if type_ == "decision" else None,
            ts=parse_time(row.get("created_at_epoch")),
        )
        yield _find_project(row), note


def _choose_body(row: Mapping[str, Any]) -> str:
    """Return an observation's narrative, else its facts, else its text or subtitle."""
    facts = as_list(parse_json(as_text(row.get("facts")) or "[]"))
    fact_texts = [as_text(fact).strip() for fact in facts]
    bodies = (
        as_text(row.get("narrative")).strip(),
        " ".join(filter(None, fact_texts)),
        as_text(row.get("text")).strip(),
        as_text(row.get("subtitle")).strip(),
    )
    return next(filter(None, bodies), "")


def _classify_observation(type_: str, text: str) -> tuple[str, str, float]:
    if type_ == "decision" and find_reason(text):
        return "decision", "decision", 0.5
    if type_ == "decision":
        return "project", "fact", 0.5
    return _CLASSES.get(type_, ("project", "fact", 0.4))


def _read_summaries(tables: Tables) -> Iterator[tuple[str | None, ImportedNote]]:
    for row in tables.rows("session_summaries", order_by="created_at_epoch, rowid"):
        text = as_text(row.get("learned")).strip()
        ts = parse_time(row.get("created_at_epoch"))
        if len(text.split()) >= _FEWEST_WORDS:
            note = ImportedNote(text[:_LONGEST_MEMORY], "project", "fact", "project", 0.4, ts=ts)
            yield _find_project(row), note


def _read_directives(tables: Tables) -> Iterator[tuple[str | None, ImportedNote]]:
    for row in tables.rows("directives", order_by="rowid"):
        text = as_text(row.get("content")).strip()
        if not text or as_text(row.get("status")).lower() not in ("", "active", "enabled"):
            continue
        ts = parse_time(row.get("created_at_epoch"))
        is_constraint = classify_project_statement(text)[1] == "constraint"
        if as_text(row.get("scope")).lower() == "global":
            kind = "constraint" if is_constraint else "preference"
            yield "", ImportedNote(text, "profile", kind, "global", 0.6, ts=ts)
        else:
            kind = "constraint" if is_constraint else "convention"
            yield _find_project(row), ImportedNote(text, "project", kind, "project", 0.6, ts=ts)


def _find_project(row: Mapping[str, Any]) -> str | None:
    """Return the project that a row belongs to now; None if it names none."""
    return (
        as_text(row.get("merged_into_project")).strip()
        or as_text(row.get("project")).strip()
        or None
    )
