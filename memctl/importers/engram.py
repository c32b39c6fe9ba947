"""The database of engram: observations of a project or about the person, with the folders that its sessions ran in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from memctl.core import clock
from memctl.importers.base import (
    ImportedNote,
    MemoryFile,
    NotesByProject,
    ProjectMemories,
    has_tables,
)
from memctl.importers.classify import (
    classify_operator_statement,
    classify_project_statement,
    find_reason,
)
from memctl.readers.base import Input
from memctl.readers.values import as_text, parse_time

_CLASSES: Mapping[str, tuple[str, str, float]] = {
    "bugfix": ("task_hint", "fix", 0.55),
    "pattern": ("project", "convention", 0.55),
    "architecture": ("project", "fact", 0.55),
    "config": ("project", "fact", 0.55),
    "discovery": ("project", "fact", 0.55),
    "learning": ("project", "fact", 0.55),
    "preference": ("project", "convention", 0.55),
}
# Types that tell what happened, not what is so.
_EVENT_TYPES = frozenset(
    {
        "session_summary",
        "tool_use",
        "file_change",
        "file_read",
        "command",
        "search",
        "prompt",
        "passive",
    }
)
_WHY = re.compile(r"\*\*(?:Why|Rationale)\*?\*?:?\*{0,2}:?\s{0,4}(.{4,600})", re.IGNORECASE)
_LONGEST_MEMORY = 4000


class Engram:
    """Reads the database."""

    kind: ClassVar[str] = "engram"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = True

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it has the tables."""
        return has_tables(source.tables, observations="id session_id type title content project")

    def read(self, source: Input, place: MemoryFile) -> Iterator[ProjectMemories]:
        """What was neither deleted nor has run out, project by project, oldest first."""
        shelf, now = NotesByProject(self.kind, place.path), clock.now()
        projects = (
            {row.get("id"): as_text(row.get("project")) for row in source.tables.rows("sessions")}
            if source.tables
            else {}
        )
        for row in (
            source.tables.rows("observations", order_by="created_at, rowid")
            if source.tables
            else ()
        ):
            ended = parse_time(row.get("expires_at"))
            if (
                row.get("deleted_at")
                or (ended and ended <= now)
                or as_text(row.get("type")) in _EVENT_TYPES
            ):
                shelf.unknown["deleted, ended or only told"] += 1
                continue
            project = (
                as_text(row.get("project")) or projects.get(row.get("session_id"), "")
            ).strip()
            is_personal = as_text(row.get("scope")) in ("personal", "global")
            shelf.add(
                "" if is_personal else project or None, _build_note(row, is_personal=is_personal)
            )
        yield from shelf.build_transcripts()


def _build_note(row: Mapping[str, Any], *, is_personal: bool) -> ImportedNote | None:
    title, body = (
        as_text(row.get("title")).strip(),
        as_text(row.get("content")).strip()[:_LONGEST_MEMORY],
    )
    text, ts = body or title, parse_time(row.get("created_at"))
    if is_personal:
        about = classify_operator_statement(text)
        kind = "preference" if about is None or row.get("type") == "preference" else about.kind
        return ImportedNote(text, "profile", kind, "global", 0.6, title=title or None, ts=ts)
    form, kind, sure, reason = _classify_observation(as_text(row.get("type")), text)
    return ImportedNote(
        text, form, kind, "project", sure, title=title or None, rationale=reason, ts=ts
    )


def _classify_observation(type_: str, text: str) -> tuple[str, str, float, str | None]:
    said = _WHY.search(text)
    reason = said[1].strip() if said else find_reason(text)
    if type_ == "decision":
        return ("decision", "decision", 0.6, reason) if reason else ("project", "fact", 0.5, None)
    form, kind, sure = _CLASSES.get(type_) or classify_project_statement(text)
    return form, kind, sure, reason if kind in ("decision", "convention", "constraint") else None
