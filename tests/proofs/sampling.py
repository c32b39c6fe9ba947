"""How many operations a proof tries: a seeded sample, or every one.

`PROVE_EVERY=1` and `PROVE_SEED=N` are read before the tests' empty house takes them away.
"""

from __future__ import annotations

import itertools
import os
import random

EVERY = bool(os.environ.get("PROVE_EVERY"))
SEED = os.environ.get("PROVE_SEED", "12")


def choose(name: str, count: int, wanted: int) -> list[int]:
    """Choose operations out of 1 to `count`: the first and the last, and some between."""
    if EVERY or count <= wanted:
        return list(range(1, count + 1))
    dice = random.Random(f"{SEED} {name}")
    # One of each stretch, so that no part of a command is passed over.
    edges = [1 + count * part // wanted for part in range(wanted + 1)]
    return [dice.randrange(low, max(high, low + 1)) for low, high in itertools.pairwise(edges)]


def split(places: list[int], wanted: int) -> list[list[int]]:
    """Split operations into rounds that begin with a fresh store.

    A sample is one round, because an early cut leaves work for the next; of all operations, each
    is a round of its own.
    """
    return [[place] for place in places] if EVERY else [places[:wanted]]
