"""Import the knowledge graph of the MCP memory server.

Each line is a JSON object: an entity with observations, or a relation.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memctl.core.frozen import replace
from memctl.core.typing_lite import Any, ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
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
# Characters of a memory. Chosen by hand.
_LONGEST_MEMORY = 2000


class McpMemory:
    """Importer of such a graph."""

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

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield each observation and each relation."""
        found: list[ImportedNote] = []
        for line, value in source.read_json_lines():
            if value.get("type") == "entity":
                found += _read_observations(value, line)
            elif value.get("type") == "relation":
                found += _read_relation(value, line)
            else:
                source.unknown["neither entity nor relation"] += 1
        transcript = build_transcript(
            self.kind, make_session_id(place.path), found, cwd=place.folder, unknown=source.unknown
        )
        yield ProjectMemories(transcript, only_rooted=True)


def _read_observations(value: dict[str, Any], line: int) -> Iterator[ImportedNote]:
    name = as_text(value.get("name")).strip()
    entity_type = as_text(value.get("entityType")).strip().lower()
    is_operator = entity_type in _PERSON_TYPES and name.lower() in _OPERATOR_NAMES
    entity = (_ENTITY_KINDS.get(entity_type, "concept"), name) if name else None
    for observation in as_list(value.get("observations")):
        text = as_text(observation).strip()
        if not text or len(text) > _LONGEST_MEMORY:
            continue
        own = classify_operator_statement(text, line=line) if is_operator else None
        if own is not None:
            yield replace(own, content=text)
            continue
        type_, kind, confidence = classify_project_statement(text)
        is_named = name.lower() in text.lower()
        content = text if is_named else f"{name.replace('_', ' ')}: {text}"
        yield ImportedNote(
            text, type_, kind, "project", confidence, content=content, entity=entity, line=line
        )


def _read_relation(value: dict[str, Any], line: int) -> Iterator[ImportedNote]:
    parts = [as_text(value.get(key)).strip() for key in ("from", "relationType", "to")]
    if all(parts):
        words = " ".join(part.replace("_", " ") for part in parts)
        yield ImportedNote(
            words, "project", "fact", "project", 0.4, entity=("concept", parts[0]), line=line
        )
