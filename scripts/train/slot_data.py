"""Read the invented questions that the pair reader is trained on, and divide them into folds.

A slot is a question that a fact answers. `slots/slots_*.txt` give each slot its values (`v`), and
wordings that state a value (`s`), that tell a change (`c`), that ask (`q`), and near statements
that answer something else (`d`); `{v}` stands for the value and `{o}` for the one before.
`slots/templates.txt` has a slot a line: `name|values|nouns|topic|wordings`. `slots/subjects.txt`
and `slots/properties.txt` make slots of one subject (`{S}`), of which several things can be said at
once: they are for training alone.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

# Parts that the slots are divided into; one is left out of a training.
FOLDS = 3
FOLDER = Path(__file__).parent / "slots"
# How a template's slot tells of a change, around its nouns.
TEMPLATE_CHANGES = (
    "{v} is our {noun} now",
    "We moved from {o} to {v} as the {noun}",
    "The {noun} changed to {v}",
    "The {noun} is {v} instead of {o} from now on",
    "{v} replaces {o}: {noun}",
)


@dataclass
class Slot:
    """One question: its values, wordings, and near statements; `place` orders slots by theme."""

    name: str
    place: int
    values: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)

    def state(self, wording: str, value: str) -> str:
        """A wording with its value."""
        return wording.replace("{v}", value)

    def change(self, wording: str, value: str, before: str) -> str:
        """A wording of a change from one value to another."""
        return wording.replace("{v}", value).replace("{o}", before)


def read_slots(folder: Path = FOLDER) -> list[Slot]:
    """All slots, in the order of the files."""
    slots: list[Slot] = []
    for path in sorted(folder.glob("slots_*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            mark, _, rest = line.partition(" ")
            if mark == "#slot":
                slots.append(Slot(f"{path.stem}:{rest}", len(slots)))
            elif mark == "v":
                slots[-1].values = rest.split("|")
            elif mark in _LISTS:
                getattr(slots[-1], _LISTS[mark]).append(rest)
    for line in (folder / "templates.txt").read_text(encoding="utf-8").splitlines():
        slots.append(_read_template(line, len(slots)))
    return slots


_LISTS = {"s": "states", "c": "changes", "q": "asks", "d": "near"}


def _read_template(line: str, place: int) -> Slot:
    name, values, nouns, topic, wordings = line.split("|")
    slot = Slot(f"templates:{name}", place, values.split(","), wordings.split("~"))
    for noun in nouns.split(";"):
        slot.states.append(f"The {noun} is {{v}}")
        slot.changes += [wording.replace("{noun}", noun) for wording in TEMPLATE_CHANGES]
        slot.asks.append(f"What is the {noun} for {topic}?")
    return slot


def draw_statement(slot: Slot, rng: random.Random, value: str) -> str:
    """A statement of the value."""
    return slot.state(rng.choice(slot.states), value)


def draw_change(slot: Slot, rng: random.Random, value: str, before: str) -> str:
    """A sentence that tells that the value changed."""
    return slot.change(rng.choice(slot.changes), value, before)


def divide(slots: list[Slot], groups: list[int], folds: int) -> list[int]:
    """The fold of each slot; slots of one group (nearly the same question) share a fold."""
    names = sorted(set(groups))
    random.Random("folds").shuffle(names)
    fold_of = {group: i % folds for i, group in enumerate(names)}
    return [fold_of[group] for group in groups]


def draw_properties(rng: random.Random, subjects: int, properties: int) -> list[Slot]:
    """Slots of a few subjects, of each of which several things are said."""
    names = (FOLDER / "subjects.txt").read_text(encoding="utf-8").splitlines()
    lines = (FOLDER / "properties.txt").read_text(encoding="utf-8").splitlines()
    slots = []
    for subject in rng.sample(names, subjects):
        for line in rng.sample(lines, properties):
            name, values, states, changes = line.split("|")
            said = [
                [_begin(one.replace("{S}", subject), rng) for one in some.split("~")]
                for some in (states, changes)
            ]
            slots.append(Slot(f"{subject}:{name}", -1 - len(slots), values.split(";"), *said))
    return slots


def _begin(wording: str, rng: random.Random) -> str:
    """A wording with or without a capital."""
    return wording[0].upper() + wording[1:] if rng.random() < 0.7 else wording
