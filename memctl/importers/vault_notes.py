"""Import notes of a folder of Markdown notes (Obsidian, agentm, or any other), one file at a time.

A note whose front matter says of what type or kind it is, is one memory. Of any other each
statement is one. The tags of a note, in its front matter and its words, are those of its memories.
What memctl wrote itself is no memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import TYPES
from memctl.core.typing_lite import ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
    ProjectMemories,
    build_transcript,
    make_session_id,
    read_page,
)
from memctl.importers.classify import classify_project_statement, classify_statement, find_reason
from memctl.importers.instruction_files import MOST_STATEMENTS
from memctl.importers.page_statements import find_statements
from memctl.readers.base import Input
from memctl.readers.text_document import TextDocument, decode_head
from memctl.readers.values import parse_time
from memctl.text.tags import read_tags

# What tells a folder of notes, in it or above it.
_MARKS = (".obsidian", ".memctl-vault.json")
# Folders above a file that are looked at.
_MOST_ABOVE = 12
# Characters of a note that is one memory; chosen by hand.
_LONGEST_MEMORY = 4000
_KIND = compile_later(r"[a-z][a-z0-9-]{0,39}")
_INLINE_TAG = compile_later(r"(?<![\w#/&])#([^\W_][\w/-]{0,59})")
_OWN_MARK = compile_later(r"^<!-- memctl[ :]", re.MULTILINE)
_ENDED = frozenset(("archived", "superseded", "rejected", "done", "deprecated"))
# Keys that a note of another memory system has beside its type.
_MEMORY_KEYS = ("kind", "status", "scope", "always_load", "supersedes")


class VaultNotes:
    """Importer of one note."""

    kind: ClassVar[str] = "vault"
    is_export: ClassVar[bool] = False
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it is Markdown in a folder of notes, or says of what type of memory it is."""
        if path.suffix.lower() != ".md":
            return False
        above = islice(path.absolute().parents, _MOST_ABOVE)
        if any((folder / mark).exists() for folder in above for mark in _MARKS):
            return True
        front = decode_head(source.read_head()).partition("\n---")[0]
        has_type = any(f"\ntype: {type_}" in front for type_ in TYPES)
        return (
            front.startswith("---\n")
            and has_type
            and any(f"\n{key}:" in front for key in _MEMORY_KEYS)
        )

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield what the note says."""
        page, unknown = read_page(source), Counter[str]()
        body = "\n".join(page.lines).strip()
        own = read_tags([*page.get_values("tags"), *page.get_values("tag")])
        tags = tuple(sorted({*own, *read_tags(_INLINE_TAG.findall(body))}))
        notes = [] if _OWN_MARK.search(body) else list(_find_notes(page, body, unknown))
        transcript = build_transcript(
            self.kind,
            make_session_id(place.path),
            [replace(note, tags=tags) for note in notes],
            cwd=place.folder,
            title=page.get_value("title") or place.path.stem,
            unknown=unknown,
        )
        yield ProjectMemories(transcript, project=page.get_value("project"), only_rooted=True)


def _find_notes(page: TextDocument, body: str, unknown: Counter[str]) -> Iterator[ImportedNote]:
    if (page.get_value("status") or "").lower() in _ENDED:
        unknown["no longer holds"] += 1
        return
    is_one = page.get_value("type") in TYPES or bool(page.get_value("kind"))
    if is_one and 0 < len(body) <= _LONGEST_MEMORY:
        yield _build_whole_note(page, body)
        return
    for statement in islice(find_statements(page), MOST_STATEMENTS):
        note = classify_statement(statement, is_global=False)
        if note is None:
            unknown["no memory"] += 1
        else:
            yield note


def _build_whole_note(page: TextDocument, body: str) -> ImportedNote:
    """Build one memory of a whole note, by the type and kind that its front matter names."""
    type_, kind, _ = classify_project_statement(body)
    named_type, named_kind = page.get_value("type"), (page.get_value("kind") or "").lower()
    if named_type in TYPES:
        type_ = str(named_type)
        kind = "decision" if type_ == "decision" else kind
    if _KIND.fullmatch(named_kind):
        kind = named_kind
    reason = page.get_value("rationale") or find_reason(body)
    if type_ == "decision" and not reason:
        type_ = "project"
    times = ("updated", "modified", "date", "created")
    return ImportedNote(
        body,
        type_,
        kind,
        "global" if type_ == "profile" or page.get_value("scope") == "global" else "project",
        0.6,
        title=page.get_value("title"),
        rationale=reason,
        line=page.first_line,
        ts=next(filter(None, (parse_time(page.get_value(name)) for name in times)), None),
    )
