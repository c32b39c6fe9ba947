"""Titles and summaries: which of a record were chosen by somebody, and how the others follow its
content.

What was derived from a content says nothing once the content is another. It is derived again; what
somebody chose stays.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.model import Memory
from memctl.core.typing_lite import Any
from memctl.records.drafts import SUMMARY_LENGTH, TITLE_LENGTH, shorten
from memctl.store import event_log
from memctl.store.database import Database

_NAMES = ("title", "summary")


def derive_headings(db: Database, memory: Memory, content: str) -> dict[str, str]:
    """Title and summary for another content, without those that somebody chose."""
    chosen = find_chosen_headings(db, memory)
    is_plain = memory.source_kind == "manual" and all(
        getattr(memory, name) == _shorten(name, memory.content)
        for name in _NAMES
        if name not in chosen
    )
    derive = _shorten if is_plain else _read_alone
    return {name: derive(name, content) for name in _NAMES if name not in chosen}


def find_chosen_headings(db: Database, memory: Memory) -> frozenset[str]:
    """Which of title and summary somebody chose: by hand when it was written, or later.

    Nobody chose those of a record that was read out of something, until they were edited.
    """
    chosen: set[str] = set()
    content: Any = None
    for event in event_log.list_of_memory(db, memory.id):
        after = event.after or {}
        content = after.get("content", content)
        is_created = event.before is None
        if is_created and memory.source_kind != "manual":
            continue
        for name in _NAMES:
            if name in after:
                _note_choice(chosen, name, after, content)
    if content is None:  # A store whose history begins later.
        return frozenset(
            name for name in _NAMES if not _is_derived(name, getattr(memory, name), memory.content)
        )
    return frozenset(chosen)


def _note_choice(chosen: set[str], name: str, after: Mapping[str, Any], content: Any) -> None:
    if _is_derived(name, str(after[name]), str(content or "")):
        chosen.discard(name)
    else:
        chosen.add(name)


def _is_derived(name: str, heading: str, content: str) -> bool:
    return heading in (_shorten(name, content), _read_alone(name, content))


def _shorten(name: str, content: str) -> str:
    return shorten(content, TITLE_LENGTH if name == "title" else SUMMARY_LENGTH)


def _read_alone(name: str, content: str) -> str:
    """A heading as extraction makes it: without what only answered somebody."""
    from memctl.extract import build  # here, because most changes leave the words as they are

    if name == "title":
        first_line = content.strip().split("\n", 1)[0]
        return build.make_headline(build.make_title(first_line)) or _shorten(name, content)
    return build.shorten(build.strip_lead_in(content), SUMMARY_LENGTH)
