"""The memory folder that Claude Code keeps for a project: one file for each memory, with front matter, and an index of links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar

from memctl.importers.base import (
    ImportedNote,
    MemoryFile,
    ProjectMemories,
    build_transcript,
    make_session_id,
    read_page,
)
from memctl.importers.classify import (
    classify_operator_statement,
    classify_project_statement,
    classify_statement,
    find_reason,
)
from memctl.importers.instruction_files import MOST_STATEMENTS
from memctl.importers.page_statements import find_statements
from memctl.readers.base import Input
from memctl.readers.text_document import TextDocument
from memctl.readers.values import parse_time

_CWD = re.compile(rb'"cwd"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')
_TYPES = frozenset({"user", "feedback", "project", "reference"})
_LONGEST_MEMORY = 1200
_MOST_SESSIONS = 20


class ClaudeMemory:
    """Reads one file of such a folder."""

    kind: ClassVar[str] = "claude-memory"
    is_export: ClassVar[bool] = False
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it lies in `projects/NAME/memory`."""
        parts = path.absolute().parts
        return (
            path.suffix.lower() == ".md"
            and len(parts) > 4
            and parts[-2] == "memory"
            and parts[-4] == "projects"
        )

    def read(self, source: Input, place: MemoryFile) -> Iterator[ProjectMemories]:
        """What the file remembers; the project is the folder that a session kept beside the memories ran in."""
        page, unknown = read_page(source), Counter[str]()
        found = list(_find_notes(page, unknown))
        cwd = _find_session_folder(source)
        lost = None if cwd else "no session beside it says which project it is about"
        told = build_transcript(
            self.kind,
            make_session_id(place.path),
            found,
            cwd=cwd,
            title=page.get_value("name"),
            unknown=unknown,
        )
        yield ProjectMemories(told, reason_unplaced=lost)


def _find_notes(page: TextDocument, unknown: Counter[str]) -> Iterator[ImportedNote]:
    body = "\n".join(page.lines).strip()
    type_ = page.get_value("type")
    if type_ in _TYPES and 0 < len(body) <= _LONGEST_MEMORY:
        yield _build_whole_note(page, type_ or "", body)
        return
    for piece in islice(find_statements(page), MOST_STATEMENTS):
        note = classify_statement(piece, is_global=False)
        if note is None:
            unknown["no memory"] += 1
        else:
            yield note


def _build_whole_note(page: TextDocument, type_: str, body: str) -> ImportedNote:
    """A file that is one memory, sorted by what it says it is."""
    title, ts = (
        page.get_value("description") or page.get_value("name"),
        parse_time(page.get_value("date") or page.get_value("updated")),
    )
    reason = find_reason(body)
    if type_ == "user":
        about = classify_operator_statement(body)
        return ImportedNote(
            body,
            "profile",
            about.kind if about else "fact",
            "global",
            0.6,
            title=title,
            line=page.first_line,
            ts=ts,
        )
    if type_ == "reference":
        return ImportedNote(
            body, "artifact", "pointer", "project", 0.6, title=title, line=page.first_line, ts=ts
        )
    if type_ == "feedback":
        kind = (
            "constraint"
            if classify_project_statement(body.split("\n\n", 1)[0])[1] == "constraint"
            else "convention"
        )
        return ImportedNote(
            body,
            "project",
            kind,
            "project",
            0.65,
            title=title,
            rationale=reason,
            line=page.first_line,
            ts=ts,
        )
    form, kind, _ = classify_project_statement(body)
    rationale = reason if kind in ("decision", "constraint", "convention") else None
    return ImportedNote(
        body,
        form,
        kind,
        "project",
        0.6,
        title=title,
        rationale=rationale,
        line=page.first_line,
        ts=ts,
    )


def _find_session_folder(source: Input) -> str | None:
    """The working folder that a session file of the same project names."""
    sessions = [path for path in source.list_files("..") if path.suffix == ".jsonl"]
    for path in sessions[:_MOST_SESSIONS]:
        try:
            match = _CWD.search(Input(path=path).read_head())
        except OSError:
            continue
        if match:
            return match[1].decode("utf-8", "replace").replace("\\\\", "\\").replace("\\/", "/")
    return None
