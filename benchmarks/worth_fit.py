"""Weights for the worth of sentences: a logistic regression, fitted whole or by folds, and what it
takes of each turn.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.worth_data import Labels, Numbers, Row, covers
from memctl.extract import worth_model

FOLDS = 5
# What a vector weighs beside the features, which are scaled to a deviation of 1; and how strongly
# weights are held near 0. Chosen on folds over sessions.
_VECTOR_SCALE = 6.0
_PENALTY = 50.0
# Sentences of a turn next to the best one belong to it from this share of its worth on.
_NEIGHBOUR_SHARE = 0.3
# The surest candidate of a turn: its logit, its turn, the memories that it holds.
Taken = Sequence[tuple[float, tuple[str, int], set[int]]]


@dataclass
class Fit:
    """Weights by feature name and by number of the vector, in the features' own units."""

    names: list[str]
    features: Numbers
    vector: Numbers
    bias: float

    def apply(self, table: Numbers, vectors: Numbers) -> Numbers:
        """The logit of each row."""
        return np.asarray(table @ self.features + vectors @ self.vector + self.bias)


def make_table(rows: Sequence[Row]) -> tuple[list[str], Numbers]:
    """The features as a table, with its columns' names."""
    names = sorted({name for row in rows for name in row.features})
    places = {name: n for n, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for n, row in enumerate(rows):
        for name, value in row.features.items():
            table[n, places[name]] = value
    return names, table


def fit(names: list[str], table: Numbers, vectors: Numbers, rows: Sequence[Row]) -> Fit:
    """Fit a logistic regression by Newton's method."""
    target = np.array([float(row.importance > 0) for row in rows])
    weight = np.array([row.weight for row in rows])
    mean, deviation = table.mean(0), table.std(0)
    deviation[deviation < 1e-6] = 1.0
    inputs = np.hstack([(table - mean) / deviation, vectors * _VECTOR_SCALE])
    inputs = np.hstack([inputs, np.ones((len(rows), 1))])
    penalty = np.full(inputs.shape[1], _PENALTY)
    penalty[-1] = 1e-6
    beta = np.zeros(inputs.shape[1])
    for _ in range(20):
        share = 1 / (1 + np.exp(-inputs @ beta))
        slope = inputs.T @ (weight * (share - target)) + penalty * beta
        curve = (inputs * (weight * share * (1 - share))[:, None]).T @ inputs
        curve[np.diag_indices_from(curve)] += penalty
        step = np.linalg.solve(curve, slope)
        beta -= step
        if np.abs(step).max() < 1e-6:
            break
    count = table.shape[1]
    features = beta[:count] / deviation
    return Fit(
        names, features, beta[count:-1] * _VECTOR_SCALE, float(beta[-1] - (mean * features).sum())
    )


def choose_folds(groups: Sequence[str]) -> npt.NDArray[np.int64]:
    """A fold for each row: groups stay whole, folds are about equally large."""
    sizes, fold_of = [0] * FOLDS, dict[str, int]()
    for group, count in sorted(Counter(groups).items(), key=lambda one: (-one[1], one[0])):
        fold_of[group] = min(range(FOLDS), key=lambda n: sizes[n])
        sizes[fold_of[group]] += count
    return np.array([fold_of[group] for group in groups])


def cross(rows: Sequence[Row], table: Numbers, vectors: Numbers, groups: Sequence[str]) -> Numbers:
    """The logit of each labelled row by weights that saw nothing of its group."""
    folds, names = choose_folds(groups), [str(n) for n in range(table.shape[1])]
    invented = np.array([row.is_invented for row in rows])
    found = np.zeros(len(rows))
    for fold in range(FOLDS):
        train = invented | (folds != fold)
        test = ~train
        kept = [row for row, chosen in zip(rows, train, strict=True) if chosen]
        fitted = fit(names, table[train], vectors[train], kept)
        found[test] = fitted.apply(table[test], vectors[test])
    return found


def list_taken(
    rows: Sequence[Row], logits: Numbers, labels: Labels
) -> list[tuple[float, tuple[str, int], set[int]]]:
    """One candidate a turn, the surest first: its logit, its turn, the memories that it holds."""
    of_turn = defaultdict[tuple[str, int], list[int]](list)
    for n, row in enumerate(rows):
        if not row.is_invented:
            of_turn[row.session, row.turn].append(n)
    taken = []
    for key, places in of_turn.items():
        worth = 1 / (1 + np.exp(-logits[places]))
        low = high = best = int(worth.argmax())
        least = worth[best] * _NEIGHBOUR_SHARE
        while low > 0 and worth[low - 1] >= least:
            low -= 1
        while high < len(places) - 1 and worth[high + 1] >= least:
            high += 1
        start, end = rows[places[low]].start, rows[places[high]].end
        memories = labels[key].memories
        hits = {n for n, memory in enumerate(memories) if covers(start, end, memory)}
        taken.append((float(logits[places[best]]), key, hits))
    return sorted(taken, key=lambda one: (-one[0], one[1]))


def make_weights(fitted: Fit, scale: tuple[float, float]) -> worth_model.Weights:
    """The weights as the program uses them."""
    features = dict(zip(fitted.names, map(float, fitted.features), strict=True))
    return worth_model.Weights(features, array("f", fitted.vector), fitted.bias, *scale)


def calibrate(taken: Taken) -> tuple[float, float]:
    """Slope and offset that make held-out logits the share that is right (Platt)."""
    logit = np.array([one[0] for one in taken])
    right = np.array([float(bool(one[2])) for one in taken])
    inputs, beta = np.stack([logit, np.ones_like(logit)], 1), np.array([1.0, 0.0])
    for _ in range(30):
        share = 1 / (1 + np.exp(-inputs @ beta))
        curve = (inputs * (share * (1 - share))[:, None]).T @ inputs + 1e-6 * np.eye(2)
        beta -= np.linalg.solve(curve, inputs.T @ (share - right))
    return float(beta[0]), float(beta[1])
