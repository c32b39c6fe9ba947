"""A context as text: fenced, within its token budget, each line a record under its short id. Pure.

Kept true: the whole text, fence included, never costs more than the budget; what was not given is
counted; nothing to say is an empty text; what no section of the phase names is not said. What
stored text may do to the text around it is taken care of in `layout`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.core.model import AGENT_CLAIMED, FETCHED_TEXT, Memory
from memctl.results.retrieval import ContextItem, ContextSection
from memctl.retrieve.layout import LAYOUTS, Layout, clean_line, format_block
from memctl.retrieve.phases import TITLES, USUAL, Phase
from memctl.retrieve.wording import drop_lead_in

# What is said of records that are hardly trusted.
_DOUBTS: Mapping[int, str] = {
    AGENT_CLAIMED: "claimed by an agent",
    FETCHED_TEXT: "from a fetched text, unverified",
}
# Below this confidence a record is told as unsure. Chosen by hand; what is extracted or approved
# has more.
_UNSURE_BELOW = 0.4
# Letters of a word that are looked for at least; others may be an ending. Chosen by hand.
_SHORTEST_STEM = 4
# So many pinned records without room are named.
_MOST_NAMED = 5
# Kinds that the text of a record often does not say: they stand before it.
_SAID_KINDS = (
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
    fullest first. `pinned` ones must be said, and a `rule` too: where they find no room, they are
    named. `newer` is a record that may replace it; one that stands only `beside` another follows it
    where everything else has found its room. `memory` is the record itself.
    """

    section: str
    id: str
    short: str
    texts: tuple[str, ...]
    score: float | None = None
    why: str | None = None
    pinned: bool = False
    rule: bool = False
    newer: str | None = None
    beside: str | None = None
    memory: Memory | None = None

    @property
    def must_stand(self) -> bool:
        """Whether it is named where it finds no room."""
        return (self.pinned or self.rule) and self.beside is None


@dataclass(frozen=True, slots=True)
class Bundle:
    """The text and what it is made of; `left_out` counts the lines that found no room, `unsaid`
    names the pinned ones among them and `rules_unsaid` the other rules.
    """

    text: str
    sections: tuple[ContextSection, ...]
    tokens: int
    left_out: int
    unsaid: tuple[str, ...] = ()
    rules_unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """Characters of a text, which add up where tokens do not."""

    plain: int = 0
    other: int = 0

    @classmethod
    def measure(cls, text: str) -> Cost:
        """Measure a text."""
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
    return Cost.measure(text).tokens


def compose_bundle(
    lines: Sequence[Line],
    budget: int,
    project: str | None = None,
    *,
    phase: Phase = USUAL,
    format_: str = "markdown",
    notice: str | None = None,
) -> Bundle:
    """The lines that fit, strongest first, in the order of the phase's sections; the same lines
    always give the same text.

    Where something pinned finds no room, the text says so at its end. A notice comes last.
    """
    layout = LAYOUTS[format_]
    end = (layout.remark(clean_line(notice)) if notice else "") + layout.foot
    frame = layout.head(project) + end
    filled = _fill(lines, budget, phase, layout, frame)
    if filled.list_omitted(lines):
        # Leave room for the longest remark that there could be.
        named = sorted(
            (line for line in lines if line.must_stand), key=lambda line: -len(line.short)
        )
        remark = _format_omission(named, layout)
        filled = _fill(lines, budget, phase, layout, frame + remark)
    omitted = filled.list_omitted(lines)
    pinned_ids = tuple(line.id for line in omitted if line.pinned)
    rule_ids = tuple(line.id for line in omitted if not line.pinned)
    sections = filled.build_sections(lines)
    if not sections and not (notice and count_tokens(frame) <= budget):
        return Bundle("", (), 0, len(lines), pinned_ids, rule_ids)
    parts = [_format_section(section, layout) for section in sections]
    text = "".join([layout.head(project), *parts, _format_omission(omitted, layout), end])
    left_out = sum(line.beside is None and line.id not in filled.texts for line in lines)
    return Bundle(text, sections, count_tokens(text), left_out, pinned_ids, rule_ids)


class _FilledBudget:
    """Which lines have been taken in, in which form (`texts` by id), and what that costs."""

    def __init__(self, budget: int, phase: Phase, layout: Layout, spent: Cost) -> None:
        self.budget, self.phase, self.layout, self.spent = budget, phase, layout, spent
        self.texts: dict[str, str] = {}
        self.tokens_of_section: dict[str, int] = {}

    def take_line(self, line: Line, shared: bool) -> None:
        """Take a line in, in the fullest form for which there is room.

        With `shared`, within its section's share.
        """
        if line.section not in self.phase or line.id in self.texts:
            return
        taken = self.tokens_of_section.get(line.section, 0)
        frame = Cost()
        if line.section not in self.tokens_of_section:
            opening = _format_opening(line.section, self.layout)
            frame = Cost.measure(opening + self.layout.closing)
        share = self.phase[line.section].share * self.budget if shared else self.budget
        for text in line.texts:
            cost = Cost.measure(self.layout.line(line.short, text)) + frame
            if (self.spent + cost).tokens <= self.budget and taken + cost.tokens <= share:
                self.texts[line.id], self.spent = text, self.spent + cost
                self.tokens_of_section[line.section] = taken + cost.tokens
                return

    def list_omitted(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that must stand and found no room; a rule of another phase is not missed."""
        return [
            line
            for line in lines
            if line.id not in self.texts
            and line.must_stand
            and (line.pinned or line.section in self.phase)
        ]

    def build_sections(self, lines: Sequence[Line]) -> tuple[ContextSection, ...]:
        """The sections of the phase that have a line, in order."""
        sections = []
        for name in self.phase:
            items = tuple(
                self._build_item(line)
                for line in _put_beside(lines)
                if line.section == name and line.id in self.texts
            )
            if items:
                sections.append(ContextSection(name, TITLES[name], items))
        return tuple(sections)

    def _build_item(self, line: Line) -> ContextItem:
        text = self.texts[line.id]
        tokens = count_tokens(self.layout.line(line.short, text))
        item = ContextItem(
            line.id, line.short, text, tokens, line.score, line.why, line.newer, line.beside
        )
        memory = line.memory
        if memory is None:
            return item
        return replace(
            item,
            type=memory.type,
            kind=memory.kind,
            scope=memory.scope,
            trust=memory.trust,
            confidence=memory.confidence,
            source=memory.source_ref,
            evidence=memory.evidence_ref,
        )


def _fill(
    lines: Sequence[Line], budget: int, phase: Phase, layout: Layout, frame: str
) -> _FilledBudget:
    """Fill a budget with lines: first within the share of each section, then with what is left;
    what stands only beside another line gets what nothing else needs.
    """
    filled = _FilledBudget(budget, phase, layout, Cost.measure(frame))
    own = [line for line in lines if line.beside is None]
    for shared in (True, False):
        for line in own:
            filled.take_line(line, shared)
    for line in lines:
        if line.beside in filled.texts:
            filled.take_line(line, False)
    return filled


def _put_beside(lines: Sequence[Line]) -> list[Line]:
    """The lines in order, each followed by what stands only beside it."""
    beside: dict[str, list[Line]] = {}
    for line in lines:
        if line.beside is not None:
            beside.setdefault(line.beside, []).append(line)
    if not beside:
        return list(lines)
    own = (line for line in lines if line.beside is None)
    return [each for line in own for each in (line, *beside.get(line.id, ()))]


def _format_omission(omitted: Sequence[Line], layout: Layout) -> str:
    """What is said of the pinned records and the rules that found no room."""
    pinned = [line for line in omitted if line.pinned]
    rules = [line for line in omitted if not line.pinned]
    parts = [
        f"{len(lines)} {what}: {_name_lines(lines)}"
        for lines, what in ((pinned, "pinned"), (rules, "rules that hold here"))
        if lines
    ]
    return layout.remark(f"no room for {' and '.join(parts)}") if parts else ""


def _name_lines(lines: Sequence[Line]) -> str:
    names = ", ".join(f"[{line.short}]" for line in lines[:_MOST_NAMED])
    return f"{names} ..." if len(lines) > _MOST_NAMED else names


def list_forms(
    memory: Memory, level: int, note: str | None = None, disputed_with: Sequence[str] = ()
) -> tuple[str, ...]:
    """What may be said of a record, the form that the level asks for first and the shorter ones
    after it.
    """
    origin = clean_line(memory.describe_origin() or "")
    unsure = "unsure" if memory.confidence < _UNSURE_BELOW else None
    doubt = _DOUBTS.get(memory.trust)
    marks = [note, origin, doubt, unsure, _format_dispute(disputed_with)]
    tail = "; ".join(mark for mark in marks if mark)
    tail = f" ({tail})" if tail else ""
    kind = f"{memory.kind}: " if memory.kind in _SAID_KINDS else ""
    title = clean_line(memory.title)
    content = drop_lead_in(clean_line(memory.content), title)
    summary = drop_lead_in(clean_line(memory.summary), title) or title or content
    if _names_more(title, f"{summary} {memory.content}"):
        # The title was chosen, and is told whatever else is told.
        summary = f"{title.rstrip(' .:')}: {summary}"
        content = f"{title.rstrip(' .:')}: {content}"
    if "\n" in memory.content.strip():
        full = f"{title or summary}{tail}\n{format_block(memory.content)}"
    else:
        full = f"{content}{tail}"
    full = _add_reason(full, memory)
    if memory.alternatives:
        others = clean_line("; ".join(memory.alternatives))
        full = f"{_end_sentence(full)} Not chosen: {others}."
    by_level = (
        f"{kind}{title or summary}{tail}",
        f"{kind}{_add_reason(summary, memory)}{tail}",
        f"{kind}{full}",
    )
    return tuple(dict.fromkeys(by_level[level::-1]))


def _names_more(title: str, text: str) -> bool:
    """Whether a title was chosen, not taken from the text: some of its words are not in there, in
    whatever form.
    """
    if title.rstrip(" .…") in text:
        return False
    words = {word.strip(".,:;!?…'\"()").casefold() for word in title.split()}
    known = text.casefold()
    return any(word and word[: max(_SHORTEST_STEM, len(word) - 2)] not in known for word in words)


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


def _format_section(section: ContextSection, layout: Layout) -> str:
    return (
        _format_opening(section.name, layout)
        + "".join(layout.line(item.short, item.text) for item in section.items)
        + layout.closing
    )


def _format_opening(section: str, layout: Layout) -> str:
    return layout.opening(section, TITLES[section])
