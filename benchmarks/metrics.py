"""What a ranking is worth against a gold standard. Pure: no I/O, no clock.

A ranking is a list of ids, best first; gold gives each id that answers its gain (above 0). Three
units stand beside each other and must not be mixed up: `fraction` of the gold that is among the
first k (recall), `any` of it there, `all` of it there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DEPTHS = (1, 5, 10, 20)
NDCG_DEPTH = 10
MEAN = "all"
NAMES = (
    *(f"{unit}@{k}" for unit in ("fraction", "any", "all") for k in DEPTHS),
    "mrr",
    f"ndcg@{NDCG_DEPTH}",
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What one system made of one question."""

    category: str
    ranking: Sequence[str]
    gold: Mapping[str, float]


def fraction(ranking: Sequence[str], gold: Iterable[str], k: int) -> float:
    """The share of the gold that is among the first k."""
    wanted = set(gold)
    return len(wanted.intersection(ranking[:k])) / len(wanted)


def reciprocal_rank(ranking: Sequence[str], gold: Iterable[str]) -> float:
    """1 over the rank of the first gold id, 0 where there is none."""
    wanted = set(gold)
    return next((1 / rank for rank, name in enumerate(ranking, 1) if name in wanted), 0.0)


def ndcg(ranking: Sequence[str], gold: Mapping[str, float], k: int = NDCG_DEPTH) -> float:
    """Gains discounted by log2(rank + 1), as a share of the best possible; an id counts once."""
    gains = [gold.get(name, 0.0) for name in dict.fromkeys(ranking)]
    best = _discounted(sorted(gold.values(), reverse=True)[:k])
    return min(1.0, _discounted(gains[:k]) / best)


def _discounted(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def of_one(ranking: Sequence[str], gold: Mapping[str, float]) -> dict[str, float]:
    """Every measure of one ranking. Raises ValueError where there is no gold: such a question
    cannot be scored.
    """
    if not gold or min(gold.values()) <= 0:
        raise ValueError("a scored question needs gold with gains above 0")
    shares = {k: fraction(ranking, gold, k) for k in DEPTHS}
    return {
        **{f"fraction@{k}": share for k, share in shares.items()},
        **{f"any@{k}": float(share > 0) for k, share in shares.items()},
        **{f"all@{k}": float(share == 1) for k, share in shares.items()},
        "mrr": reciprocal_rank(ranking, gold),
        f"ndcg@{NDCG_DEPTH}": ndcg(ranking, gold),
    }


def by_category(answered: Iterable[Answered]) -> dict[str, dict[str, float]]:
    """Means over the questions of each category and over all (`all`), each with its `n`; categories
    in alphabetical order.
    """
    groups: dict[str, list[dict[str, float]]] = {MEAN: []}
    for one in answered:
        values = of_one(one.ranking, one.gold)
        groups[MEAN].append(values)
        groups.setdefault(one.category, []).append(values)
    return {
        name: {"n": len(values), **_means(values)}
        for name, values in sorted(groups.items(), key=_mean_first)
    }


def _mean_first(group: tuple[str, object]) -> tuple[bool, str]:
    return group[0] != MEAN, group[0]


def _means(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {
        name: math.fsum(value[name] for value in values) / len(values) if values else 0.0
        for name in NAMES
    }
