"""A context as text: fenced, within its token budget, each line a record under its short id. Pure.

Kept true: stored text can neither close the fence nor start a line or a section of its own; the whole text, fence included, never costs
more than the budget; what was not given is counted; nothing to say is an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memctl.data import dataclass
from memctl.model import AGENT_CLAIMED, CONTEXT_NOTICE, FETCHED_TEXT, SENTINEL_CLOSE, SENTINEL_OPEN, Memory
from memctl.results import ContextItem, ContextSection

NOTICE = f"{CONTEXT_NOTICE} `memctl explain ID` shows where a line comes from."
# In the order in which they stand, each with its title and the share of the budget that it may take before the others had theirs.
SECTIONS: Mapping[str, tuple[str, float]] = {
    "profile": ("About the operator", 0.3),
    "project": ("What holds here", 0.35),
    "decisions": ("Decisions in force", 0.25),
    "task": ("For this task", 0.5),
    "episodes": ("Recent work", 0.15),
    "contradictions": ("Open contradictions: do not rely on either side", 0.15),
}
_FENCE = re.compile(r"<(?=[\s/]{0,8}memctl)", re.IGNORECASE)
_DOUBTS: Mapping[int, str] = {AGENT_CLAIMED: "claimed by an agent", FETCHED_TEXT: "from a fetched text, unverified"}
_UNSAID = ("constraint", "convention", "correction", "command", "workflow", "todo", "idea", "pointer", "fix")
_ATTRIBUTE = re.compile(r"[^\w .:/@+-]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One record to be said, strongest lines first in their list; `texts` are its forms, the fullest first."""

    section: str
    id: str
    short: str
    texts: tuple[str, ...]
    score: float | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Bundle:
    """The text and what it is made of; `left_out` counts the lines that found no room."""

    text: str
    sections: tuple[ContextSection, ...]
    tokens: int
    left_out: int


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


def tokens(text: str) -> int:
    """What a text costs."""
    return Cost.of(text).tokens


def compose(lines: Sequence[Line], budget: int, project: str | None = None) -> Bundle:
    """The lines that fit, strongest first, in the order of the sections; the same lines always give the same text."""
    head, foot = _head(project), SENTINEL_CLOSE + "\n"
    room = _Room(budget, Cost.of(head + foot))
    for shared in (True, False):
        for line in lines:
            room.take(line, shared)
    sections = _sections(lines, room.kept)
    if not sections:
        return Bundle("", (), 0, len(lines))
    text = head + "".join(_section_text(section) for section in sections) + foot
    return Bundle(text, sections, tokens(text), len(lines) - len(room.kept))


class _Room:
    """What is left of a budget, and which lines have been taken in, in which form."""

    def __init__(self, budget: int, spent: Cost) -> None:
        self.budget, self.spent = budget, spent
        self.kept: dict[str, str] = {}
        self.taken: dict[str, int] = {}

    def take(self, line: Line, shared: bool) -> None:
        """Take a line in, in the fullest form for which there is room; with `shared`, within its section's share."""
        taken = self.taken.get(line.section)
        heading = Cost.of(_heading(line.section)) if taken is None else Cost()
        share = SECTIONS[line.section][1] * self.budget if shared else self.budget
        for text in line.texts if line.id not in self.kept else ():
            cost = Cost.of(_line_text(line.short, text)) + heading
            if (self.spent + cost).tokens <= self.budget and (taken or 0) + cost.tokens <= share:
                self.kept[line.id], self.spent = text, self.spent + cost
                self.taken[line.section] = (taken or 0) + cost.tokens
                return


def clean(text: str) -> str:
    """Stored text as a part of one line: no control characters, no line breaks, no fence."""
    return _FENCE.sub("(", " ".join(_visible(text).split()))


def block(text: str) -> str:
    """Stored text as several lines that cannot be taken for the context's own: each is marked."""
    parts = (clean(part) for part in text.splitlines())
    return "\n".join(f"  | {part}" for part in parts if part)


def forms(memory: Memory, level: int, note: str | None = None, disputed_with: Sequence[str] = ()) -> tuple[str, ...]:
    """What may be said of a record, the form that the level asks for first and the shorter ones after it."""
    marks = [mark for mark in (note, _DOUBTS.get(memory.trust), _dispute(disputed_with)) if mark]
    tail = f" ({'; '.join(marks)})" if marks else ""
    kind = f"{memory.kind}: " if memory.kind in _UNSAID else ""
    title, summary = clean(memory.title), clean(memory.summary) or clean(memory.title) or clean(memory.content)
    others = f" Not chosen: {clean('; '.join(memory.alternatives))}." if memory.alternatives else ""
    full = f"{title or summary}{tail}\n{block(memory.content)}" if "\n" in memory.content.strip() else f"{clean(memory.content)}{tail}"
    by_level = (f"{kind}{title or summary}{tail}", f"{kind}{_reasoned(summary, memory)}{tail}", f"{kind}{_reasoned(full, memory)}{others}")
    return tuple(dict.fromkeys(by_level[level::-1]))


def _reasoned(said: str, memory: Memory) -> str:
    """What is said with its reason after it, unless it holds the reason already."""
    why = clean(memory.rationale or "")
    if not why or why.casefold().strip(" .") in " ".join(said.split()).casefold():
        return said
    return f"{_ended(said)} Because: {why}"


def _ended(sentence: str) -> str:
    """A sentence with a mark at its end, for another to follow."""
    return sentence if sentence.endswith((".", "!", "?", "…", ":", ";")) else f"{sentence}."


def _dispute(others: Sequence[str]) -> str | None:
    return f"disputed by {', '.join(f'[{short}]' for short in others)}" if others else None


def _visible(text: str) -> str:
    """The text without format and control characters, which could hide a fence or forge a line."""
    if text.isascii() and text.isprintable():
        return text
    import unicodedata  # here, because plain ASCII has no need of its tables

    return "".join(" " if kind == "Cc" else char for char in text if (kind := unicodedata.category(char)) not in ("Cf", "Cs", "Co", "Cn"))


def _head(project: str | None) -> str:
    name = _ATTRIBUTE.sub(" ", clean(project))[:80].strip() if project else ""
    return f'{SENTINEL_OPEN} version="1"{f" project={chr(34)}{name}{chr(34)}" if name else ""}>\n{NOTICE}\n'


def _sections(lines: Sequence[Line], kept: Mapping[str, str]) -> tuple[ContextSection, ...]:
    made = []
    for name, (title, _) in SECTIONS.items():
        items = tuple(_item(line, kept[line.id]) for line in lines if line.section == name and line.id in kept)
        if items:
            made.append(ContextSection(name, title, items))
    return tuple(made)


def _item(line: Line, text: str) -> ContextItem:
    return ContextItem(line.id, line.short, text, tokens(_line_text(line.short, text)), line.score, line.why)


def _section_text(section: ContextSection) -> str:
    return _heading(section.name) + "".join(_line_text(item.short, item.text) for item in section.items)


def _heading(section: str) -> str:
    return f"\n## {SECTIONS[section][0]}\n"


def _line_text(short: str, text: str) -> str:
    return f"- [{short}] {text}\n"
