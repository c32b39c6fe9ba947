"""A context as text: fenced, within its token budget, each line a record under its short id. Pure.

Kept true: the whole text, fence included, never costs more than the budget; what was not given is
counted; nothing to say is an empty text; what no section of the phase names is not said. What
stored text may do to the text around it is taken care of in `layout`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.model import AGENT_CLAIMED, FETCHED_TEXT, Memory
from memctl.results.retrieval import ContextItem, ContextSection
from memctl.retrieve.layout import LAYOUTS, Layout, clean_line, format_block
from memctl.retrieve.phases import TITLES, USUAL, Phase

_DOUBTS: Mapping[int, str] = {
    AGENT_CLAIMED: "claimed by an agent",
    FETCHED_TEXT: "from a fetched text, unverified",
}
# So many pinned records without room are named.
_NAMED = 5
_UNSAID = (
    "constraint",
    "convention",
    "correction",
    "command",
    "workflow",
    "todo",
    "idea",
    "pointer",
    "fix",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One record to be said, the strongest first in their list; `texts` are its forms, the
    fullest first. `pinned` ones must be said.
    """

    section: str
    id: str
    short: str
    texts: tuple[str, ...]
    score: float | None = None
    why: str | None = None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Bundle:
    """The text and what it is made of; `left_out` counts the lines that found no room, `unsaid`
    names the pinned ones among them.
    """

    text: str
    sections: tuple[ContextSection, ...]
    tokens: int
    left_out: int
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """Characters of a text, which add up where tokens do not."""

    plain: int = 0
    other: int = 0

    @classmethod
    def of(cls, text: str) -> Cost:
        """The cost of a text."""
        plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
        return cls(plain, len(text) - plain)

    def __add__(self, more: Cost) -> Cost:
        return Cost(self.plain + more.plain, self.other + more.other)

    @property
    def tokens(self) -> int:
        """Four ASCII characters a token, every other character one."""
        return -(-self.plain // 4) + self.other


def count_tokens(text: str) -> int:
    """What a text costs."""
    return Cost.of(text).tokens


def compose_bundle(
    lines: Sequence[Line],
    budget: int,
    project: str | None = None,
    *,
    phase: Phase = USUAL,
    format_: str = "markdown",
) -> Bundle:
    """The lines that fit, strongest first, in the order of the phase's sections; the same lines
    always give the same text.

    Where something pinned finds no room, the text says so at its end.
    """
    layout = LAYOUTS[format_]
    room = _fill(lines, _Budget(budget, phase, layout, Cost.of(layout.head(project) + layout.foot)))
    if _list_omitted_pinned(lines, room):
        # The longest that there could be to say of it.
        longest = _format_omission(
            sorted((line for line in lines if line.pinned), key=lambda line: -len(line.short)),
            layout,
        )
        room = _fill(
            lines,
            _Budget(budget, phase, layout, Cost.of(layout.head(project) + layout.foot + longest)),
        )
    remark = _format_omission(_list_omitted_pinned(lines, room), layout)
    sections, unsaid = (
        _build_sections(lines, room),
        tuple(line.id for line in _list_omitted_pinned(lines, room)),
    )
    if not sections:
        return Bundle("", (), 0, len(lines), unsaid)
    text = (
        layout.head(project)
        + "".join(_format_section(section, layout) for section in sections)
        + remark
        + layout.foot
    )
    return Bundle(text, sections, count_tokens(text), len(lines) - len(room.kept), unsaid)


def _fill(lines: Sequence[Line], room: _Budget) -> _Budget:
    """A budget filled with lines: first within the share of each section, then with what is
    left.
    """
    for shared in (True, False):
        for line in lines:
            room.take(line, shared)
    return room


def _list_omitted_pinned(lines: Sequence[Line], room: _Budget) -> list[Line]:
    return [line for line in lines if line.pinned and line.id not in room.kept]


def _format_omission(unsaid: Sequence[Line], layout: Layout) -> str:
    """What is said of the pinned records that found no room."""
    if not unsaid:
        return ""
    named = ", ".join(f"[{line.short}]" for line in unsaid[:_NAMED])
    return layout.remark(
        f"no room for {len(unsaid)} pinned: {named}{' ...' if len(unsaid) > _NAMED else ''}"
    )


class _Budget:
    """What is left of a budget, and which lines have been taken in, in which form."""

    def __init__(self, budget: int, phase: Phase, layout: Layout, spent: Cost) -> None:
        self.budget, self.phase, self.layout, self.spent = budget, phase, layout, spent
        self.kept: dict[str, str] = {}
        self.taken: dict[str, int] = {}

    def take(self, line: Line, shared: bool) -> None:
        """Take a line in, in the fullest form for which there is room; with `shared`, within its
        section's share.
        """
        if line.section not in self.phase or line.id in self.kept:
            return
        taken = self.taken.get(line.section)
        frame = (
            Cost.of(_format_opening(line.section, self.layout) + self.layout.closing)
            if taken is None
            else Cost()
        )
        share = self.phase[line.section].share * self.budget if shared else self.budget
        for text in line.texts:
            cost = Cost.of(self.layout.line(line.short, text)) + frame
            if (self.spent + cost).tokens <= self.budget and (taken or 0) + cost.tokens <= share:
                self.kept[line.id], self.spent = text, self.spent + cost
                self.taken[line.section] = (taken or 0) + cost.tokens
                return


def list_forms(
    memory: Memory, level: int, note: str | None = None, disputed_with: Sequence[str] = ()
) -> tuple[str, ...]:
    """What may be said of a record, the form that the level asks for first and the shorter ones
    after it.
    """
    marks = [
        mark for mark in (note, _DOUBTS.get(memory.trust), _format_dispute(disputed_with)) if mark
    ]
    tail = f" ({'; '.join(marks)})" if marks else ""
    kind = f"{memory.kind}: " if memory.kind in _UNSAID else ""
    title, summary = (
        clean_line(memory.title),
        clean_line(memory.summary) or clean_line(memory.title) or clean_line(memory.content),
    )
    others = (
        f" Not chosen: {clean_line('; '.join(memory.alternatives))}." if memory.alternatives else ""
    )
    full = (
        f"{title or summary}{tail}\n{format_block(memory.content)}"
        if "\n" in memory.content.strip()
        else f"{clean_line(memory.content)}{tail}"
    )
    whole = _add_reason(full, memory)
    by_level = (
        f"{kind}{title or summary}{tail}",
        f"{kind}{_add_reason(summary, memory)}{tail}",
        f"{kind}{_end_sentence(whole) if others else whole}{others}",
    )
    return tuple(dict.fromkeys(by_level[level::-1]))


def _add_reason(said: str, memory: Memory) -> str:
    """What is said with its reason after it, unless it holds the reason already."""
    why = clean_line(memory.rationale or "")
    if not why or why.casefold().strip(" .") in " ".join(said.split()).casefold():
        return said
    return f"{_end_sentence(said)} Because: {why}"


def _end_sentence(sentence: str) -> str:
    """A sentence with a mark at its end, for another to follow."""
    return sentence if sentence.endswith((".", "!", "?", "…", ":", ";")) else f"{sentence}."


def _format_dispute(others: Sequence[str]) -> str | None:
    return f"disputed by {', '.join(f'[{short}]' for short in others)}" if others else None


def _build_sections(lines: Sequence[Line], room: _Budget) -> tuple[ContextSection, ...]:
    made = []
    for name in room.phase:
        items = tuple(
            _build_item(line, room)
            for line in lines
            if line.section == name and line.id in room.kept
        )
        if items:
            made.append(ContextSection(name, TITLES[name], items))
    return tuple(made)


def _build_item(line: Line, room: _Budget) -> ContextItem:
    text = room.kept[line.id]
    return ContextItem(
        line.id,
        line.short,
        text,
        count_tokens(room.layout.line(line.short, text)),
        line.score,
        line.why,
    )


def _format_section(section: ContextSection, layout: Layout) -> str:
    return (
        _format_opening(section.name, layout)
        + "".join(layout.line(item.short, item.text) for item in section.items)
        + layout.closing
    )


def _format_opening(section: str, layout: Layout) -> str:
    return layout.opening(section, TITLES[section])
