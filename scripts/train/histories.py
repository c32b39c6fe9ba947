"""Invented histories: statements of questions over time, in projects of thirty questions.

A question has one to three values one after the other. Three to five statements tell of them, in
wordings that do not come twice: a change is mostly told as one and sometimes only stated. Near
statements that answer something else hold for good beside them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from slot_data import Slot, draw_change, draw_statement

PROJECT = 30
# How often a change is told in words of change.
_TOLD = 0.7


class Told(NamedTuple):
    """One statement: which question it answers, with which value, in which round."""

    text: str
    fact: str
    value: str
    round: int


def draw_histories(slots: Sequence[Slot], seed: int) -> list[list[Told]]:
    """The statements of projects, each question in one of them."""
    rng = random.Random(seed)
    mixed = rng.sample(slots, len(slots))
    starts = range(0, len(mixed) - PROJECT // 2, PROJECT)
    return [
        [told for slot in mixed[start : start + PROJECT] for told in _draw_history(slot, rng)]
        for start in starts
    ]


def _draw_history(slot: Slot, rng: random.Random) -> list[Told]:
    many = rng.choice((3, 4, 5, 5))
    values = rng.sample(slot.values, min(len(slot.values), rng.choice((1, 2, 2, 3))))
    cuts = sorted(rng.sample(range(1, many), min(len(values) - 1, many - 1)))
    states = rng.sample(slot.states, len(slot.states))
    changes = rng.sample(slot.changes, len(slot.changes))
    told, at = [], 0
    for round_ in range(many):
        is_change = round_ in cuts
        at += is_change
        if is_change and changes and rng.random() < _TOLD:
            text = slot.change(changes.pop(), values[at], values[at - 1])
        elif states:
            text = slot.state(states.pop(), values[at])
        else:
            continue
        told.append(Told(text, slot.name, values[at], round_))
    for near in rng.sample(slot.near, min(2, len(slot.near))):
        told.append(Told(near, f"{slot.name}: {near}", "", rng.randrange(5)))
    return told


def draw_answers(slots: Sequence[Slot], seed: int, many: int) -> list[tuple[str, str, bool, str]]:
    """Pairs of an older and a newer answer to one question: whether they are the same answer, and
    the question's name.
    """
    rng = random.Random(seed)
    pairs = []
    for slot in slots:
        for number in range(many):
            value, other = rng.sample(slot.values, 2)
            is_same = bool(number % 2)
            before = rng.choice(slot.values)
            if rng.random() < 0.35 and before != value and slot.changes:
                older = draw_change(slot, rng, value, before)
            else:
                older = draw_statement(slot, rng, value)
            if rng.random() < (0.1 if is_same else 0.5) and slot.changes:
                newer = draw_change(slot, rng, *((value, other) if is_same else (other, value)))
            else:
                newer = draw_statement(slot, rng, value if is_same else other)
            if older != newer:
                pairs.append((older, newer, is_same, slot.name))
    return pairs
