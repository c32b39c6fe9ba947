"""How sure a prompt must be about a record: fits the weights of memctl/retrieve/certainty.py and
says how well they do on folds that they were not fitted on.

    python benchmarks/certainty.py [--served FOLDER] [--slots FOLDER] [--steps 30] [--false-fire .012]

Each list of `certainty.txt` is asked in stores of three records and of all of them, and with what
calls for nothing in another list; so are the prompts of the tests in their store. `--served` adds the prompts of a set of `served.py`, asked in its
own store. `--slots` adds a folder of statements with questions (`#slot`, `v`, `s`, `q` lines). The
constant is moved so that at .5 the given share of the served prompts that call for nothing is told
something. Printed are the weights with vectors and by words alone, and recall, precision and false
fire of each source by the weights in use, in-sample, and on folds left out.
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
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "retrieve")]

from invented import House  # noqa: E402
from prompts import DEV, FORMS, HELD, WORDS  # noqa: E402
from test_calibration import furnished, place_of  # noqa: E402

from benchmarks import served_data  # noqa: E402
from benchmarks.served_store import build  # noqa: E402
from memctl.core import clock  # noqa: E402
from memctl.core.frozen import replace  # noqa: E402
from memctl.core.model import Place, Query  # noqa: E402
from memctl.records.record_source import PresentRecords  # noqa: E402
from memctl.retrieve import candidates, certainty, prepared_query, score, vectors  # noqa: E402
from memctl.settings.config import Config  # noqa: E402
from memctl.store import records as stored  # noqa: E402
from memctl.store.database import Database  # noqa: E402

DATA = Path(__file__).with_suffix(".txt")
_FOLDS = 5
_SMALL = 3
_SLOTS = 30
# What stands beside what is called for may be called for as well; questions in other words than
# their answers are many. The weight of each row.
_BESIDE = 0.1
_OF_SLOTS = 0.1
# Beside the surest record, others are told if they are this share as sure: as the settings say.
_MARGIN = 0.9
_MOST_TOLD = 3
_USED = (certainty._WEIGHTS_OF_WORDS, certainty._WEIGHTS)
# What the constant is chosen by.
_JUDGING = ("prompts", "push", "reworded", "tests")
_SERVED = ("prompts", "push", "reworded")


@dataclass
class Asked:
    """One prompt in one store: where it is from, its fold, whether anything is called for, and for
    each candidate its features, whether it is what is called for, and whether it may be told.
    """

    source: str
    fold: int
    calls: bool
    wanted: int
    features: list[list[float]] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    fitting: list[bool] = field(default_factory=list)
    is_unclear: bool = False


Record = tuple[str, str, str]
Prompts = list[tuple[str, int | None]]
# The weights by the length of the rows that they are for: meaning is not compared everywhere.
Weights = dict[int, np.ndarray]


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


def list_rows(
    db: Database, config: Config, text: str, place: Place, with_meaning: bool
) -> Iterator[tuple[str, list[float]]]:
    """The features of every candidate of a prompt, by the id of the record."""
    if not with_meaning:
        config = replace(config, values={**config.values, "embedding.model": "none"})
    source = PresentRecords(db)
    prepared = prepared_query.prepare_query(
        source,
        config,
        Query(text, place, limit=10),
        clock.now(),
        prompt_setting="context.prompt_threshold",
    )
    found = candidates.find_candidates(source, prepared)[0]
    prompt, context = prepared.prompt, score.join_crowd(found, prepared.context)
    for each in found:
        # What begins every context is not told at a prompt.
        if prompt is None or each.memory.always_load or each.memory.type == "episode":
            continue
        features = certainty.list_features(
            prompt, score.list_words_of_record(each, context.groups), context.crowd
        )
        if features:
            yield each.memory.id, features


def ask(
    source: str, records: Sequence[Record], prompts: Prompts, fold: int, with_meaning: bool
) -> list[Asked]:
    """Every prompt asked in a store of these records."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        memories = [
            house.add(text, kind="fact" if kind == "profile" else kind, title=title or text[:60])
            for title, text, kind in records
        ]
        if with_meaning:
            vectors.embed_waiting(house.db, house.config)
        number = {memory.id: n for n, memory in enumerate(memories)}
        asked = []
        for text, called in prompts:
            one = Asked(source, fold, called is not None, int(called is not None))
            rows = list_rows(house.db, house.config, text, house.here, with_meaning)
            for record_id, features in rows:
                is_right = number[record_id] == called
                one.features.append(features)
                one.right.append(is_right)
                one.fitting.append(is_right)
            asked.append(one)
        house.db.close()
        return asked


def ask_lists(slots: Path | None, with_meaning: bool) -> Iterator[Asked]:
    """Every list in a store of its own, in small ones, and asked what calls for nothing in
    another.
    """
    lists = list(read_lists(DATA))
    for fold, (records, prompts) in enumerate(lists):
        strange: Prompts = [(text, None) for text, called in lists[fold - 2][1] if called is None]
        yield from ask("lists", records, prompts + strange, fold, with_meaning)
        for start in range(0, len(records), _SMALL):
            part = range(start, min(start + _SMALL, len(records)))
            own: Prompts = [(t, c - start) for t, c in prompts if c is not None and c in part]
            idle: Prompts = [(t, None) for t, c in prompts if c is None][start : start + _SMALL]
            few = [records[n] for n in part]
            yield from ask("lists", few, own + idle, fold, with_meaning)
    for fold, (records, prompts) in enumerate(read_slots(slots) if slots else ()):
        yield from ask("slots", records, prompts, fold, with_meaning)


def ask_served(folder: Path, with_meaning: bool) -> Iterator[Asked]:
    """The prompts of a served set, each of the store that `served.py` asks."""
    data = served_data.load(folder)
    with tempfile.TemporaryDirectory() as home:
        world = build(Path(home) / "home", data)
        with world.engine(f"agent:{served_data.ASKING}") as engine:
            db = engine.open_to_read()
            parts = dict(zip(_SERVED, (data.prompts, data.push, data.reworded), strict=True))
            for name, prompts in parts.items():
                for number, prompt in enumerate(prompts):
                    place = engine.place(world.folder(prompt.project), agent=served_data.ASKING)
                    one = Asked(
                        name,
                        number % _FOLDS,
                        bool(prompt.must),
                        len(prompt.must),
                        is_unclear=bool(prompt.fitting) and not prompt.must,
                    )
                    rows = list_rows(db, engine.config, prompt.text, place, with_meaning)
                    for record_id, features in rows:
                        key = world.keys.get(record_id, "")
                        one.features.append(features)
                        one.right.append(key in prompt.must)
                        one.fitting.append(key in prompt.fitting)
                    yield one


def ask_tests(with_meaning: bool) -> Iterator[Asked]:
    """The prompts of `tests/retrieve/prompts.py`, asked in one store of their four projects."""
    with tempfile.TemporaryDirectory() as folder:
        house = furnished(House(Path(folder)))
        if with_meaning:
            vectors.embed_waiting(house.db, house.config)
        for half in (DEV, HELD):
            names = sorted({told.project for told in half.memories})
            called = [(told.project, text, told.text) for told, text in half.related(WORDS, FORMS)]
            called += [(name, text, "") for name in names for text in half.unrelated]
            for number, (name, text, wanted) in enumerate(called):
                place = place_of(house, name)
                one = Asked("tests", number % _FOLDS, bool(wanted), int(bool(wanted)))
                for record_id, features in list_rows(
                    house.db, house.config, text, place, with_meaning
                ):
                    content = stored.resolve_record(house.db, record_id).content
                    one.features.append(features)
                    one.right.append(content == wanted)
                    one.fitting.append(content == wanted)
                yield one
        house.db.close()


def fit(asked: Sequence[Asked], length: int, steps: int) -> np.ndarray:
    """The weights of a logistic regression over rows of a length with a small penalty, by Newton's
    method.
    """
    told = [
        (row, right, weight)
        for one in asked
        for row, right, weight in zip(one.features, one.right, _weigh_rows(one), strict=True)
        if len(row) == length
    ]
    rows, weight = np.array([each[0] for each in told]), np.array([each[2] for each in told])
    right = np.array([each[1] for each in told], dtype=float)
    found, penalty = np.zeros(length), np.eye(length)
    penalty[0, 0] = 1e-6
    for _ in range(steps):
        share = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weight * (right - share)) - penalty @ found
        curve = (rows * (weight * share * (1 - share))[:, None]).T @ rows + penalty
        found = found + np.linalg.solve(curve, slope)
    return found


def _weigh_rows(one: Asked) -> Iterator[float]:
    """The weight of each row; what may be told besides says nothing."""
    whole = _OF_SLOTS if one.source == "slots" else 1.0
    for is_right, may in zip(one.right, one.fitting, strict=True):
        if is_right:
            yield whole
        elif may:
            yield 0.0
        else:
            yield whole * (_BESIDE if one.calls else len(one.right) ** -0.5)


def move_constant(
    asked: Sequence[Asked], weights: Weights, length: int, false_fire: float
) -> Weights:
    """The weights with another constant for rows of a length: so many of the served prompts that
    call for nothing are told something.
    """
    best = sorted(
        max((float(row @ weights[length]) for row in _list_arrays(one, length)), default=-99.0)
        for one in asked
        if one.source in _JUDGING and not one.calls and not one.is_unclear
    )
    moved = weights[length].copy()
    if best:
        moved[0] -= best[-1 - int(false_fire * len(best))] + 1e-6
    return {**weights, length: moved}


def _list_arrays(one: Asked, length: int) -> list[np.ndarray]:
    return [np.array(row) for row in one.features if len(row) == length]


def learn(
    asked: Sequence[Asked], other: Weights, length: int, steps: int, false_fire: float
) -> Weights:
    """The weights for rows of a length beside those for other rows."""
    return move_constant(asked, {**other, length: fit(asked, length, steps)}, length, false_fire)


def judge(asked: Sequence[Asked], by_fold: dict[int, Weights]) -> str:
    """Recall, precision and false fire as the hook tells what is surest."""
    found = wanted = fitting = told = fired = silent = 0
    for one in asked:
        weights = by_fold[one.fold % _FOLDS]
        said = [float(np.dot(row, weights[len(row)])) for row in one.features]
        best = max(said, default=-99.0)
        if not one.calls:
            silent += not one.is_unclear
            fired += best >= 0 and not one.is_unclear
            continue
        sure = [1 / (1 + np.exp(-value)) for value in said]
        chosen = sorted(
            (n for n, value in enumerate(said) if value >= 0 and sure[n] >= _MARGIN * max(sure)),
            key=lambda n: -said[n],
        )[:_MOST_TOLD]
        wanted += one.wanted
        found += sum(one.right[n] for n in chosen)
        fitting += sum(one.fitting[n] for n in chosen)
        told += len(chosen)
    return (
        f"recall {found / max(1, wanted):.3f} ({found} of {wanted}), "
        f"precision {fitting / max(1, told):.3f}, false fire {fired} of {silent}"
    )


def print_figures(asked: Sequence[Asked], weights: dict[str, dict[int, Weights]]) -> None:
    """One line for each source and each kind of weights, which are given by fold."""
    for source in dict.fromkeys(one.source for one in asked):
        mine = [one for one in asked if one.source == source]
        for name, by_fold in weights.items():
            print(f"  {source}, {name}: {judge(mine, by_fold)}")


def main() -> None:
    """Fit both sets of weights and print them with what they come to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--served", type=Path, help="a set of prompts with its own store")
    parser.add_argument("--slots", type=Path, help="a folder of statements with questions")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--false-fire", type=float, default=0.012)
    given = parser.parse_args()
    whole: Weights = {}
    apart: dict[int, Weights] = {fold: {} for fold in range(_FOLDS)}
    used = {len(each): np.array(each) for each in _USED}
    for name, with_meaning in (("words alone", False), ("words and meaning", True)):
        asked = list(ask_lists(given.slots, with_meaning))
        asked += ask_tests(with_meaning)
        if given.served:
            asked += ask_served(given.served, with_meaning)
        length = len(_USED[with_meaning])
        whole = learn(asked, whole, length, given.steps, given.false_fire)
        for fold, other in apart.items():
            rest = [one for one in asked if one.fold % _FOLDS != fold]
            apart[fold] = learn(rest, other, length, given.steps, given.false_fire)
        print(f"\n{name}: {', '.join(f'{value:.2f}' for value in whole[length])}")
        chosen = {"in use": dict.fromkeys(range(_FOLDS), used)}
        chosen["in-sample"] = dict.fromkeys(range(_FOLDS), whole)
        print_figures(asked, {**chosen, "folds left out": apart})


if __name__ == "__main__":
    main()
