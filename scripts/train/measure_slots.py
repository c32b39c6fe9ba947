"""Measure how well vectors find changes: a pair of one slot with two values against other pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from slot_data import Slot, draw_change, draw_statement

# Shares of false links between random pairs of one project at which changes are counted.
FALSE_LINKS = (0.001, 0.0001)
_PAIRS_A_SLOT = 6
_STATEMENTS_A_SLOT = 6
# Slots of one theme stand together in the files: so many places apart are neighbours.
_NEIGHBOURS = 12


def draw_pairs(slots: Sequence[Slot], seed: int = 1) -> tuple[list[tuple[str, str]], list[Any]]:
    """Changes (older, newer) of each slot, and statements with the place of their slot."""
    rng = random.Random(seed)
    changes, statements = [], []
    for slot in slots:
        for _ in range(_PAIRS_A_SLOT):
            before, after = rng.sample(slot.values, 2)
            older = draw_statement(slot, rng, before)
            changes.append((older, draw_change(slot, rng, after, before)))
        for number in range(_STATEMENTS_A_SLOT):
            before, after = rng.sample(slot.values, 2)
            text = (
                draw_statement(slot, rng, after)
                if number % 2
                else draw_change(slot, rng, after, before)
            )
            statements.append((text, slot.place, False))
        statements += [(text, slot.place, True) for text in slot.near]
    return changes, statements


def measure(embed: Callable[[list[str]], Any], slots: Sequence[Slot]) -> dict[str, float]:
    """The share of changes found at each share of false links, among all and among neighbours."""
    changes, statements = draw_pairs(slots)
    older = embed([one for one, _ in changes])
    newer = embed([other for _, other in changes])
    cosines = (older * newer).sum(1)
    vectors = embed([text for text, _, _ in statements])
    places = np.array([place for _, place, _ in statements])
    near = np.array([flag for _, _, flag in statements])
    apart = np.triu(np.ones((len(places), len(places)), dtype=bool), 1)
    # A near statement answers another question than its own slot's statements do.
    apart &= (places[:, None] != places[None, :]) | (near[:, None] ^ near[None, :])
    themed = apart & (np.abs(places[:, None] - places[None, :]) <= _NEIGHBOURS)
    grid = vectors @ vectors.T
    found = {}
    for name, chosen in (("all", apart), ("theme", themed)):
        others = grid[chosen]
        for share in FALSE_LINKS:
            least = float(np.quantile(others, 1 - share))
            found[f"{name}@{share:g}"] = float((cosines >= least).mean())
            found[f"{name}-least@{share:g}"] = least
    return found
