"""Measure how well vectors find changes: a pair of one slot with two values against other pairs.

Runs a trained low-rank path in the kernel, on the slots that its fold left out and, beside it, on
as many of those it was trained on.

    python measure_slots.py fold0.npz --fold 0
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pack_path import pack
from slot_data import FOLDS, Slot, divide, draw_change, draw_statement, read_slots

sys.path.insert(0, str(Path(__file__).parents[2]))

from memctl.embed import Embedder, find_embedder, kernel
from memctl.embed.minilm import MiniLM

# Shares of false links between random pairs of one project at which changes are counted.
FALSE_LINKS = (0.001, 0.0001)
_PAIRS_A_SLOT = 6
_STATEMENTS_A_SLOT = 6
# Slots of one theme stand together in the files: so many places apart are neighbours.
_NEIGHBOURS = 12


def main() -> None:
    """Print a line of figures for each model and each part of the slots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--fold", type=int, default=0)
    asked = parser.parse_args()
    learned, unseen = split_slots(asked.fold)
    sample = random.Random(0).sample(learned, len(unseen))
    parts = {"in-sample": sorted(sample, key=lambda slot: slot.place), "held-out": unseen}
    for name, model in (("cosine", find_embedder(backend="kernel")), ("slots", load(asked.path))):
        for part, slots in parts.items():
            figures = measure(lambda texts, model=model: read(model, texts), slots)
            told = {key: round(value, 3) for key, value in figures.items()}
            print(f"{name:6} {part:9} {json.dumps(told)}", flush=True)


def split_slots(fold: int) -> tuple[list[Slot], list[Slot]]:
    """The slots that were trained on, and those that the fold left out."""
    slots = read_slots()
    of = divide(slots, list(range(len(slots))), FOLDS)
    learned = [slot for slot, own in zip(slots, of, strict=True) if own != fold]
    return learned, [slot for slot, own in zip(slots, of, strict=True) if own == fold]


def load(path: Path) -> Embedder:
    """The reader with a trained low-rank path, in the kernel."""
    trained = np.load(path)
    base = find_embedder(backend="kernel")
    beside = pack({name: trained[name] for name in trained.files})
    forward = kernel.load_kernel(base.stamp.rsplit(" ", 2)[0], beside=beside)
    assert forward is not None
    return MiniLM("slots", "", "kernel", "", forward)


def read(model: Embedder, texts: Sequence[str]) -> Any:
    """The vectors of texts as an array [texts][384]."""
    return np.frombuffer(b"".join(model.embed(texts)), "<f4").reshape(len(texts), -1)


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


if __name__ == "__main__":
    main()
