"""Train and measure the head that says whether two answers to one question are the same.

Each third of the slots is read by a low-rank path that never saw it. A head learns on two thirds
and is measured on the other: pairs of answers, and whole histories, in which it is counted how many
records of a value that does not hold any more would be marked with the one that does, at which
share of wrong marks, and how right a merge would be. What ships learns on all.

    python value_head.py fold0.npz fold1.npz fold2.npz [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from histories import Told, draw_answers, draw_histories
from measure_slots import load, read, split_slots
from pair_head import train_rows, write_head

sys.path.insert(0, str(Path(__file__).parents[2]))

from memctl.consolidate.slot_pairs import score_pair
from memctl.consolidate.value_pairs import NAMES, measure_values
from memctl.embed import find_embedder

HEAD = Path(__file__).parents[2] / "memctl" / "consolidate" / "value_head.py"
_PAIRS_A_SLOT = 12
_HISTORIES = 3
# Pairs of a history whose cosines are both lower are not looked at.
_LEAST = 0.3
SURE = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SAME = (0.7, 0.8, 0.85, 0.9, 0.95)
MERGES = (
    (0.7, 0.95),
    (0.8, 0.95),
    (0.9, 0.95),
    (0.8, 0.98),
    (0.9, 0.98),
    (0.95, 0.98),
    (0.97, 0.99),
)


class Answers(NamedTuple):
    """Pairs of answers: their measures [pairs][features], and whether they are the same."""

    measures: Any
    same: Any


class Pair(NamedTuple):
    """An older and a newer statement of a history by their places, how surely they answer one
    question, and what their answers are compared by.
    """

    older: int
    newer: int
    sure: float
    measures: tuple[float, ...]


History = tuple[list[Told], list[Pair]]


def main() -> None:
    """Print figures of every third, and write the head if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="the low-rank path of each fold")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    base = find_embedder(backend="kernel")
    answers, histories = [], []
    for fold, path in enumerate(asked.paths):
        _, unseen = split_slots(fold)
        reader = load(path)
        answers.append(_read_answers(unseen, reader, base))
        histories.append(_read_histories(unseen, reader, base))
        print(f"fold {fold}: {len(answers[-1].same)} pairs of answers", flush=True)
    heads = []
    for fold in range(len(answers)):
        rest = [part for number, part in enumerate(answers) if number != fold] or answers
        heads.append(train_answers(rest))
        print(f"fold {fold}: area {measure_area(answers[fold], heads[fold]):.3f}")
    report_histories(histories, heads)
    head = train_answers(answers)
    for name, weight, centre in zip(NAMES, head[1], head[2], strict=True):
        print(f"{name:28} {weight:8.3f} {centre:7.3f}")
    if asked.write:
        write_head(head, HEAD)


def _embed_pairs(texts: Sequence[tuple[str, str]], reader: Any, base: Any) -> tuple[Any, Any]:
    older, newer = [one for one, _ in texts], [other for _, other in texts]
    return tuple((read(model, older) * read(model, newer)).sum(1) for model in (reader, base))


def _read_answers(slots: Any, reader: Any, base: Any) -> Answers:
    pairs = draw_answers(slots, 5, _PAIRS_A_SLOT)
    texts = [(older, newer) for older, newer, _, _ in pairs]
    near = zip(*_embed_pairs(texts, reader, base), strict=True)
    rows = [
        measure_values(older, newer, float(slot), float(cosine))
        for (older, newer), (slot, cosine) in zip(texts, near, strict=True)
    ]
    return Answers(np.array(rows), np.array([same for _, _, same, _ in pairs]))


def _read_histories(slots: Any, reader: Any, base: Any) -> list[History]:
    return [
        (told, read_pairs(told, reader, base))
        for seed in range(_HISTORIES)
        for told in draw_histories(slots, seed)
    ]


def read_pairs(told: Sequence[Told], reader: Any, base: Any) -> list[Pair]:
    """The pairs of a history that are near enough to be looked at."""
    texts = [one.text for one in told]
    slots, near = (vectors @ vectors.T for vectors in (read(reader, texts), read(base, texts)))
    pairs = []
    for i, older in enumerate(told):
        for j, newer in enumerate(told):
            both = float(slots[i, j]), float(near[i, j])
            if newer.round > older.round and max(both) >= _LEAST:
                sure = score_pair(older.text, newer.text, *both)
                if sure >= min(SURE):
                    measured = measure_values(older.text, newer.text, *both)
                    pairs.append(Pair(i, j, sure, measured))
    return pairs


def train_answers(parts: Sequence[Answers]) -> tuple[float, Any, Any]:
    """Bias, weights and centres of the head."""
    return train_rows(
        np.concatenate([part.measures for part in parts]),
        np.concatenate([part.same for part in parts]),
    )


def score_rows(rows: Any, head: tuple[float, Any, Any]) -> Any:
    """How surely the answers of each row are the same."""
    bias, weights, centres = head
    return 1 / (1 + np.exp(-np.clip(bias + (np.array(rows) - centres) @ weights, -60, 60)))


def measure_area(answers: Answers, head: tuple[float, Any, Any]) -> float:
    """How often a pair of the same answer is scored above one of other answers."""
    scores = score_rows(answers.measures, head)
    places = np.argsort(np.argsort(scores))
    many = answers.same.sum()
    others = len(scores) - many
    return float((places[answers.same].sum() - many * (many - 1) / 2) / (many * others))


def report_histories(folds: Sequence[Sequence[History]], heads: Sequence[Any]) -> None:
    """Print the curve of marks, and how right merges would be, on slots that were left out."""
    scored = [
        (told, pairs, score_rows([pair.measures for pair in pairs], head))
        for histories, head in zip(folds, heads, strict=True)
        for told, pairs in histories
    ]
    for sure in SURE:
        for same in SAME:
            print(f"  marks, one question {sure}, same {same}: " + count_marks(scored, sure, same))
    for sure, same in MERGES:
        print(f"  merges, one question {sure}, same {same}: " + count_merges(scored, sure, same))


def count_marks(scored: Sequence[Any], sure: float, same: float) -> str:
    """The share of records that do not hold that are marked with what does, and of those that hold
    that are marked wrongly, or with what says the same.
    """
    stale = marked = force = wrong = again = 0
    for told, pairs, scores in scored:
        last = {one.fact: one.value for one in sorted(told, key=lambda one: one.round)}
        marks = mark_history(told, pairs, scores, sure, same)
        for place, one in enumerate(told):
            newer = told[marks[place]] if place in marks else None
            is_of_fact = newer is not None and newer.fact == one.fact
            if one.value != last[one.fact]:
                stale += 1
                marked += newer is not None and is_of_fact and newer.value == last[one.fact]
            else:
                force += 1
                is_same = newer is not None and is_of_fact and newer.value == one.value
                again += is_same
                wrong += newer is not None and not is_same
    return f"stale {marked / stale:.3f} wrong {wrong / force:.3f} same {again / force:.3f}"


def mark_history(
    told: Sequence[Told], pairs: Sequence[Pair], scores: Any, sure: float, same: float
) -> dict[int, int]:
    """The place of what each statement is marked with: the latest that answers its question, with
    another value, or what that one is marked with itself.
    """
    newer: dict[int, list[tuple[int, float, int, float]]] = {}
    for pair, score in zip(pairs, scores, strict=True):
        if pair.sure >= sure:
            entry = told[pair.newer].round, pair.sure, pair.newer, float(score)
            newer.setdefault(pair.older, []).append(entry)
    marks: dict[int, int] = {}
    for place in sorted(newer, key=lambda place: -told[place].round):
        _, _, latest, score = max(newer[place])
        if score < same:
            marks[place] = marks.get(latest, latest)
        elif latest in marks:
            marks[place] = marks[latest]
    return marks


def count_merges(scored: Sequence[Any], sure: float, same: float) -> str:
    """How many pairs would be merged, and how many of them rightly."""
    right = all_ = could = 0
    for told, pairs, scores in scored:
        for pair, score in zip(pairs, scores, strict=True):
            older, newer = told[pair.older], told[pair.newer]
            is_right = (older.fact, older.value) == (newer.fact, newer.value)
            could += is_right
            if pair.sure >= sure and score >= same:
                all_ += 1
                right += is_right
    return f"{right} of {all_} right ({right / max(1, all_):.3f}), of {could}"


if __name__ == "__main__":
    main()
