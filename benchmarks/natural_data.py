"""The slots of the natural history, read from its text files.

A slot is a question with one answer at a time. Five lines are said about it, one a round; each
states a value, which the files call a, b, c. What stands beside a slot is of the same theme and
never changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent / "natural"
# The half that rules may be worked with, and the half that they were never shown.
HALVES = ("worked", "kept")
ROUNDS = 5
# How a line comes into the world: `rules` and `commit` are written down by hand, the others said in
# a session; `beside` holds for good.
FORMS = ("chat", "rules", "commit", "correction", "ellipse", "beside")
_TYPED = ("chat", "correction", "ellipse")


class SaidLine(NamedTuple):
    """One line: about which fact, with which value, in which round and how it was said."""

    fact: str
    value: str
    round: int
    form: str
    text: str

    @property
    def is_typed(self) -> bool:
        """Whether a person typed it to an agent."""
        return self.form in _TYPED


@dataclass
class NaturalSlot:
    """A question, its wordings, the five lines that answer it, and what stands beside it."""

    name: str
    domain: str
    questions: list[str] = field(default_factory=list)
    lines: list[SaidLine] = field(default_factory=list)
    beside: list[SaidLine] = field(default_factory=list)

    def at(self, round_: int) -> str:
        """The value at the end of a round."""
        return self.lines[round_ - 1].value

    def has_changed(self, round_: int) -> bool:
        """Whether it had another value before that of the end of a round."""
        return any(line.value != self.at(round_) for line in self.lines[:round_])


def load(path: Path) -> list[NaturalSlot]:
    """The slots of a file; raises ValueError that names the first line that is none of its form."""
    slots: list[NaturalSlot] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if line.startswith("#slot ") or (line.strip() and not line.startswith("#")):
            try:
                _take(line, slots)
            except (ValueError, IndexError) as error:
                raise ValueError(f"{path}:{number}: not a line of a slot: {line}") from error
    for slot in slots:
        if len(slot.lines) != ROUNDS or not slot.questions:
            raise ValueError(f"{path}: {slot.name} has no {ROUNDS} lines or no question")
    return slots


def _take(line: str, slots: list[NaturalSlot]) -> None:
    """Add one line of a file to the slot that it belongs to."""
    if line.startswith("#slot "):
        name, _, domain = line.removeprefix("#slot ").partition(" (")
        slots.append(NaturalSlot(name, domain.rstrip(")")))
        return
    slot = slots[-1]
    if line.startswith("? "):
        slot.questions.append(line[2:])
    elif line.startswith("="):
        number, text = line[1:].split(" ", 1)
        fact = f"{slot.name}, beside {len(slot.beside) + 1}"
        slot.beside.append(SaidLine(fact, "", int(number), "beside", text))
    else:
        head, text = line.split(" | ", 1)
        number, form, value = head.split()
        if int(number) != len(slot.lines) + 1 or form not in FORMS:
            raise ValueError(line)
        slot.lines.append(SaidLine(slot.name, value, int(number), form, text))


def lines_of(slots: Iterable[NaturalSlot], round_: int) -> list[SaidLine]:
    """Everything said in a round, the slots in their order."""
    return [line for slot in slots for line in _all(slot) if line.round == round_]


def find_value(slots: Sequence[NaturalSlot], fact: str, round_: int) -> str:
    """The value of a fact at the end of a round; what never changes has the empty one."""
    return next((slot.at(round_) for slot in slots if slot.name == fact), "")


def _all(slot: NaturalSlot) -> list[SaidLine]:
    return [*slot.lines, *slot.beside]
