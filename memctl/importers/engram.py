"""Import the database of engram: observations of a project or about the person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.core import clock
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any, ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
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

# Type, kind and confidence of an observation by its type. Chosen by hand.
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
_WHY = compile_later(r"\*\*(?:Why|Rationale)\*?\*?:?\*{0,2}:?\s{0,4}(.{4,600})", re.IGNORECASE)
# Characters of a memory. Chosen by hand.
_LONGEST_MEMORY = 4000


class Engram:
    """Importer of the database."""

    kind: ClassVar[str] = "engram"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = True

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it has the tables."""
        return has_tables(source.tables, observations="id session_id type title content project")

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield what is neither deleted nor expired, project by project, oldest first."""
        shelf, now = NotesByProject(self.kind, place.path), clock.now()
        if source.tables is not None:
            sessions = source.tables.rows("sessions")
            project_of_session = {row.get("id"): as_text(row.get("project")) for row in sessions}
            for row in source.tables.rows("observations", order_by="created_at, rowid"):
                if _is_past(row, now):
                    shelf.unknown["deleted, ended or only told"] += 1
                    continue
                session_project = project_of_session.get(row.get("session_id"), "")
                project = (as_text(row.get("project")) or session_project).strip()
                is_personal = as_text(row.get("scope")) in ("personal", "global")
                note = _build_note(row, is_personal=is_personal)
                shelf.add("" if is_personal else project or None, note)
        yield from shelf.build_transcripts()


def _is_past(row: Mapping[str, Any], now: str) -> bool:
    """Whether an observation is deleted or expired, or only tells what happened."""
    expires_at = parse_time(row.get("expires_at"))
    is_expired = expires_at is not None and expires_at <= now
    return bool(row.get("deleted_at")) or is_expired or as_text(row.get("type")) in _EVENT_TYPES


def _build_note(row: Mapping[str, Any], *, is_personal: bool) -> ImportedNote | None:
    title = as_text(row.get("title")).strip()
    text = as_text(row.get("content")).strip()[:_LONGEST_MEMORY] or title
    ts = parse_time(row.get("created_at"))
    if is_personal:
        about = classify_operator_statement(text)
        kind = "preference" if about is None or row.get("type") == "preference" else about.kind
        return ImportedNote(text, "profile", kind, "global", 0.6, title=title or None, ts=ts)
    type_, kind, confidence, reason = _classify_observation(as_text(row.get("type")), text)
    return ImportedNote(
        text, type_, kind, "project", confidence, title=title or None, rationale=reason, ts=ts
    )


def _classify_observation(type_: str, text: str) -> tuple[str, str, float, str | None]:
    """Return type, kind, confidence and reason."""
    labelled_reason = _WHY.search(text)
    reason = labelled_reason[1].strip() if labelled_reason else find_reason(text)
    if type_ == "decision" and reason:
        return "decision", "decision", 0.6, reason
    if type_ == "decision":
        return "project", "fact", 0.5, None
    memory_type, kind, confidence = _CLASSES.get(type_) or classify_project_statement(text)
    has_reason = kind in ("decision", "convention", "constraint")
    return memory_type, kind, confidence, reason if has_reason else None
