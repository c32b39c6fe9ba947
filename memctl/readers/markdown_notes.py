"""Notes in Markdown without speakers: meeting notes, a page of decisions, whatever the operator pipes in.

It claims least of all readers, and only what has Markdown's structure: a heading, a list, front matter. A section is a turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import make_digest_id
from memctl.readers.turns import Turns
from memctl.readers.values import as_name, parse_time
from memctl.readers.text_document import (HEADING, LIST_ITEM, Document, document, document_of, head_text, outside_fences)


class MarkdownNotes:
    """Reads notes."""

    name: ClassVar[str] = "markdown-notes"
    agent: ClassVar[str] = "notes"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Just enough to be believed when nobody else knows the text."""
        page = document_of(head_text(head))
        outside = [line for _, line, free in outside_fences(page.lines) if free]
        has_heading = any(HEADING.match(line) for line in outside)
        items = sum(1 for line in outside if LIST_ITEM.match(line))
        return 0.35 if page.front or has_heading or items >= 2 else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one page of the file."""
        page = document(source)
        turns = Turns()
        for heading, line, text in _sections(page):
            turns.add(
                "human", "text", text, line=line, data={"heading": heading} if heading else None
            )
        yield Transcript(
            format=MarkdownNotes.name,
            agent=MarkdownNotes.agent,
            session_id=_session_id(source, page),
            turns=turns.collect(),
            title=as_name(page.value("title")) or _first_heading(page),
            started_at=parse_time(page.value("date")),
            unknown=dict(source.unknown),
        )


READER = MarkdownNotes()


def _sections(page: Document) -> Iterator[tuple[str | None, int, str]]:
    """Heading, line number and text of each section."""
    heading: str | None = None
    held: list[str] = []
    line = page.first
    for place, text, free in outside_fences(page.lines):
        found = HEADING.fullmatch(text.rstrip()) if free else None
        if found is None:
            if not held:
                line = page.first + place
            if held or text.strip():
                held.append(text)
            continue
        yield heading, line, "\n".join(held)
        heading, held = found[1].rstrip("# "), []
    yield heading, line, "\n".join(held)


def _first_heading(page: Document) -> str | None:
    found = (
        HEADING.fullmatch(line.rstrip()) for _, line, free in outside_fences(page.lines) if free
    )
    return next((as_name(match[1].rstrip("# ")) for match in found if match), None)


def _session_id(source: Input, page: Document) -> str:
    """The file's name, or the beginning of what was piped in."""
    if source.path is not None:
        return f"notes-{source.path.stem}"
    return make_digest_id("notes", "\n".join(page.lines).strip()[:400])
