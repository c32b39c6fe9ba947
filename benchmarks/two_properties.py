"""Two things said of one subject: does the store keep both, and does it still see a change?

    python benchmarks/two_properties.py [--half worked|held] [--data FILE] [--show] [--json OUT]

`two_properties.tsv` holds 300 invented pairs that both hold (`Uploads are scanned by ClamAV.` and
`Uploads are stored in S3 now.`) and 150 in which the newer takes the older one's place. Each pair
is written by the operator into a project of its own in a real store, the newer a day after the
older, and the store is maintained. Counted is what became of the pair: the older superseded, a
contradiction or a replacement proposed, the two merged into one, or the older only marked as one
that the newer may replace. The pairs of each sort with an odd number were worked with; the others
were held out until both had been seen once.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.run import markdown, write
from benchmarks.vectors_wanted import add_option, require_vectors
from memctl import MemoryEngine
from memctl.consolidate.apply import MERGED
from memctl.core import timestamps
from memctl.core.model import Actor, NewMemory
from memctl.settings import config
from memctl.store import projects
from memctl.store.migrate import open_store

INVENTED = Path(__file__).with_suffix(".tsv")
_START = "2026-03-02T09:00:00.000Z"
_DAY = 86_400
# What can become of a pair; the first means that nothing was said of it.
OUTCOMES = ("both stand", "superseded", "contradiction", "proposed", "merged", "marked")


class Pair(NamedTuple):
    """Two statements, the older first, and whether the newer replaces it (`change`) or not (`two`)."""

    expected: str
    older: str
    newer: str


def main() -> None:
    """Put every pair through the store and count."""
    given = _arguments()
    require_vectors(given.without_vectors)
    pairs = [
        pair
        for half in (["worked", "held"] if given.half is None else [given.half])
        for pair in load(given.data, half)
    ]
    outcomes = settle(pairs)
    found = count(pairs, outcomes)
    print(
        markdown(
            ["pairs", "number", *OUTCOMES],
            [
                [name, str(sum(tally.values())), *(str(tally[each]) for each in OUTCOMES)]
                for name, tally in found.items()
            ],
        )
    )
    for pair, outcome in zip(pairs, outcomes, strict=True) if given.show else ():
        if (outcome == OUTCOMES[0]) == (pair.expected == "change"):
            print(f"- {outcome}: {pair.older!r} <- {pair.newer!r}")
    write(given.json, {name: dict(tally) for name, tally in found.items()})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("worked", "held"), help="one half only")
    parser.add_argument("--data", type=Path, default=INVENTED, help="other pairs")
    parser.add_argument("--show", action="store_true", help="show the wrong and the missed ones")
    parser.add_argument("--json", type=Path, help="write the counts here")
    add_option(parser)
    return parser.parse_args()


def load(path: Path, half: str) -> list[Pair]:
    """The pairs of one half, in the order of the file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(
            csv.DictReader(
                (line for line in file if not line.startswith("# ")),
                delimiter="\t",
                quoting=csv.QUOTE_NONE,
            )
        )
    sorts = dict.fromkeys(row["expected"] for row in rows)
    first = 0 if half == "worked" else 1
    return [
        Pair(row["expected"], row["older"], row["newer"])
        for sort in sorts
        for row in [row for row in rows if row["expected"] == sort][first::2]
    ]


def settle(pairs: Sequence[Pair]) -> list[str]:
    """What becomes of each pair, written by the operator into a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = config.load_config(Path(folder) / "memory.db", env={"HOME": folder})
        with MemoryEngine(settings, Actor("operator")) as engine:
            engine.create_store()
            _make_projects(settings, len(pairs))
            olds = _write(engine, [pair.older for pair in pairs], 0)
            news = _write(engine, [pair.newer for pair in pairs], 1)
            engine.maintain()
            conflicts = {
                frozenset(side.id for side in conflict.sides): conflict.newer
                for conflict in engine.conflicts.list().items
            }
            return [
                _outcome(engine, old, new, conflicts) for old, new in zip(olds, news, strict=True)
            ]


def _make_projects(settings: config.Config, number: int) -> None:
    db = open_store(settings.db, create=False)
    with closing(db), db.write():
        for n in range(number):
            projects.insert(db, _name(n), None, _START)


def _name(n: int) -> str:
    return f"pair{n}"


def _write(engine: MemoryEngine, texts: Sequence[str], day: int) -> list[str]:
    """The ids of new records, each in the project of its number, said on one day."""
    at = timestamps.add_seconds(_START, seconds=_DAY * day)
    drafts = [
        NewMemory("project", text, kind="fact", scope="project", project=_name(n), observed_at=at)
        for n, text in enumerate(texts)
    ]
    return [item.record.memory.id for item in engine.ingest(drafts).items]


def _outcome(
    engine: MemoryEngine, old: str, new: str, conflicts: Mapping[frozenset[str], str | None]
) -> str:
    view = engine.records.show(old)
    before = view.memory
    is_absorbed = any(
        link.find_other_end(old) == new and (link.reason or "").startswith(MERGED)
        for link in view.links
    )
    if old == new or is_absorbed:
        return "merged"
    if before.status == "superseded":
        return "superseded"
    pair = frozenset((old, new))
    if pair in conflicts:
        return "proposed" if conflicts[pair] else "contradiction"
    return "marked" if view.newer and view.newer.id == new else OUTCOMES[0]


def count(pairs: Sequence[Pair], outcomes: Sequence[str]) -> dict[str, Counter[str]]:
    """How often each sort of pair had each outcome."""
    found: dict[str, Counter[str]] = {}
    for pair, outcome in zip(pairs, outcomes, strict=True):
        found.setdefault(pair.expected, Counter())[outcome] += 1
    return found


if __name__ == "__main__":
    main()
