"""Supersession on labelled sessions: is the older item out of the way once its successor is
approved?

    python benchmarks/gold_supersede.py --gold FOLDER --corpus FOLDER [--json OUT] [--show]

A label file names a transcript of the corpus and items, some with `supersedes`; each item has a
statement and quotes. Three ways are measured. `captured`: the session is captured and maintained,
whatever was proposed for the older item is approved, then what was proposed for its successor.
`stated`: both statements are written by hand, the older one first, as the operator's facts.
`corrected`: the older one is written, and corrected by the newer one. An item is out of the way
when no record for it is in force afterwards. A successor that says other things than the older
item, and leaves it standing beside itself, is told as `both stand`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.run import markdown, write
from memctl import MemoryEngine
from memctl.core.model import Actor, Filter, NewMemory, Query
from memctl.results.records import RecordView
from memctl.settings import config
from memctl.settings.policy import is_in_force

_WORDS = re.compile(r"[\w'./:-]+")
_FEWEST_WORDS, _SHARED = 4, 0.7
_CHATS = frozenset({"slack", "name-text"})


class Pair(NamedTuple):
    """An item and the one that takes its place, with the transcript that they are from."""

    file: Path
    agent: str
    older: Mapping[str, Any]
    newer: Mapping[str, Any]


def main() -> None:
    """Measure both ways and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--gold", "--data", type=Path, required=True, help="the folder of label files"
    )
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of transcripts")
    parser.add_argument("--json", type=Path, help="write every outcome here")
    parser.add_argument("--show", action="store_true", help="show each pair")
    given = parser.parse_args()
    pairs = list(load(given.gold, given.corpus))
    outcomes = [(pair, {name: way(pair) for name, way in WAYS.items()}) for pair in pairs]
    counts = {name: Counter(outcome[name] for _, outcome in outcomes) for name in WAYS}
    print(
        markdown(
            ["way", "outcome", "pairs"],
            [
                [way, name, str(n)]
                for way, tally in counts.items()
                for name, n in tally.most_common()
            ],
        )
    )
    for pair, outcome in outcomes if given.show else ():
        print(
            f"- {' / '.join(outcome.values())}: {pair.older['statement']!r} "
            f"<- {pair.newer['statement']!r}"
        )
    write(
        given.json,
        [
            {"file": str(pair.file), "older": pair.older["id"], **outcome}
            for pair, outcome in outcomes
        ],
    )


def load(gold: Path, corpus: Path) -> Iterator[Pair]:
    """The pairs of all label files."""
    for path in sorted(gold.glob("*.json")):
        labels = json.loads(path.read_text(encoding="utf-8-sig"))
        items = {item["id"]: item for item in labels["gold"]}
        for item in items.values():
            if item.get("supersedes") in items:
                yield Pair(
                    corpus / labels["file"], labels["agent"], items[item["supersedes"]], item
                )


def captured(pair: Pair) -> str:
    """What becomes of the pair when its session is captured and the operator approves one item
    after the other.
    """
    with _engine() as engine:
        if pair.agent in _CHATS:
            engine.capture_conversation(pair.file)
        else:
            engine.capture_session(pair.file, agent=pair.agent)
        engine.maintain()
        older, newer = _proposed(engine, pair.older), _proposed(engine, pair.newer)
        newer = [
            view for view in newer if view.memory.id not in {other.memory.id for other in older}
        ]
        if not older:
            return "older not proposed"
        for view in (*older, *newer):
            engine.promote([view.memory.id], reason="approved")
            engine.maintain()
        left = [view for view in older if is_in_force(engine.records.show(view.memory.id).memory)]
        return (
            ("out of the way" if not left else "both stand") if newer else "successor not proposed"
        )


def stated(pair: Pair) -> str:
    """What becomes of the pair when the operator writes one statement after the other."""
    with _engine() as engine:
        old, new = (
            engine.ingest([_as_fact(item)]).items[0].record for item in (pair.older, pair.newer)
        )
        engine.maintain()
        if not is_in_force(engine.records.show(new.memory.id).memory):
            return "successor lost"
        return (
            "both stand"
            if is_in_force(engine.records.show(old.memory.id).memory)
            else "out of the way"
        )


def corrected(pair: Pair) -> str:
    """What becomes of the pair when the operator puts the newer statement in the older one's place."""
    with _engine() as engine:
        old = engine.ingest([_as_fact(pair.older)]).items[0].record.memory
        engine.records.correct(old.id, pair.newer["statement"])
        engine.maintain()
        served = engine.search(Query(pair.older["statement"])).items
        stands = is_in_force(engine.records.show(old.id).memory) or old.id in {
            hit.record.memory.id for hit in served
        }
        return "both stand" if stands else "out of the way"


WAYS = {"captured": captured, "stated": stated, "corrected": corrected}


def _as_fact(item: Mapping[str, Any]) -> NewMemory:
    return NewMemory("profile", item["statement"], scope="global")


def _engine() -> MemoryEngine:
    """The operator's engine on a store in a folder that is removed with the process's temporary
    files.
    """
    folder = Path(tempfile.mkdtemp(prefix="memctl-gold-"))
    settings = config.load_config(folder / "memory.db", env={"HOME": str(folder)})
    return MemoryEngine(settings, Actor("operator"))


def _proposed(engine: MemoryEngine, item: Mapping[str, Any]) -> Sequence[RecordView]:
    """The records that rest on the item's quotes."""
    quotes = [evidence["quote"] for evidence in item["evidence"]]
    found = engine.records.list(Filter(statuses=("inbox", "active", "contradicted"))).items
    shown = [engine.records.show(view.memory.id) for view in found if view.memory.type != "episode"]
    return [
        view
        for view in shown
        if any(same(quote, proof.quote) for quote in quotes for proof in view.evidence)
    ]


def same(a: str, b: str) -> bool:
    """Whether two quotes are of the same words."""
    one, other = (" ".join(text.lower().split()) for text in (a, b))
    if one in other or other in one:
        return True
    left, right = set(_WORDS.findall(one)), set(_WORDS.findall(other))
    smaller = min(len(left), len(right))
    return smaller >= _FEWEST_WORDS and len(left & right) / smaller >= _SHARED


if __name__ == "__main__":
    main()
