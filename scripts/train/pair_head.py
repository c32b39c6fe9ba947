"""Train and measure the head over the slot cosine, on slots that the low-rank path never saw.

The slots that a fold left out are halved: the head learns on one half and is measured on the other,
then the other way round; what ships learns on both. Slots stand in invented projects of sixty, with
statements, near statements and changes; half of the changes are of slots of which the project holds
no older statement. Printed are the changes found at a share of false links between random pairs of
a project, and how right proposals would be.

    python pair_head.py fold0.npz --fold 0 [--write]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measure_slots import load, read, split_slots
from slot_data import Slot, draw_change, draw_statement

sys.path.insert(0, str(Path(__file__).parents[2]))

from memctl.consolidate.change_words import may_announce_change
from memctl.consolidate.slot_pairs import NAMES, find_given_up, measure_pair
from memctl.consolidate.wording import announces_change
from memctl.embed import find_embedder

HEAD = Path(__file__).parents[2] / "memctl" / "consolidate" / "slot_head.py"
PROJECT = 60
# Pairs whose cosines are both lower are left out of the head: nothing near 0.1 % is among them.
_LEAST = 0.25
# The share of slots that were stated before they change.
_STATED = 0.5
_STEPS = 60
_RIDGE = 1e-3
FALSE_LINKS = (0.001, 0.0001)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99)


class Pairs(NamedTuple):
    """Pairs of a change and an older statement: their measures [pairs][features], whether they are
    of one slot, which change each belongs to, whether that may tell of a change, whether it gives
    up by name what the older one says, and how many pairs there were before the far ones were left
    out.
    """

    measures: Any
    same: Any
    change: Any
    worded: Any
    gives_up: Any
    others: int
    changes: int


def main() -> None:
    """Print figures of every half, and write the head if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="the low-rank path of the fold")
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    _, unseen = split_slots(asked.fold)
    random.Random(3).shuffle(unseen)
    embed = _find_models(asked.path)
    middle = len(unseen) // 2
    halves = [
        draw_pairs(part, embed, seed)
        for seed, part in enumerate((unseen[:middle], unseen[middle:]))
    ]
    for learned, measured in ((0, 1), (1, 0)):
        head = train_head(halves[learned])
        report(f"held-out half {measured}", halves[measured], head)
    both = train_head(*halves)
    for number, half in enumerate(halves):
        report(f"in-sample half {number}", half, both)
    for name, weight, centre in zip(NAMES, both[1], both[2], strict=True):
        print(f"{name:24} {weight:8.3f} {centre:7.3f}")
    if asked.write:
        write_head(both)


def _find_models(path: Path) -> Any:
    """A function from texts to the vectors of both models."""
    reader, base = load(path), find_embedder(backend="kernel")
    return lambda texts: (read(reader, texts), read(base, texts))


def draw_pairs(slots: Sequence[Slot], embed: Any, seed: int) -> Pairs:
    """Pairs of invented projects; a slot is stated twice with its old value and changes twice."""
    rng = random.Random(seed)
    measures: list[tuple[float, ...]] = []
    same: list[bool] = []
    change: list[int] = []
    worded: list[bool] = []
    gives_up: list[bool] = []
    others = changes = 0
    for start in range(0, len(slots), PROJECT):
        project = slots[start : start + PROJECT]
        older, newer = [], []
        for slot in project:
            before, after = rng.sample(slot.values, 2)
            if rng.random() < _STATED:
                older += [(draw_statement(slot, rng, before), slot.place) for _ in range(2)]
            older += [(text, -1) for text in slot.near]
            newer += [(draw_change(slot, rng, after, before), slot.place) for _ in range(2)]
        one = embed([text for text, _ in older])
        two = embed([text for text, _ in newer])
        slot_grid, grid = two[0] @ one[0].T, two[1] @ one[1].T
        for n, (text, place) in enumerate(newer):
            for o, (before_text, owner) in enumerate(older):
                others += owner != place
                near = float(slot_grid[n, o]), float(grid[n, o])
                if max(near) < _LEAST and owner != place:
                    continue
                measures.append(measure_pair(before_text, text, *near))
                same.append(owner == place)
                change.append(changes + n)
                worded.append(announces_change(text) or may_announce_change(text))
                gives_up.append(announces_change(text) and find_given_up(before_text, text))
        changes += len(newer)
    return Pairs(
        np.array(measures),
        np.array(same),
        np.array(change),
        np.array(worded),
        np.array(gives_up, dtype=bool),
        others,
        changes,
    )


def train_head(*parts: Pairs) -> tuple[float, Any, Any]:
    """Bias, weights and centres of a logistic regression (Newton's method with a ridge)."""
    return train_rows(
        np.concatenate([part.measures for part in parts]),
        np.concatenate([part.same for part in parts]),
    )


def train_rows(x: Any, same: Any) -> tuple[float, Any, Any]:
    """The same of rows [pairs][features]."""
    y = same.astype(float)
    centres, scale = x.mean(0), x.std(0) + 1e-9
    z = np.column_stack([np.ones(len(x)), (x - centres) / scale])
    w = np.zeros(z.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        slope = z.T @ (p - y) / len(y) + _RIDGE * np.r_[0, w[1:]]
        bend = (z * (p * (1 - p))[:, None]).T @ z / len(y) + _RIDGE * np.eye(len(w))
        w -= np.linalg.solve(bend, slope)
    return float(w[0]), w[1:] / scale, centres


def score(pairs: Pairs, head: tuple[float, Any, Any]) -> Any:
    """How surely each pair is of one slot."""
    bias, weights, centres = head
    logits = bias + (pairs.measures - centres) @ weights
    return 1 / (1 + np.exp(-np.clip(logits, -60, 60)))


def report(name: str, pairs: Pairs, head: tuple[float, Any, Any]) -> None:
    """Print what each reader finds, and how right the proposals of the head would be."""
    scores = score(pairs, head)
    print(
        f"== {name}: {pairs.changes} changes, {int(pairs.same.sum())} right of {pairs.others} pairs"
    )
    for reader, values in (
        ("cosine", pairs.measures[:, 1]),
        ("slot cosine", pairs.measures[:, 0]),
        ("head", scores),
    ):
        wrong = np.sort(values[~pairs.same])[::-1]
        found = []
        for share in FALSE_LINKS:
            least = wrong[min(len(wrong) - 1, int(share * pairs.others))]
            found.append(f"{share:.2%}: {(values[pairs.same] > least).mean():.3f} (> {least:.3f})")
        print(f"   {reader:12} found at " + ", ".join(found))
    for least in THRESHOLDS:
        print(f"   >= {least}: " + _describe_proposals(pairs, scores, least))


def _describe_proposals(pairs: Pairs, scores: Any, least: float) -> str:
    """Precision of the nearest older statement of each change, and of those with a change word."""
    best: dict[int, int] = {}
    for i in np.flatnonzero(scores >= least):
        change = int(pairs.change[i])
        if change not in best or scores[i] > scores[best[change]]:
            best[change] = int(i)
    chosen = list(best.values())
    worded = [i for i in chosen if pairs.worded[i]]
    named = [i for i in chosen if pairs.gives_up[i]]
    parts = []
    for name, some in (("nearest", chosen), ("change word", worded), ("given up by name", named)):
        right = sum(bool(pairs.same[i]) for i in some)
        parts.append(f"{name} {right}/{len(some)} right ({right / max(1, len(some)):.3f})")
    return ", ".join(parts)


def write_head(head: tuple[float, Any, Any], module: Path = HEAD) -> None:
    """Write the weights as a module."""
    bias, weights, centres = head
    lines = module.read_text("utf-8").split("\nBIAS")[0]
    rows = (
        f"BIAS = {bias:.6g}",
        *(
            f"{name} = (\n" + "".join(f"    {value:.6g},\n" for value in values) + ")"
            for name, values in (("WEIGHTS", weights), ("CENTRES", centres))
        ),
    )
    module.write_text(lines + "\n" + "\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
