"""Read notes in Markdown without speakers, such as meeting notes or a page of decisions.

This reader is the least sure of all. It claims only text with a heading, a list or front matter. A
section is a turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, make_digest_id
from memctl.readers.text_document import TextDocument, decode_head, parse_document, read_document
from memctl.readers.turns import Turns
from memctl.readers.values import as_name, parse_time
from memctl.text.markdown_lines import HEADING, LIST_ITEM, classify_lines


class MarkdownNotes:
    """Reader of notes."""

    name: ClassVar[str] = "markdown-notes"
    agent: ClassVar[str] = "notes"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Return just enough to be chosen when no other reader knows the text."""
        page = parse_document(decode_head(head))
        kinds = Counter(line.kind for line in classify_lines(page.lines))
        has_structure = page.front_matter or kinds[HEADING] or kinds[LIST_ITEM] >= 2
        return 0.35 if has_structure else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one page of the file."""
        page = read_document(source)
        turns = Turns()
        for heading, line, text in _split_sections(page):
            turns.add(
                "human", "text", text, line=line, data={"heading": heading} if heading else None
            )
        yield Transcript(
            format=MarkdownNotes.name,
            agent=MarkdownNotes.agent,
            session_id=_make_session_id(source, page),
            turns=turns.collect(),
            title=as_name(page.get_value("title")) or _find_first_heading(page),
            started_at=parse_time(page.get_value("date")),
            unknown=dict(source.unknown),
        )


READER = MarkdownNotes()


def _split_sections(page: TextDocument) -> Iterator[tuple[str | None, int, str]]:
    """Yield heading, number of the first line with words, and text of each section."""
    heading: str | None = None
    body: list[str] = []
    first_line = page.first_line
    for number, line in enumerate(classify_lines(page.lines), page.first_line):
        if line.kind == HEADING:
            yield heading, first_line, "\n".join(body)
            heading, body = line.content, []
            continue
        if not body:
            first_line = number
        if body or line.text.strip():
            body.append(line.text)
    yield heading, first_line, "\n".join(body)


def _find_first_heading(page: TextDocument) -> str | None:
    headings = (line.content for line in classify_lines(page.lines) if line.kind == HEADING)
    return next((as_name(heading) for heading in headings), None)


def _make_session_id(source: Input, page: TextDocument) -> str:
    """Return the file's name, or a digest of the beginning of piped text."""
    if source.path is not None:
        return f"notes-{source.path.stem}"
    return make_digest_id("notes", "\n".join(page.lines).strip()[:400])
