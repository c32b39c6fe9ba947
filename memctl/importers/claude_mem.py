"""The database of claude-mem: observations of sessions, what their summaries learned, and directives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from memctl.importers.base import (
    ImportedNote,
    MemoryFile,
    NotesByProject,
    ProjectMemories,
    has_tables,
)
from memctl.importers.classify import classify_project_statement, find_reason
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.values import as_list, as_text, parse_time

# What an observation of each type becomes, and how sure that is: what was only done says less than what was found out.
_CLASSES: Mapping[str, tuple[str, str, float]] = {
    "bugfix": ("task_hint", "fix", 0.5),
    "discovery": ("project", "fact", 0.5),
    "feature": ("project", "fact", 0.35),
    "refactor": ("project", "fact", 0.35),
    "change": ("project", "fact", 0.35),
}
_LONGEST_MEMORY = 2000


class ClaudeMem:
    """Reads the database."""

    kind: ClassVar[str] = "claude-mem"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = True

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it has the tables."""
        return has_tables(source.tables, observations="project type title created_at_epoch")

    def read(self, source: Input, place: MemoryFile) -> Iterator[ProjectMemories]:
        """The memories of each project, oldest first."""
        shelf, tables = NotesByProject(self.kind, place.path), source.tables
        if tables is not None:
            kept = [
                each
                for read in (_read_observations, _read_summaries, _read_directives)
                for each in read(tables)
            ]
            # What is added later comes last, whichever table it is in: a store that grew is no other store.
            for project, note in sorted(kept, key=lambda each: each[1].ts or ""):
                shelf.add(project, note)
        yield from shelf.build_transcripts()


def _read_observations(tables: Tables) -> Iterator[tuple[str | None, ImportedNote]]:
    for row in tables.rows("observations", order_by="created_at_epoch, rowid"):
        title, body = as_text(row.get("title")).strip(), _choose_body(row)
        text = "\n".join(part for part in (title, body) if part)
        form, kind, sure = _classify_observation(as_text(row.get("type")), text)
        content = ": ".join(part for part in (title.rstrip(".:"), body) if part)
        yield (
            _find_project(row),
            ImportedNote(
                text[:_LONGEST_MEMORY],
                form,
                kind,
                "project",
                sure,
                content=content[:_LONGEST_MEMORY],
                title=title or None,
                rationale=find_reason(text) if form == "decision" else None,
                ts=parse_time(row.get("created_at_epoch")),
            ),
        )


def _choose_body(row: Mapping[str, Any]) -> str:
    """What an observation says: its narrative, else its facts, else its text or subtitle."""
    facts = [
        as_text(fact).strip() for fact in as_list(parse_json(as_text(row.get("facts")) or "[]"))
    ]
    told = (
        as_text(row.get("narrative")).strip(),
        " ".join(filter(None, facts)),
        as_text(row.get("text")).strip(),
        as_text(row.get("subtitle")).strip(),
    )
    return next(filter(None, told), "")


def _classify_observation(type_: str, text: str) -> tuple[str, str, float]:
    if type_ == "decision":
        return ("decision", "decision", 0.5) if find_reason(text) else ("project", "fact", 0.5)
    return _CLASSES.get(type_, ("project", "fact", 0.4))


def _read_summaries(tables: Tables) -> Iterator[tuple[str | None, ImportedNote]]:
    for row in tables.rows("session_summaries", order_by="created_at_epoch, rowid"):
        text = as_text(row.get("learned")).strip()
        if len(text.split()) > 2:
            yield (
                _find_project(row),
                ImportedNote(
                    text[:_LONGEST_MEMORY],
                    "project",
                    "fact",
                    "project",
                    0.4,
                    ts=parse_time(row.get("created_at_epoch")),
                ),
            )


def _read_directives(tables: Tables) -> Iterator[tuple[str | None, ImportedNote]]:
    for row in tables.rows("directives", order_by="rowid"):
        text = as_text(row.get("content")).strip()
        if not text or as_text(row.get("status")).lower() not in ("", "active", "enabled"):
            continue
        constraint = classify_project_statement(text)[1] == "constraint"
        if as_text(row.get("scope")).lower() == "global":
            yield (
                "",
                ImportedNote(
                    text,
                    "profile",
                    "constraint" if constraint else "preference",
                    "global",
                    0.6,
                    ts=parse_time(row.get("created_at_epoch")),
                ),
            )
        else:
            yield (
                _find_project(row),
                ImportedNote(
                    text,
                    "project",
                    "constraint" if constraint else "convention",
                    "project",
                    0.6,
                    ts=parse_time(row.get("created_at_epoch")),
                ),
            )


def _find_project(row: Mapping[str, Any]) -> str | None:
    """The project that a row belongs to now; None where it names none."""
    return (
        as_text(row.get("merged_into_project")).strip()
        or as_text(row.get("project")).strip()
        or None
    )
