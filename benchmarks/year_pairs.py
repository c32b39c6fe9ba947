"""How two statements of the simulated year stand to each other, by the pure relation alone and
without a store.

    python benchmarks/year_pairs.py [--seed 1] [--family A|B] [--show 10] [--vectors]

Pairs of what the operator says in one project: the same value of a fact in other words (a
duplicate), another value of it said later (it updates or contradicts), and two different facts
(neither). Prints how often `relation_of` finds each, and with `--show` what it missed. `--vectors`
tells it how near the two are in sense.
"""

from __future__ import annotations

import argparse
import random
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.year_world import START, Stated, World, world
from memctl.consolidate.compare import relation_of
from memctl.core import timestamps
from memctl.records.statement import Statement

Nearness = Callable[[str, str], float | None]
Pair = tuple[str, Stated, Stated, int, int]
_EACH = 4000


def main() -> None:
    """Count and show."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=("A", "B"), default="A")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--vectors", action="store_true")
    given = parser.parse_args()
    near: Nearness = by_vectors() if given.vectors else lambda a, b: None
    found: Counter[tuple[str, str]] = Counter()
    odd: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind, older, newer, before, after in sample(world(given.seed, given.family)):
        relation = relation_of(
            _statement("2", newer, after),
            _statement("1", older, before),
            nearness=near(newer.text, older.text),
        )
        told = str(relation)
        found[kind, told] += 1
        odd[kind, told].append(f"{older.text!r} | {newer.text!r}")
    for (kind, told), count in sorted(found.items()):
        print(f"{kind:12} {told:12} {count:6}")
        for text in random.Random(1).sample(odd[kind, told], min(given.show, count)):
            print("    ", text)


def sample(year: World) -> Iterator[Pair]:
    """Pairs of each kind with the days that they were said on, at most so many of each."""
    draw, kinds = random.Random(year.seed), defaultdict(list)
    said = [(stated, session.day) for session in year.sessions for stated in session.says]
    for n, (newer, after) in enumerate(said):
        for older, before in said[:n]:
            if (
                older.key is not None
                and newer.key is not None
                and older.key[0] == newer.key[0]
                and older.text != newer.text
            ):
                kinds[_kind(older, newer)].append((older, newer, before, after))
    for kind, pairs in kinds.items():
        for pair in draw.sample(pairs, min(_EACH, len(pairs))):
            yield (kind, *pair)


def _kind(older: Stated, newer: Stated) -> str:
    if older.key != newer.key:
        return "strangers"
    return "same" if older.value == newer.value else "changed"


def _statement(name: str, stated: Stated, day: int) -> Statement:
    at = timestamps.add_seconds(START, seconds=86400 * day)
    return Statement(
        name, stated.text, trust=5, observed_at=at, status="active", scope="project", project_id="p"
    )


def by_vectors() -> Nearness:
    """The cosine of the built-in model, each text embedded once."""
    from memctl.embed import find_embedder

    model = find_embedder()
    known: dict[str, array[float]] = {}

    def near(a: str, b: str) -> float | None:
        for text in (a, b):
            if text not in known:
                known[text] = array("f", model.embed([text])[0])
        return sum(x * y for x, y in zip(known[a], known[b], strict=True))

    return near


if __name__ == "__main__":
    main()
