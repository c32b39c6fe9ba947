"""List the importers of other tools' memories, in the order in which they are asked."""

from __future__ import annotations

from pathlib import Path

from memctl.importers.base import Importer
from memctl.importers.basic_memory import BasicMemory
from memctl.importers.chat_memories import ChatGptMemories, Mem0
from memctl.importers.claude_mem import ClaudeMem
from memctl.importers.claude_memory import ClaudeMemory
from memctl.importers.codex_memory import CodexMemory
from memctl.importers.engram import Engram
from memctl.importers.instruction_files import (
    AgentsMd,
    ClaudeMd,
    CopilotInstructions,
    CursorRules,
    GeminiMd,
    WindsurfRules,
)
from memctl.importers.mcp_memory import McpMemory
from memctl.importers.vault_notes import VaultNotes
from memctl.readers.base import Input

IMPORTERS: tuple[Importer, ...] = (
    ClaudeMd(),
    AgentsMd(),
    GeminiMd(),
    CopilotInstructions(),
    WindsurfRules(),
    CursorRules(),
    ClaudeMemory(),
    CodexMemory(),
    BasicMemory(),
    VaultNotes(),
    McpMemory(),
    Mem0(),
    ChatGptMemories(),
    ClaudeMem(),
    Engram(),
)
KINDS: tuple[str, ...] = tuple(importer.kind for importer in IMPORTERS)


def get_importer(kind: str) -> Importer:
    """Return the importer of that kind."""
    return next(importer for importer in IMPORTERS if importer.kind == kind)


def find_importer(path: Path, source: Input) -> Importer | None:
    """Return the importer that recognizes a file, or None."""
    is_database = source.tables is not None
    return next(
        (
            importer
            for importer in IMPORTERS
            if importer.is_database == is_database and importer.recognizes(path, source)
        ),
        None,
    )
