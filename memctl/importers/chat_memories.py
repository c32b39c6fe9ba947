"""Import what chat services remember about their user.

Known are ChatGPT's saved memories (copied, as JSON, or in an export) and those of mem0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any, ClassVar
from memctl.importers.base import ImportedFile, ImportedNote, NotesByProject, ProjectMemories
from memctl.importers.classify import classify_operator_statement, classify_project_statement
from memctl.readers.base import Input
from memctl.readers.values import as_dict, as_list, as_text, parse_time
from memctl.text.private_blocks import PRIVATE, remove_private

# Characters of a memory. Chosen by hand.
_LONGEST_MEMORY = 2000
_LIST_MARK = compile_later(
    r"\s{0,8}(?:[-*•]|\d{1,4}[.)])?\s{0,4}(?:\[(\d{4}-\d\d-\d\d)\][.:]?\s{0,4})?"
)
_PAGE_HEADS = compile_later(
    r"(?:saved memories|manage memories|memories|memory|model set context|here (?:is"
    r"|are) .{0,80})[:.]?",
    re.IGNORECASE,
)
_CONTEXT_TYPE = "model_editable_context"


class ChatGptMemories:
    """Importer of ChatGPT's saved memories."""

    kind: ClassVar[str] = "chatgpt"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it is named like an export of memories, or an export of chats that holds them."""
        name = path.name.lower()
        if path.suffix.lower() == ".txt":
            return "memor" in name and ("chatgpt" in name or "saved" in name)
        if path.suffix.lower() != ".json":
            return False
        if name.startswith("conversations"):
            return b'"mapping"' in source.read_head()
        return (
            ("memor" in name or b'"memories"' in source.read_head())
            and not Mem0().recognizes(path, source)
            and bool(list(_read_json_memories(source.read_json())))
        )

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield what is remembered about the operator, for all projects."""
        shelf, value = NotesByProject(self.kind, place.path), source.read_json()
        found = (
            _read_text_memories(remove_private(source.read_text()))
            if value is None
            else _read_newest_context(value) or list(_read_json_memories(value))
        )
        for line, text, at in found:
            shelf.add(
                "",
                classify_operator_statement(text, at, line=line)
                if len(text) <= _LONGEST_MEMORY
                else None,
            )
        yield from shelf.build_transcripts()


class Mem0:
    """Importer of exports of mem0."""

    kind: ClassVar[str] = "mem0"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it is a list of memories with ids and hashes or users."""
        if path.suffix.lower() != ".json":
            return False
        head = source.read_head()
        return (
            b'"memory"' in head
            and (b'"user_id"' in head or b'"hash"' in head)
            and bool(_list_records(source.read_json()))
        )

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield the memories, sorted by the project in their metadata."""
        shelf = NotesByProject(self.kind, place.path)
        for number, record in enumerate(_list_records(source.read_json()), 1):
            text = as_text(record.get("memory")).strip()
            ts = parse_time(record.get("updated_at") or record.get("created_at"))
            meta = as_dict(record.get("metadata"))
            project = as_text(meta.get("project") or meta.get("project_name")).strip()
            if not text or len(text) > _LONGEST_MEMORY:
                shelf.unknown["no memory"] += 1
            elif project:
                type_, kind, confidence = classify_project_statement(text)
                note = ImportedNote(text, type_, kind, "project", confidence, line=number, ts=ts)
                shelf.add(project, note)
            else:
                shelf.add("", classify_operator_statement(text, ts, line=number))
        yield from shelf.build_transcripts()


def _list_records(value: Any) -> list[dict[str, Any]]:
    """List the memories of a mem0 export, oldest first."""
    items = _find_list(value, ("results", "memories"))
    records = [
        item for item in items if isinstance(item, dict) and isinstance(item.get("memory"), str)
    ]
    return sorted(records, key=lambda record: as_text(record.get("created_at")))


def _find_list(value: Any, keys: tuple[str, ...]) -> list[Any]:
    """Return a list, or the first list that an object holds under one of these keys."""
    if isinstance(value, list):
        return value
    return next(filter(None, (as_list(as_dict(value).get(key)) for key in keys)), [])


def _read_json_memories(value: Any) -> Iterator[tuple[int, str, str | None]]:
    """Yield number, words and time of each memory in a list of words or of objects."""
    items = _find_list(value, ("memories", "saved_memories", "items", "results", "data"))
    for number, item in enumerate(items, 1):
        record = as_dict(item)
        texts = (as_text(record.get(key)) for key in ("content", "memory", "text", "value"))
        text = (item if isinstance(item, str) else next(filter(None, texts), "")).strip()
        times = (record.get(key) for key in ("updated_at", "created_at", "created_timestamp"))
        if text:
            yield number, text, parse_time(next(filter(None, times), None))


def _read_text_memories(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield one memory for each line, with or without list marks and a date."""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _LIST_MARK.match(line)
        words = line[mark.end() if mark else 0 :].strip()
        is_head = words.startswith(("#", PRIVATE)) or _PAGE_HEADS.fullmatch(words)
        if len(words.split()) > 1 and not is_head:
            yield number, words, parse_time(mark[1]) if mark and mark[1] else None


def _read_newest_context(value: Any) -> list[tuple[int, str, str | None]]:
    """List the memories that the newest conversation with memories was given."""
    newest_time, newest_text = -1.0, ""
    for conversation in as_list(value):
        for at, text in _list_contexts(as_dict(conversation)):
            if at >= newest_time:
                newest_time, newest_text = at, text
    return list(_read_text_memories(newest_text))


def _list_contexts(conversation: dict[str, Any]) -> Iterable[tuple[float, str]]:
    """Yield the Unix time and the words of each list of memories in a conversation."""
    started_at = conversation.get("create_time")
    for node in as_dict(conversation.get("mapping")).values():
        message = as_dict(as_dict(node).get("message"))
        content = as_dict(message.get("content"))
        if content.get("content_type") == _CONTEXT_TYPE:
            at = message.get("create_time") or started_at
            seconds = float(at) if isinstance(at, int | float) else 0.0
            yield seconds, as_text(content.get("model_set_context"))
