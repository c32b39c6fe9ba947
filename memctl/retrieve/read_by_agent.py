"""Which records an agent reads by itself, in a file of instructions that it loads in this folder.

Kept true: what such a file no longer says is told, and whatever cannot be read is told. Few files
are read, each once, and only regular ones of limited size.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from memctl.core.model import Memory
from memctl.settings.config import get_environment
from memctl.store import evidence
from memctl.store.database import Database

# The kinds of files of instructions that are imported.
_KINDS = (
    *("claude-md", "claude-memory", "agents-md", "gemini-md"),
    *("copilot-instructions", "cursor-rules", "windsurf-rules"),
)
# Files that are looked at for one context; chosen by hand.
_MOST_FILES = 12
# Marks of emphasis, and what a line of a list or a quotation begins with.
_MARKS = str.maketrans("", "", "*_`")
_LIST_MARKS = " -+>#0123456789)[]x"
_ENDS = (".", "!", "?", ":", ";")


def find_read_by_agent(
    db: Database, agent: str | None, folder: Path | None, memories: Iterable[Memory]
) -> dict[str, str]:
    """The records that the agent reads by itself, each with the path of the file that says it.

    Both sides of a contradiction are told all the same.
    """
    ids = [memory.id for memory in memories if memory.status == "active"]
    rows = evidence.list_in_files(db, ids, _KINDS) if agent and ids else []
    if not rows or agent is None:
        return {}
    from memctl.agents import rules_files  # hardly a prompt finds a record from a file

    texts: dict[str, str] = {}
    found: dict[str, str] = {}
    for row in rows:
        path = row["path"]
        if path not in texts:
            if len(texts) == _MOST_FILES:
                continue
            text = rules_files.read_if_loaded(agent, path, folder, get_environment())
            texts[path] = _simplify(text or "")
        if _says(texts[path], row["quote"]):
            found.setdefault(row["memory_id"], path)
    return found


def shorten_path(path: str, folder: Path | None) -> str:
    """A path as people name it: from the folder, if it lies below it."""
    below = os.path.relpath(path, folder) if folder is not None else path
    return path if below.startswith("..") else below


def _simplify(text: str) -> str:
    """A text without marks of emphasis, with single blanks and single line ends."""
    lines = (" ".join(line.split()) for line in text.translate(_MARKS).splitlines())
    return "\n".join(line for line in lines if line)


def _says(text: str, quote: str) -> bool:
    """Whether a simplified text holds a quote as a line or a sentence of its own: with words before
    or after it, it may say something else.
    """
    flat, wanted = text.replace("\n", " "), _simplify(quote).replace("\n", " ")
    start = flat.find(wanted) if wanted else -1
    while start >= 0:
        before = text[text.rfind("\n", 0, start) + 1 : start].strip(_LIST_MARKS)
        after = text[start + len(wanted) : start + len(wanted) + 1]
        if (not before or before.endswith(_ENDS)) and (
            after in ("", "\n", ".") or wanted.endswith(_ENDS)
        ):
            return True
        start = flat.find(wanted, start + 1)
    return False
