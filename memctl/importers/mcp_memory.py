"""The knowledge graph of the MCP memory server: one JSON object a line, an entity with observations or a relation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from memctl.importers.base import (
    ImportedNote,
    MemoryFile,
    ProjectMemories,
    build_transcript,
    make_session_id,
)
from memctl.importers.classify import classify_operator_statement, classify_project_statement
from memctl.readers.base import Input
from memctl.readers.values import as_list, as_text

_PERSON_TYPES = frozenset({"person", "user", "human", "operator", "individual"})
_OPERATOR_NAMES = frozenset({"default_user", "user", "me", "default user"})
_ENTITY_KINDS = {
    "person": "person",
    "user": "person",
    "project": "project",
    "organization": "org",
    "organisation": "org",
    "company": "org",
    "team": "org",
    "tool": "tool",
    "technology": "tool",
    "library": "tool",
    "framework": "tool",
}
_LONGEST_MEMORY = 2000


class McpMemory:
    """Reads such a graph."""

    kind: ClassVar[str] = "mcp-memory"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether its first line is an entity or a relation."""
        if path.suffix.lower() not in (".jsonl", ".json", ".ndjson"):
            return False
        first = next(Input(data=source.read_head()).read_json_lines(), (0, {}))[1]
        return (first.get("type") == "entity" and "entityType" in first) or (
            first.get("type") == "relation" and "relationType" in first
        )

    def read(self, source: Input, place: MemoryFile) -> Iterator[ProjectMemories]:
        """Each observation and each relation."""
        found: list[ImportedNote] = []
        for line, value in source.read_json_lines():
            if value.get("type") == "entity":
                found += _read_observations(value, line)
            elif value.get("type") == "relation":
                found += _read_relation(value, line)
            else:
                source.unknown["neither entity nor relation"] += 1
        told = build_transcript(
            self.kind, make_session_id(place.path), found, cwd=place.folder, unknown=source.unknown
        )
        yield ProjectMemories(told, only_rooted=True)


def _read_observations(value: dict[str, Any], line: int) -> Iterator[ImportedNote]:
    name, sort = (
        as_text(value.get("name")).strip(),
        as_text(value.get("entityType")).strip().lower(),
    )
    for said in as_list(value.get("observations")):
        text = as_text(said).strip()
        if not text or len(text) > _LONGEST_MEMORY:
            continue
        shown = text if name.lower() in text.lower() else f"{name.replace('_', ' ')}: {text}"
        about = (_ENTITY_KINDS.get(sort, "concept"), name) if name else None
        own = (
            classify_operator_statement(text, line=line)
            if sort in _PERSON_TYPES and name.lower() in _OPERATOR_NAMES
            else None
        )
        form, kind, sure = (
            (own.type, own.kind, own.confidence) if own else classify_project_statement(text)
        )
        content = text if own else shown
        yield ImportedNote(
            text,
            form,
            kind,
            "global" if own else "project",
            sure,
            content=content,
            entity=None if own else about,
            line=line,
        )


def _read_relation(value: dict[str, Any], line: int) -> Iterator[ImportedNote]:
    parts = [as_text(value.get(key)).strip() for key in ("from", "relationType", "to")]
    if all(parts):
        words = " ".join(part.replace("_", " ") for part in parts)
        yield ImportedNote(
            words, "project", "fact", "project", 0.4, entity=("concept", parts[0]), line=line
        )
