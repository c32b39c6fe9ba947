"""MEMORY.md put together: title, sections, a person's lines in their places, the diary. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.journal import memory_lines
from memctl.journal.inert_markdown import make_inert, make_inert_name
from memctl.journal.memory_lines import DocumentLine
from memctl.results.journal import DiaryEntry
from memctl.retrieve.bundle import count_tokens
from memctl.text import sealed_notes

# The share of the budget that the diary takes at most, and how many entries it has. By hand.
_DIARY_SHARE = 0.15
_MOST_ENTRIES = 12
_WORDS_LENGTH = 60
_WHY_LENGTH = 120


@dataclass(frozen=True, slots=True)
class DocumentParts:
    """What a document is put together from: the place's name (None: everywhere), the day of the
    version and its id, the lines of records, a person's blocks, the diary (newest first) and the
    frames that the person took out.
    """

    name: str | None
    day: str
    version: str
    lines: Sequence[DocumentLine]
    blocks: Sequence[DocumentLine]
    diary: Sequence[DiaryEntry]
    removed_frames: frozenset[str]


def estimate_frame(name: str | None, blocks: Iterable[DocumentLine]) -> int:
    """What title, seal and a person's own lines cost, in tokens."""
    parts = DocumentParts(name, "30 November 2026", "0" * 26, (), tuple(blocks), (), frozenset())
    return count_tokens(memory_lines.render(compose_document(parts, {}, 0)))


def count_diary_tokens(budget: int) -> int:
    """What the diary may cost of a budget."""
    return int(budget * _DIARY_SHARE)


def compose_document(
    parts: DocumentParts, shorts: Mapping[str, str], diary_tokens: int
) -> list[DocumentLine]:
    """Put a document together; the same parts always give the same lines."""
    lines = [*_compose_top(parts)]
    for section in memory_lines.SECTIONS[:-1]:
        lines += _compose_section(section, parts)
    lines += _compose_diary(parts, shorts, diary_tokens)
    seal = sealed_notes.compose_seal(sealed_notes.MEMORY, parts.version)
    return [*lines, _frame(memory_lines.CHANGES, ""), _frame(memory_lines.CHANGES, seal)]


def _frame(section: str, text: str) -> DocumentLine:
    return DocumentLine(memory_lines.FRAME, section, text)


def _compose_top(parts: DocumentParts) -> Iterator[DocumentLine]:
    title = (
        f"# What is remembered of {make_inert_name(parts.name)}"
        if parts.name
        else ("# What is remembered everywhere")
    )
    about = (
        f"As of {parts.day}. Behind each line stands its record: `memctl show ID`, "
        "`memctl explain ID`."
    )
    for text in (title, "", about):
        if text not in parts.removed_frames:
            yield _frame(memory_lines.TOP, text)
    yield from _place_blocks(memory_lines.TOP, parts.blocks)


def _place_blocks(section: str, blocks: Iterable[DocumentLine]) -> Iterator[DocumentLine]:
    for block in blocks:
        if block.section == section:
            yield _frame(section, "")
            yield block


def _compose_section(section: str, parts: DocumentParts) -> Iterator[DocumentLine]:
    """A heading, its lines by group, then what the person wrote there."""
    lines = [line for line in parts.lines if line.section == section]
    blocks = [*_place_blocks(section, parts.blocks)]
    if not lines and not blocks:
        return
    yield from (_frame(section, ""), _frame(section, f"## {memory_lines.TITLES[section]}"))
    if lines:
        yield _frame(section, "")
    topic = ""
    for number, line in enumerate(lines):
        if line.topic != topic:
            topic = line.topic
            gap = [_frame(section, "")] if number else []
            yield from (*gap, _frame(section, f"{topic}:"), _frame(section, ""))
        yield line
    yield from blocks


def _compose_diary(
    parts: DocumentParts, shorts: Mapping[str, str], tokens: int
) -> Iterator[DocumentLine]:
    """The newest entries that fit; of records that the document no longer says, ids alone."""
    section = memory_lines.CHANGES
    blocks = [*_place_blocks(section, parts.blocks)]
    shown = [*_fit_entries(parts, shorts, tokens)]
    if not shown and not blocks:
        return
    yield from (_frame(section, ""), _frame(section, f"## {memory_lines.TITLES[section]}"))
    if shown:
        yield _frame(section, "")
    yield from shown
    yield from blocks


def _fit_entries(
    parts: DocumentParts, shorts: Mapping[str, str], tokens: int
) -> Iterator[DocumentLine]:
    told = {each for line in parts.lines for each in line.ids}
    for entry in parts.diary[:_MOST_ENTRIES]:
        text = word_entry(entry, told, shorts)
        tokens -= count_tokens(text + "\n")
        if tokens < 0:
            return
        yield DocumentLine(memory_lines.DIARY, memory_lines.CHANGES, text, entry.ids)


def word_entry(entry: DiaryEntry, told: set[str], shorts: Mapping[str, str]) -> str:
    """One entry as a line: the words of a record only as long as the document says it."""
    names = " ".join(f"`{shorts.get(each, each)}`" for each in entry.ids[:1])
    words = make_inert(entry.text, _WORDS_LENGTH) if told & {*entry.ids[:1]} else ""
    what = " ".join(filter(None, (entry.change, f"“{words}”" if words else "", names)))
    why = f": {make_inert(entry.why, _WHY_LENGTH)}" if entry.why else ""
    return f"- {entry.day}: {what}{why}"
