"""Import the memories that Codex keeps in one folder for all projects.

`MEMORY.md` is read group by group: a group says by `applies_to: cwd=...` which project it is about,
and holds preferences, knowledge and failures as lists. Of `memory_summary.md`, which Codex makes
from it, only what is about the operator is read. Lists of sessions and keywords, the raw memories
and the summaries of sessions are how Codex finds things, and no memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
    NotesByProject,
    ProjectMemories,
    read_page,
)
from memctl.importers.classify import classify_operator_statement, classify_statement
from memctl.importers.instruction_files import MOST_STATEMENTS
from memctl.importers.page_statements import (
    PageStatement,
    find_statements,
    strip_emphasis_and_links,
)
from memctl.readers.base import Input
from memctl.readers.text_document import decode_head

_HANDBOOK = "memory.md"
_SUMMARY = "memory_summary.md"
_GROUP = compile_later(r"^# Task Group: (.{1,300})$", re.MULTILINE)
# The folder of a group; what is no absolute path names a kind of work.
_FOLDER = compile_later(r"\bcwd[=:]\s{0,3}`?((?:/|~/|[A-Za-z]:\\)[^;,`\n]{1,400})")
_TASK_REFERENCE = compile_later(
    r"\s*(?:\[Task \d{1,3}(?:[,;] ?(?:Task )?\d{1,3}){0,9}\]\s*){1,20}$"
)
# Headings, in lower case, below which memories stand, and what they are.
_PREFERENCES = "preferences"
_KNOWLEDGE = "knowledge"
_FAILURES = "failures"
_SECTIONS = {
    "user preferences": _PREFERENCES,
    "user profile": _PREFERENCES,
    "reusable knowledge": _KNOWLEDGE,
    "general tips": _KNOWLEDGE,
    "learnings": _KNOWLEDGE,
    "failures and how to do differently": _FAILURES,
}
_CONFIDENCE = 0.55


class CodexMemory:
    """Importer of one file of that folder."""

    kind: ClassVar[str] = "codex-memory"
    is_export: ClassVar[bool] = False
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it lies in a folder `memories` and looks like what Codex writes there."""
        name = path.name.lower()
        if path.absolute().parent.name != "memories" or name not in (_HANDBOOK, _SUMMARY):
            return False
        head = decode_head(source.read_head())
        if name == _SUMMARY:
            return head.startswith("v1")
        return bool(_GROUP.search(head))

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield the memories of each folder that a group names, and of all projects."""
        page = read_page(source)
        folders = dict(_find_folders(page.lines))
        sorted_notes = NotesByProject(self.kind, place.path)
        for statement in islice(find_statements(page), MOST_STATEMENTS):
            folder = folders.get(statement.headings[0], "") if statement.headings else ""
            section = next(
                (kind for name in statement.headings if (kind := _SECTIONS.get(name.lower()))), None
            )
            if section is None:
                sorted_notes.unknown["no memory"] += 1
                continue
            sorted_notes.add(folder, _build_note(statement, section, is_global=not folder))
        for memories in sorted_notes.build_transcripts():
            yield _place_in_folder(memories)


def _find_folders(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the heading of each group with the folder that it applies to."""
    heading = ""
    for line in lines:
        group = _GROUP.match(line)
        if group:
            heading = strip_emphasis_and_links(line.lstrip("# ")).rstrip(" :#")
        elif heading and line.startswith("applies_to:"):
            folder = _FOLDER.search(line)
            if folder:
                yield heading, folder[1].strip().rstrip("/")


def _build_note(statement: PageStatement, section: str, *, is_global: bool) -> ImportedNote | None:
    """One memory without the tasks that it refers to; None for what is no statement."""
    said = _TASK_REFERENCE.sub("", strip_emphasis_and_links(statement.on_one_line))
    if section == _PREFERENCES:
        note = classify_operator_statement(statement.text, line=statement.line)
        if note is None:
            return None
        if not is_global:
            kind = "constraint" if note.kind == "constraint" else "convention"
            note = replace(note, type="project", kind=kind, scope="project")
        return _with_content(note, said, statement)
    if section == _FAILURES and not is_global:
        note = ImportedNote(
            statement.text, "task_hint", "fix", "project", _CONFIDENCE, line=statement.line
        )
        return _with_content(note, said, statement)
    bare = replace(statement, headings=(), lead="")
    found = classify_statement(bare, is_global=is_global)
    return None if found is None else _with_content(found, said, statement)


def _with_content(note: ImportedNote, said: str, statement: PageStatement) -> ImportedNote:
    heading = statement.headings[-1] if statement.headings else ""
    content = said if said and said != note.text else None
    return replace(note, content=content, title=None, heading=heading)


def _place_in_folder(memories: ProjectMemories) -> ProjectMemories:
    """The memories in the folder that stands in place of a project's name."""
    if not memories.project:
        return memories
    folder = str(Path(memories.project).expanduser())
    why = None
    if "*" in folder or not Path(folder).is_absolute():
        why = f"no folder of this machine is called {memories.project}"
    return ProjectMemories(replace(memories.transcript, cwd=folder), reason_unplaced=why)
