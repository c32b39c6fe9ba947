"""Decay: does it bring what is true now before what once was, and does it lose what has been true
for long?

    python benchmarks/freshness.py [--rates 0 0.002 0.005 0.01 0.02] [--days 720] [--seeds 3] [--vectors] [--json OUT]

A project of invented services is lived through day by day. Facts about them (a port, a store, an
owner ...) are stated by the operator, each time in other words; some change, some never do. Nobody
links an old statement with the new one and nothing is consolidated: what ranks is what decay alone
makes of it. Sessions ask in between, and whatever they are given counts as used, right or wrong, as
it does in life; now and then the operator confirms a fact that holds. At the end everything is
asked once: of what changed, whether the current statement comes before every stale one; of what
never changed, whether it is still found among what is newer.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.run import markdown
from memctl.core import timestamps
from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory, NewMemory, Place, Query
from memctl.records import drafts
from memctl.records.record_source import PresentRecords
from memctl.redact.redactor import make_redactor
from memctl.retrieve import search, vectors
from memctl.settings import config
from memctl.settings.config import Config
from memctl.store import projects, records
from memctl.store.database import Database
from memctl.store.migrate import open_store

OPERATOR = Actor("operator")
BEGIN = "2024-01-01T09:00:00.000Z"
SERVICES = (
    "invoice export",
    "login page",
    "tide importer",
    "kiln scheduler",
    "mail relay",
    "search index",
    "photo resizer",
    "stock ledger",
    "ticket desk",
    "route planner",
    "nightly report",
    "parts catalogue",
)
# For each attribute what is asked, the ways in which it is told, and its values.
ATTRIBUTES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "port": (
        "On which port does the {s} answer?",
        (
            "the {s} listens on port {v}",
            "to reach the {s} connect to {v}",
            "{v} is the port where the {s} answers",
            "the {s} moved to {v}",
        ),
        ("8080", "9443", "7001", "3055", "6120"),
    ),
    "store": (
        "Where does the {s} keep its data?",
        (
            "the {s} keeps its data in {v}",
            "what the {s} writes goes to {v}",
            "{v} holds the data of the {s}",
            "data of the {s} is in {v}",
        ),
        ("Postgres", "SQLite", "a bucket", "Redis", "flat files"),
    ),
    "owner": (
        "Who looks after the {s}?",
        (
            "{v} looks after the {s}",
            "ask {v} about the {s}",
            "the {s} belongs to {v}",
            "{v} answers for the {s}",
        ),
        ("Ines", "Tomas", "Oksana", "Bram", "Yusuf"),
    ),
    "release": (
        "How is the {s} released?",
        (
            "the {s} is released with {v}",
            "{v} ships the {s}",
            "releases of the {s} go through {v}",
            "we deploy the {s} by {v}",
        ),
        ("make ship", "the blue pipeline", "a signed tarball", "just deploy", "the release train"),
    ),
    "limit": (
        "How long does the {s} wait before it gives up?",
        (
            "the {s} gives up after {v}",
            "calls to the {s} may take {v}",
            "{v} is how long the {s} waits",
            "the {s} has a timeout of {v}",
        ),
        ("5 seconds", "40 seconds", "2 minutes", "300 ms", "15 seconds"),
    ),
}


class Fact(NamedTuple):
    """One statement of one matter (a service and an attribute): from when it held, and in which
    words.
    """

    day: int
    matter: tuple[str, str]
    text: str


class Life(NamedTuple):
    """What happens: statements, questions and confirmations, each with its day."""

    facts: tuple[Fact, ...]
    asks: tuple[tuple[int, tuple[str, str]], ...]
    confirms: tuple[tuple[int, tuple[str, str]], ...]


def life(seed: int, days: int) -> Life:
    """One project: half of its matters never change, the others up to three times; a question every
    other day, mostly of a few matters.
    """
    chance = random.Random(seed)
    matters = [(service, attribute) for service in SERVICES for attribute in ATTRIBUTES]
    facts = sorted(fact for matter in matters for fact in _statements(chance, matter, days))
    dear = chance.sample(matters, len(matters) // 4)
    asks = tuple(
        (day, chance.choice(dear if chance.random() < 0.7 else matters))
        for day in range(1, days, 2)
    )
    confirms = tuple((day, chance.choice(matters)) for day in range(30, days, 30))
    return Life(tuple(facts), asks, confirms)


def _statements(chance: random.Random, matter: tuple[str, str], days: int) -> Iterator[Fact]:
    _, tellings, values = ATTRIBUTES[matter[1]]
    changes = chance.choice((0, 0, 0, 1, 2, 3))
    begins = sorted(
        [chance.randrange(days // 3), *chance.sample(range(days // 3, days - 5), changes)]
    )
    words = zip(
        chance.sample(tellings, len(begins)), chance.sample(values, len(begins)), strict=True
    )
    yield from (
        Fact(day, matter, telling.format(s=matter[0], v=value).capitalize())
        for day, (telling, value) in zip(begins, words, strict=True)
    )


class Told:
    """A store in which a life is lived at one rate of decay."""

    def __init__(self, folder: Path, rate: float, with_vectors: bool) -> None:
        env = {"HOME": str(folder), **({} if with_vectors else {"MEMCTL_EMBEDDING_MODEL": "none"})}
        loaded = config.load_config(folder / "memory.db", env=env)
        chosen = {
            "decay.rates": {"project": rate},
            "decay.in_ranking": ["project"],
            "search.relevance_threshold": 0.0,
            "search.similarity_threshold": 0.0,
        }
        self.config: Config = replace(loaded, values={**loaded.values, **chosen})
        self.db: Database = open_store(folder / "memory.db", create=True)
        with self.db.write():
            self.place = Place(projects.insert(self.db, "works", None, BEGIN).id)
        self.memories: dict[str, Fact] = {}
        self.with_vectors = with_vectors

    def state(self, fact: Fact) -> None:
        """The operator says it."""
        made = drafts.build_from_manual(
            NewMemory("project", fact.text, observed_at=at(fact.day)),
            self.place,
            OPERATOR,
            make_redactor(self.config),
        )
        with self.db.write():
            records.insert_record(self.db, made, actor=OPERATOR.name, cause="benchmark")
        self.memories[made.id] = fact
        if self.with_vectors:
            vectors.embed_waiting(self.db, self.config)

    def ask(self, day: int, matter: tuple[str, str]) -> list[Fact]:
        """What is found, best first."""
        question = ATTRIBUTES[matter[1]][0].format(s=matter[0])
        with self.db.snapshot():
            found = search.run_search(
                PresentRecords(self.db), self.config, Query(question, self.place, limit=10), at(day)
            )
        self.found: list[Memory] = [item.memory for item in found.returned]
        return [self.memories[memory.id] for memory in self.found]

    def use(self, day: int) -> None:
        """What was found counts as used."""
        with self.db.write():
            records.count_access(self.db, [memory.id for memory in self.found], at(day))

    def confirm(self, day: int, matter: tuple[str, str]) -> None:
        """The operator vouches for what holds of a matter."""
        holds = [memory_id for memory_id, fact in self.memories.items() if fact.matter == matter]
        if not holds:
            return
        with self.db.write():
            memory = records.get_record(self.db, holds[-1])
            sure = replace(memory, confirmed_at=at(day), updated_at=at(day))
            records.replace_record(
                self.db, memory, sure, verb="confirmed", actor=OPERATOR.name, cause="benchmark"
            )


def at(day: int) -> str:
    """A day as a time."""
    return timestamps.add_seconds(BEGIN, seconds=86400 * day)


def lived(told: Told, of: Life, days: int) -> dict[str, Any]:
    """Live a life and ask everything at its end."""
    events: list[tuple[int, int, Any]] = [(fact.day, 0, fact) for fact in of.facts]
    events += [(day, 1, matter) for day, matter in of.confirms] + [
        (day, 2, matter) for day, matter in of.asks
    ]
    for day, kind, what in sorted(events):
        if kind == 0:
            told.state(what)
        elif kind == 1:
            told.confirm(day, what)
        else:
            told.ask(day, what)
            told.use(day)
    return _measured(told, of, days)


def _measured(told: Told, of: Life, days: int) -> dict[str, Any]:
    history: dict[tuple[str, str], list[Fact]] = {}
    for fact in of.facts:
        history.setdefault(fact.matter, []).append(fact)
    ranks = {matter: told.ask(days, matter) for matter in history}
    places = {
        matter: {fact: place for place, fact in enumerate(found, 1)}
        for matter, found in ranks.items()
    }
    changed = [matter for matter, facts in history.items() if len(facts) > 1]
    lasting = [matter for matter, facts in history.items() if len(facts) == 1]
    current = {matter: places[matter].get(facts[-1], 99) for matter, facts in history.items()}
    stale = {
        matter: min(places[matter].get(fact, 98) for fact in history[matter][:-1])
        for matter in changed
    }
    return {
        "current before stale": _share([current[m] < stale[m] for m in changed]),
        "stale first": _share([ranks[m][0] in history[m][:-1] for m in changed if ranks[m]]),
        "changed R@1": _share([current[m] == 1 for m in changed]),
        "changed R@10": _share([current[m] <= 10 for m in changed]),
        "lasting R@1": _share([current[m] == 1 for m in lasting]),
        "lasting R@5": _share([current[m] <= 5 for m in lasting]),
        "lasting R@10": _share([current[m] <= 10 for m in lasting]),
        "MRR": statistics.mean(1 / rank if rank < 98 else 0.0 for rank in current.values()),
    }


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def main() -> None:
    """Live the same lives at every rate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", type=float, nargs="+", default=[0.0, 0.002, 0.005, 0.01, 0.02])
    parser.add_argument("--days", type=int, default=720)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--vectors", action="store_true", help="compare by sense too")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for rate in given.rates:
        found = []
        for seed in range(given.seeds):
            with tempfile.TemporaryDirectory() as folder:
                told = Told(Path(folder), rate, given.vectors)
                found.append(lived(told, life(seed, given.days), given.days))
                told.db.close()
        rows.append(
            {
                "rate": rate,
                **{name: statistics.mean(each[name] for each in found) for name in found[0]},
            }
        )
    print(
        markdown(
            list(rows[0]),
            [
                [str(row["rate"]), *(f"{row[name]:.3f}" for name in row if name != "rate")]
                for row in rows
            ],
        )
    )
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
