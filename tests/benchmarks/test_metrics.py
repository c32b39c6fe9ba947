"""The measures mean what they are called, and no ranking can make them lie."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import metrics
from benchmarks.metrics import DEPTHS, NAMES, Answered

ids = st.sampled_from([f"d{number}" for number in range(30)])
rankings = st.lists(ids, unique=True, max_size=20)
golds = st.dictionaries(ids, st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=8)


@given(rankings, golds)
def test_every_measure_lies_between_nothing_and_all(
    ranking: list[str], gold: dict[str, float]
) -> None:
    assert all(0 <= value <= 1 for value in metrics.of_one(ranking, gold).values())


@given(rankings, golds)
def test_all_is_no_more_than_the_fraction_and_the_fraction_no_more_than_any(
    ranking: list[str], gold: dict[str, float]
) -> None:
    found = metrics.of_one(ranking, gold)
    assert all(found[f"all@{k}"] <= found[f"fraction@{k}"] <= found[f"any@{k}"] for k in DEPTHS)


@given(rankings, golds)
def test_looking_deeper_never_finds_less(ranking: list[str], gold: dict[str, float]) -> None:
    found = metrics.of_one(ranking, gold)
    assert all(
        found[f"{unit}@{a}"] <= found[f"{unit}@{b}"]
        for unit in ("fraction", "any", "all")
        for a, b in pairwise(DEPTHS)
    )


@given(golds)
def test_the_best_ranking_has_all_there_is(gold: dict[str, float]) -> None:
    best = sorted(gold, key=lambda name: -gold[name])
    found = metrics.of_one(best, gold)
    assert found["mrr"] == found["all@10"] == 1
    assert found["ndcg@10"] == pytest.approx(1)


@given(rankings, golds, st.integers(1, 19))
def test_a_gold_document_that_rises_past_an_empty_one_never_lowers_a_measure(
    ranking: list[str], gold: dict[str, float], at: int
) -> None:
    if at >= len(ranking) or ranking[at] not in gold or ranking[at - 1] in gold:
        return
    risen = [*ranking[: at - 1], ranking[at], ranking[at - 1], *ranking[at + 1 :]]
    before, after = metrics.of_one(ranking, gold), metrics.of_one(risen, gold)
    assert all(after[name] >= before[name] - 1e-12 for name in NAMES)


@given(rankings, golds)
def test_what_stands_behind_the_last_hit_changes_nothing(
    ranking: list[str], gold: dict[str, float]
) -> None:
    assert metrics.of_one([*ranking, "x1", "x2"], gold) == metrics.of_one(ranking, gold)


@given(st.lists(st.tuples(st.sampled_from("abc"), rankings, golds), min_size=1, max_size=12))
def test_the_mean_over_all_is_the_mean_of_the_categories_by_their_size(
    rows: list[tuple[str, list[str], dict[str, float]]],
) -> None:
    found = metrics.by_category(Answered(*row) for row in rows)
    whole = found.pop(metrics.MEAN)
    assert whole["n"] == sum(values["n"] for values in found.values()) == len(rows)
    for name in NAMES:
        assert whole[name] == pytest.approx(
            sum(values["n"] * values[name] for values in found.values()) / len(rows)
        )


def test_a_higher_gain_should_come_first() -> None:
    gold = {"best": 2.0, "good": 1.0}
    assert metrics.ndcg(["best", "good"], gold) == 1
    assert metrics.ndcg(["good", "best"], gold) == pytest.approx(
        (1 + 2 / 1.5849625) / (2 + 1 / 1.5849625)
    )


def test_half_of_the_gold_is_a_fraction_and_any_but_not_all() -> None:
    found = metrics.of_one(["x", "a"], {"a": 1.0, "b": 1.0})
    assert (found["fraction@5"], found["any@5"], found["all@5"], found["mrr"]) == (0.5, 1, 0, 0.5)
    assert found["any@1"] == 0


def test_a_document_that_is_told_twice_gains_once() -> None:
    assert metrics.ndcg(["a", "a", "a"], {"a": 1.0, "b": 1.0}) < 1


@pytest.mark.parametrize("gold", [{}, {"a": 0.0}])
def test_a_question_without_gold_is_refused(gold: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="gold"):
        metrics.of_one(["a"], gold)
