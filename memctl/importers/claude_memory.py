"""Import the memory folder that Claude Code keeps for a project.

It has one file for each memory, with front matter, and an index of links.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar

from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
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
# Characters of a file that is one memory, and sessions looked at for their folder. Chosen by hand.
_LONGEST_MEMORY = 1200
_MOST_SESSIONS = 20


class ClaudeMemory:
    """Importer of one file of such a folder."""

    kind: ClassVar[str] = "claude-memory"
    is_export: ClassVar[bool] = False
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it is in `projects/NAME/memory`."""
        parts = path.absolute().parts
        return (
            path.suffix.lower() == ".md"
            and len(parts) > 4
            and parts[-2] == "memory"
            and parts[-4] == "projects"
        )

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield what the file remembers.

        The project is the folder that a session kept beside the memories ran in.
        """
        page, unknown = read_page(source), Counter[str]()
        notes = list(_find_notes(page, unknown))
        cwd = _find_session_folder(source)
        reason_unplaced = None if cwd else "no session beside it says which project it is about"
        transcript = build_transcript(
            self.kind,
            make_session_id(place.path),
            notes,
            cwd=cwd,
            title=page.get_value("name"),
            unknown=unknown,
        )
        yield ProjectMemories(transcript, reason_unplaced=reason_unplaced)


def _find_notes(page: TextDocument, unknown: Counter[str]) -> Iterator[ImportedNote]:
    body = "\n".join(page.lines).strip()
    type_ = page.get_value("type")
    if type_ in _TYPES and 0 < len(body) <= _LONGEST_MEMORY:
        yield _build_whole_note(page, type_ or "", body)
        return
    for statement in islice(find_statements(page), MOST_STATEMENTS):
        note = classify_statement(statement, is_global=False)
        if note is None:
            unknown["no memory"] += 1
        else:
            yield note


def _build_whole_note(page: TextDocument, type_: str, body: str) -> ImportedNote:
    """Build one memory of a whole file, by the type that its front matter names."""
    memory_type, kind, scope, confidence = _classify_file(type_, body)
    has_reason = type_ == "feedback" or (
        type_ == "project" and kind in ("decision", "constraint", "convention")
    )
    return ImportedNote(
        body,
        memory_type,
        kind,
        scope,
        confidence,
        title=page.get_value("description") or page.get_value("name"),
        rationale=find_reason(body) if has_reason else None,
        line=page.first_line,
        ts=parse_time(page.get_value("date") or page.get_value("updated")),
    )


def _classify_file(type_: str, body: str) -> tuple[str, str, str, float]:
    """Return type, kind, scope and confidence of a memory; the confidences were chosen by hand."""
    if type_ == "user":
        about = classify_operator_statement(body)
        return "profile", about.kind if about else "fact", "global", 0.6
    if type_ == "reference":
        return "artifact", "pointer", "project", 0.6
    if type_ == "feedback":
        rule = body.split("\n\n", 1)[0]
        is_constraint = classify_project_statement(rule)[1] == "constraint"
        return "project", "constraint" if is_constraint else "convention", "project", 0.65
    memory_type, kind, _ = classify_project_statement(body)
    return memory_type, kind, "project", 0.6


def _find_session_folder(source: Input) -> str | None:
    """Return the working folder that a session file of the same project names."""
    sessions = [path for path in source.list_files("..") if path.suffix == ".jsonl"]
    for path in sessions[:_MOST_SESSIONS]:
        try:
            match = _CWD.search(Input(path=path).read_head())
        except OSError:
            continue
        if match:
            return match[1].decode("utf-8", "replace").replace("\\\\", "\\").replace("\\/", "/")
    return None
