"""Import files of instructions that people write for their agents, such as CLAUDE.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from memctl.core.typing_lite import ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
    ProjectMemories,
    build_transcript,
    make_session_id,
    read_page,
)
from memctl.importers.classify import classify_statement
from memctl.importers.page_statements import find_statements
from memctl.readers.base import Input
from memctl.readers.text_document import TextDocument

# Folders in which tools keep their files inside a project.
TOOL_FOLDERS = frozenset(
    {".claude", ".cursor", ".github", ".windsurf", ".gemini", ".codex", ".agents", ".clinerules"}
)
# Folders inside those, and how far above a file the tool's folder may be.
_INNER_FOLDERS = frozenset({"rules", "instructions"})
_MOST_FOLDERS_UP = 3
# Nobody writes more statements for an agent; what has more is something else.
MOST_STATEMENTS = 2000


class InstructionFile:
    """Importer of one kind of instruction file.

    `names` are patterns of the last parts of its path, in lower case.
    """

    kind: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    is_export: ClassVar[bool] = False
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether its path matches one of the names."""
        parts = [part.lower() for part in path.absolute().parts]
        return any(_matches_pattern(parts, pattern.split("/")) for pattern in self.names)

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield the statements of the page."""
        page, unknown = read_page(source), Counter[str]()
        found = list(_find_notes(page, place, unknown))
        cwd = None if place.is_global else place.folder
        yield ProjectMemories(
            build_transcript(
                self.kind,
                make_session_id(place.path),
                found,
                cwd=cwd,
                title=place.path.name,
                unknown=unknown,
            )
        )


class ClaudeMd(InstructionFile):
    """CLAUDE.md, CLAUDE.local.md and the rules beside them."""

    kind = "claude-md"
    names = ("claude.md", "claude.local.md", ".claude/rules/*.md", ".claude/rules/*/*.md")


class AgentsMd(InstructionFile):
    """AGENTS.md, which many agents read."""

    kind = "agents-md"
    names = ("agents.md", "agents.override.md", "agent.md")


class GeminiMd(InstructionFile):
    """GEMINI.md."""

    kind = "gemini-md"
    names = ("gemini.md",)


class CopilotInstructions(InstructionFile):
    """Instructions for GitHub Copilot."""

    kind = "copilot-instructions"
    names = ("copilot-instructions.md", ".github/instructions/*.instructions.md")


class WindsurfRules(InstructionFile):
    """Rules of Windsurf."""

    kind = "windsurf-rules"
    names = (".windsurfrules", ".windsurf/rules/*.md", "windsurf/memories/global_rules.md")


class CursorRules(InstructionFile):
    """Rules of Cursor."""

    kind = "cursor-rules"
    names = ("*.mdc", ".cursorrules")


def find_project_folder(path: Path) -> Path:
    """Return the folder that a file applies to.

    It is the folder of the file, or the one above if the file is in a tool's own folder.
    """
    folder = path.absolute().parent
    for place in (folder, *folder.parents)[:_MOST_FOLDERS_UP]:
        if place.name in TOOL_FOLDERS:
            return place.parent
        if not {place.name, place.parent.name} & _INNER_FOLDERS:
            break
    return folder


def _matches_pattern(parts: list[str], pattern: list[str]) -> bool:
    return len(parts) >= len(pattern) and all(map(fnmatchcase, parts[-len(pattern) :], pattern))


def _find_notes(
    page: TextDocument, place: ImportedFile, unknown: Counter[str]
) -> Iterator[ImportedNote]:
    applies_to = _find_applicable_files(page)
    seen: set[str] = set()
    for statement in islice(find_statements(page), MOST_STATEMENTS):
        note = classify_statement(statement, is_global=place.is_global, applies_to=applies_to)
        if note is None or note.text in seen:
            unknown["no memory" if note is None else "said twice"] += 1
            continue
        seen.add(note.text)
        yield note


def _find_applicable_files(page: TextDocument) -> str:
    """Return the patterns of files that a rule applies to; empty if it applies to all."""
    patterns = [
        part
        for name in ("globs", "paths", "applyto")
        for value in page.get_values(name)
        for part in re.split(r"[,\s]+", value)
    ]
    named = [
        pattern.strip("\"'")
        for pattern in patterns
        if pattern.strip("\"'") not in ("", "*", "**", "**/*", "*.*")
    ]
    return ", ".join(named[:4])
