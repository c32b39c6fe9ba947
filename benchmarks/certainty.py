"""How sure a prompt must be about a record: fits the weights of memctl/retrieve/certainty.py and
says how well they do on folds that they were not fitted on.

    python benchmarks/certainty.py [--slots FOLDER] [--steps 30]

Each list of `certainty.txt` is asked in stores of three records, of fifteen and of all of them, and
by questions of another list, which call for nothing. `--slots` adds a folder of statements with
questions (`#slot`, `v`, `s`, `q` lines). Printed are the weights with vectors and by words alone,
and at which recall how many prompts that call for nothing are told something: in-sample, and by
folds.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from invented import House  # noqa: E402

from memctl.core import clock  # noqa: E402
from memctl.core.frozen import replace  # noqa: E402
from memctl.core.model import Query  # noqa: E402
from memctl.records.record_source import PresentRecords  # noqa: E402
from memctl.retrieve import candidates, certainty, prepared_query, vectors  # noqa: E402
from memctl.store import lexical  # noqa: E402

DATA = Path(__file__).with_suffix(".txt")
_ALL = {"search.relevance_threshold": 0.0, "search.similarity_threshold": 0.0}
_PRIOR = 1000.0
# The shares of silent prompts that are told something at which recall is read.
_FALSE = (0.01, 0.03, 0.05, 0.1)
_SMALL = 3
_SLOTS = 30


@dataclass
class Asked:
    """One prompt in one store: its fold, whether anything is called for, and for each candidate its
    features and whether it is what is called for.
    """

    fold: int
    calls: bool
    features: list[list[float]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)


Record = tuple[str, str, str]
Prompts = list[tuple[str, int | None]]


def read_lists(path: Path) -> Iterator[tuple[list[Record], Prompts]]:
    """The records of each list, with prompts and the record that each calls for."""
    records: list[Record] = []
    prompts: Prompts = []
    for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]:
        if line.startswith("=="):
            if records:
                yield records, prompts
            records, prompts = [], []
        elif line.startswith("> "):
            prompts.append((line[2:], len(records) - 1))
        elif line.startswith("- "):
            prompts.append((line[2:], None))
        elif not line.startswith("#"):
            text, kind = line.rsplit("|", 1)
            title, _, content = text.rpartition("||")
            records.append((title, content, kind))
    yield records, prompts


def read_slots(folder: Path) -> Iterator[tuple[list[Record], Prompts]]:
    """Statements of each file with their questions; those of the last third are left out of the
    store.
    """
    for path in sorted(folder.glob("slots_*.txt")):
        drawn = random.Random(path.name)
        records: list[Record] = []
        prompts: Prompts = []
        blocks = drawn.sample(path.read_text(encoding="utf-8-sig").split("#slot ")[1:], _SLOTS)
        for number, block in enumerate(blocks):
            lines = [line for line in block.splitlines() if line[1:2] == " "]
            value = next(line[2:] for line in lines if line[0] == "v").split("|")[0]
            is_stored = number < _SLOTS * 2 // 3
            if is_stored:
                said = [line[2:] for line in lines if line[0] == "s"]
                records.append(("", drawn.choice(said).replace("{v}", value), "fact"))
            called = len(records) - 1 if is_stored else None
            prompts += [(line[2:], called) for line in lines if line[0] == "q"]
        yield records, prompts


def ask(records: Sequence[Record], prompts: Prompts, fold: int, with_meaning: bool) -> list[Asked]:
    """The features of every candidate of every prompt in a store of these records."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        memories = [
            house.add(text, kind="fact" if kind == "profile" else kind, title=title or text[:60])
            for title, text, kind in records
        ]
        if with_meaning:
            vectors.embed_waiting(house.db, house.config)
        number = {memory.id: n for n, memory in enumerate(memories)}
        config = replace(house.config, values={**house.config.values, **_ALL})
        source, asked = PresentRecords(house.db), []
        for text, called in prompts:
            query = Query(text, house.here, limit=10)
            prepared = prepared_query.prepare_query(source, config, query, clock.now())
            terms = list(prepared.terms.terms)
            size, frequencies = lexical.count_terms(house.db, terms) if terms else (0, {})
            words = certainty.weigh_prompt(text, terms, frequencies, size, _PRIOR)
            one = Asked(fold, called is not None)
            for each in candidates.find_candidates(source, prepared)[0]:
                meaning = (each.semantic or 0.0) if with_meaning else None
                if each.matched or meaning:
                    title = each.memory.title
                    one.features.append(
                        certainty.list_features(words, each.matched, title, meaning)
                    )
                    one.right.append(number[each.memory.id] == called)
            asked.append(one)
        house.db.close()
        return asked


def ask_all(slots: Path | None, with_meaning: bool) -> list[Asked]:
    """Every list in small stores, alone, and asked what is of another list."""
    lists, asked = list(read_lists(DATA)), list[Asked]()
    for fold, (records, prompts) in enumerate(lists):
        strange: Prompts = [(text, None) for text, called in lists[fold - 2][1] if called is None]
        foreign: Prompts = [
            (text, None) for text, called in lists[fold - 2][1] if called is not None
        ]
        asked += ask(records, prompts + strange, fold, with_meaning)
        asked += ask(records, foreign, (fold - 2) % len(lists), with_meaning)
        for start in range(0, len(records), _SMALL):
            part = range(start, min(start + _SMALL, len(records)))
            own: Prompts = [(t, c - start) for t, c in prompts if c is not None and c in part]
            idle: Prompts = [(t, None) for t, c in prompts if c is None][start : start + _SMALL]
            asked += ask([records[n] for n in part], own + idle, fold, with_meaning)
    for fold, (records, prompts) in enumerate(read_slots(slots) if slots else ()):
        asked += ask(records, prompts, fold % len(lists), with_meaning)
    return asked


def fit(asked: Sequence[Asked], steps: int) -> np.ndarray:
    """The weights of a logistic regression with a small penalty, by Newton's method."""
    rows = np.array([row for one in asked for row in one.features])
    right = np.array([r for one in asked for r in one.right], dtype=float)
    # What merely stands beside what is called for may be called for as well.
    weight = np.array(
        [
            (1.0 if r else 0.1) if one.calls else len(one.right) ** -0.5
            for one in asked
            for r in one.right
        ]
    )
    found, penalty = np.zeros(rows.shape[1]), np.eye(rows.shape[1])
    penalty[0, 0] = 1e-6
    for _ in range(steps):
        share = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (weight * (right - share)) - penalty @ found
        curve = (rows * (weight * share * (1 - share))[:, None]).T @ rows + penalty
        found = found + np.linalg.solve(curve, slope)
    return found


def read_recall(asked: Sequence[Asked], weights: Sequence[np.ndarray]) -> str:
    """The recall at each share of silent prompts that are told something; `weights` by fold."""
    best = [
        max(
            (
                float(np.dot(row, weights[one.fold]))
                for row, right in zip(one.features, one.right, strict=True)
                if right or not one.calls
            ),
            default=-99.0,
        )
        for one in asked
    ]
    calls = [value for value, one in zip(best, asked, strict=True) if one.calls]
    silent = sorted(
        (value for value, one in zip(best, asked, strict=True) if not one.calls), reverse=True
    )
    parts = []
    for share in _FALSE:
        least = silent[int(share * len(silent))]
        parts.append(f"{sum(value > least for value in calls) / len(calls):.3f} at {share:.0%}")
    return f"{', '.join(parts)} (n = {len(calls)} and {len(silent)})"


def main() -> None:
    """Fit both sets of weights and print them with their recall."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slots", type=Path, help="a folder of statements with questions")
    parser.add_argument("--steps", type=int, default=30)
    given = parser.parse_args()
    for name, with_meaning in (("words and meaning", True), ("words alone", False)):
        asked = ask_all(given.slots, with_meaning)
        folds = range(1 + max(one.fold for one in asked))
        whole = fit(asked, given.steps)
        apart = [fit([one for one in asked if one.fold != fold], given.steps) for fold in folds]
        used = certainty._WEIGHTS if with_meaning else certainty._WEIGHTS_OF_WORDS
        print(f"\n{name}: {' '.join(f'{value:.2f}' for value in whole)}")
        print(f"  in-sample: {read_recall(asked, [whole] * len(folds))}")
        print(f"  folds left out: {read_recall(asked, apart)}")
        print(f"  with the weights in use: {read_recall(asked, [np.array(used)] * len(folds))}")


if __name__ == "__main__":
    main()
