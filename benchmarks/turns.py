"""LoCoMo by the real search of captured turns: what does `memctl search --turns` find?

    python benchmarks/turns.py --data locomo10.json [--beside SHARE]

Each conversation is a project of captured sessions, as `capture-conversation` stores them; a turn
is a turn, and nothing is written by hand. Gold are the evidence ids, as in `locomo.py`; questions
without evidence are not scored. `--beside` is the share of its score that a turn gives to the turns
beside it (default: the product's).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import locomo
from benchmarks.haystack import Document, Haystack
from benchmarks.ours import OPERATOR, make_source
from memctl.core.frozen import replace
from memctl.core.model import Place, Turn
from memctl.retrieve import turn_search
from memctl.settings.definitions import BY_KEY
from memctl.store import projects, sources, turn_index
from memctl.store.database import Database
from memctl.store.migrate import open_store

_AT = "2026-01-01T00:00:00.000Z"
_FIRST = (1, 5, 10)


def add_conversation(db: Database, haystack: Haystack) -> tuple[Place, dict[tuple[str, int], str]]:
    """Store the sessions of a conversation and index their turns; return which turn is which."""
    talks: dict[str, list[Document]] = {}
    for document in haystack.documents:
        talks.setdefault(document.talk or "", []).append(document)
    known = {}
    with db.write():
        place = Place(projects.insert(db, haystack.name, None, _AT).id)
        for name, said in talks.items():
            turns = [_to_turn(number, document) for number, document in enumerate(said)]
            source = replace(
                make_source(f"{haystack.name}/{name}", place),
                turn_count=len(turns),
                turns_hash=sources.compute_turns_hash(turns),
                started_at=said[0].day,
            )
            sources.insert_source(db, source)
            sources.add_turns(db, source.id, turns, _AT)
            known |= {(source.id, number): each.id for number, each in enumerate(said)}
    for source_id in turn_index.list_waiting(db):
        turn_index.fill_source(db, source_id, lambda: False)
    return place, known


def _to_turn(number: int, document: Document) -> Turn:
    speaker, _, text = document.text.partition(": ")
    return Turn(number, "human", "text", text, document.day, speaker)


def measure(haystacks: Iterable[Haystack], beside: float) -> tuple[int, dict[int, float]]:
    """Return how many questions were scored, and the share of their gold among the first."""
    total, sums = 0, dict.fromkeys(_FIRST, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        db = open_store(Path(folder) / "memory.db", create=True)
        for haystack in haystacks:
            place, known = add_conversation(db, haystack)
            for question in haystack.questions:
                if not question.gold:
                    continue
                query = turn_search.TurnQuery(
                    question.text, place, limit=max(_FIRST), beside=beside
                )
                hits = turn_search.search_turns(db, query, OPERATOR).items
                ids = [known[hit.source_id, hit.turn] for hit in hits]
                total += 1
                for first in _FIRST:
                    held = sum(name in question.gold for name in ids[:first])
                    sums[first] += held / len(question.gold)
        db.close()
    return total, {first: each / max(1, total) for first, each in sums.items()}


def main() -> None:
    """Measure and print one row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--beside", type=float, default=BY_KEY["search.neighbour_boost"].default)
    given = parser.parse_args()
    total, shares = measure(locomo.load(given.data, "turn"), given.beside)
    told = " / ".join(f"{share:.3f}" for share in shares.values())
    print(f"memctl search --turns, n = {total}, in the first {_FIRST}: {told}")


if __name__ == "__main__":
    main()
