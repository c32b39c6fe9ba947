"""Import the memory folder that Claude Code keeps for a project.

It has one file for each memory, with front matter, and `MEMORY.md`, which lists them. A file is one
memory: what stands below `**Why:**` is its reason, and `**How to apply:**` belongs to it. A line of
the list is the same memory as the file that it links to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import ClassVar
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
from memctl.importers.page_statements import find_statements, strip_emphasis_and_links
from memctl.readers import folder_names
from memctl.readers.base import Input
from memctl.readers.text_document import TextDocument
from memctl.readers.values import parse_time

_CWD = compile_later(rb'"cwd"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')
_TYPES = frozenset({"user", "feedback", "project", "reference"})
# Characters of a file that is one memory, and sessions looked at for their folder. Chosen by hand.
_LONGEST_MEMORY = 4000
_MOST_SESSIONS = 20
# A line of the index: a link to a file of the folder, and what it is about.
_INDEX_LINE = compile_later(r"\[[^\]\n]{0,300}\]\([^)\n/]{1,300}\.md\)")
_LINK_TO_MEMORY = compile_later(r"\[\[([^\]\n]{1,200})\]\]")
# What begins a paragraph that belongs to the memory above it, with its name.
_LABEL = compile_later(r"\s*(?:\*\*)?(why|how to apply)(?::(?:\*\*)?|\*\*:?)\s*", re.IGNORECASE)


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

        The project is the folder that a session kept beside the memories ran in, else the one
        here by whose path the folder of both is called.
        """
        page, unknown = read_page(source), Counter[str]()
        notes = list(_find_notes(page, unknown))
        cwd = _find_session_folder(source) or folder_names.find_by_slug(
            place.path.absolute().parent.parent.name, ()
        )
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
    if _is_one_memory(page) and 0 < len(body) <= _LONGEST_MEMORY:
        yield _build_whole_note(page, page.get_value("type") or "", body)
        return
    for statement in islice(find_statements(page), MOST_STATEMENTS):
        if _INDEX_LINE.match(statement.text):
            unknown["index line"] += 1
            continue
        note = classify_statement(statement, is_global=False)
        if note is None:
            unknown["no memory"] += 1
        else:
            yield note


def _is_one_memory(page: TextDocument) -> bool:
    """Whether the front matter is that of a memory: its type, or what it is called and about."""
    if page.get_value("type") in _TYPES:
        return True
    return bool(page.get_value("name") and page.get_value("description"))


def _build_whole_note(page: TextDocument, type_: str, body: str) -> ImportedNote:
    """Build one memory of a whole file, by the type that its front matter names."""
    parts = _split_parts(body)
    memory_type, kind, scope, confidence = _classify_file(type_, parts.get("", body))
    has_reason = _has_reason(type_, kind)
    content = _compose_content(parts, has_reason=has_reason)
    why = strip_emphasis_and_links(parts.get("why", "")).strip(" .;")
    times = ("modified", "updated", "date", "created")
    return ImportedNote(
        body,
        memory_type,
        kind,
        scope,
        confidence,
        content=content if content and content != body else None,
        title=page.get_value("description") or page.get_value("name"),
        rationale=(why or find_reason(body)) if has_reason else None,
        line=page.first_line,
        ts=next(filter(None, (parse_time(page.get_value(name)) for name in times)), None),
    )


def _has_reason(type_: str, kind: str) -> bool:
    """Whether a reason of its own is kept; of what is no rule, the reason is a part of the text."""
    return type_ == "feedback" or kind in ("decision", "constraint", "convention")


def _split_parts(body: str) -> dict[str, str]:
    """Split a memory at its labels: the statement under an empty name, `why`, `how to apply`."""
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:\*\*)?(?:Why|How to apply):)", body):
        label = _LABEL.match(paragraph)
        if label:
            name = label[1].lower()
            paragraph = paragraph[label.end() :]
        if paragraph.strip():
            parts.setdefault(name, []).append(paragraph.strip())
    return {name: "\n\n".join(texts) for name, texts in parts.items() if texts}


def _compose_content(parts: dict[str, str], *, has_reason: bool) -> str:
    """Put the statement and how to apply it on one line, and why unless that is kept by itself."""
    plain = {
        name: strip_emphasis_and_links(_LINK_TO_MEMORY.sub(r"\1", text))
        for name, text in parts.items()
    }
    said = plain.get("", "")
    if said and len(plain) > 1 and not said.endswith((".", "!", "?", ":")):
        said += "."
    wanted = {"why": "Why", "how to apply": "How to apply"}
    if has_reason:
        del wanted["why"]
    labelled = (f"{label}: {plain[name]}" for name, label in wanted.items() if name in plain)
    return " ".join(filter(None, (said, *labelled)))


def _classify_file(type_: str, body: str) -> tuple[str, str, str, float]:
    """Return type, kind, scope and confidence of what a memory states; the confidences were chosen
    by hand.
    """
    if type_ == "user":
        about = classify_operator_statement(body)
        return "profile", about.kind if about else "fact", "global", 0.6
    if type_ == "reference":
        return "artifact", "pointer", "project", 0.6
    if type_ == "feedback":
        is_constraint = classify_project_statement(body)[1] == "constraint"
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
