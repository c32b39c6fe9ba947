"""The final order: the same said once, the current before the old, something else before a
repetition; nothing invented, nothing lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from test_score import record

from memctl.retrieve import order, score
from memctl.retrieve.score import SCORE_FACTORS, ScoredRecord

WHOLE = dict.fromkeys(SCORE_FACTORS, 1.0)


def item(name: str, relevance: float = 0.5, **changed: Any) -> ScoredRecord:
    """A scored record all of whose factors are 1."""
    return ScoredRecord(
        record(id=name, **changed),
        relevance,
        relevance,
        {"lexical": relevance, "semantic": 0.0, **WHOLE},
        "project",
        ("alpha",),
    )


def ids(items: Any) -> list[str]:
    return [each.memory.id for each in items]


def alike(pairs: Mapping[frozenset[str], float]) -> order.Similarity:
    return lambda a, b: pairs.get(frozenset((a.memory.id, b.memory.id)))


def all_alike(_a: ScoredRecord, _b: ScoredRecord) -> float:
    return 0.9


names = st.lists(st.sampled_from("ABCDEFGH"), unique=True, max_size=8)
newer = st.dictionaries(
    st.sampled_from("ABCDEFGH"), st.lists(st.sampled_from("ABCDEFGHXY"), max_size=3), max_size=8
)


@given(names, newer)
def test_putting_the_current_first_loses_and_invents_nothing(
    given_: list[str], newer_of: dict[str, list[str]]
) -> None:
    assert sorted(
        ids(order.put_current_first([item(name) for name in given_], newer_of))
    ) == sorted(given_)


@given(st.permutations("ABCD"))
def test_a_chain_stands_newest_first_however_it_was_ranked(ranked: list[str]) -> None:
    chain = {"A": ["B"], "B": ["C"], "C": ["D"]}
    assert ids(order.put_current_first([item(name) for name in ranked], chain)) == [
        "D",
        "C",
        "B",
        "A",
    ]


def test_what_has_nothing_newer_keeps_its_place() -> None:
    assert ids(order.put_current_first([item(name) for name in "ABCD"], {"C": ["D"]})) == [
        "A",
        "B",
        "D",
        "C",
    ]


def test_a_circle_stays_whole() -> None:
    assert sorted(
        ids(
            order.put_current_first(
                [item(name) for name in "ABC"], {"A": ["B"], "B": ["C"], "C": ["A"]}
            )
        )
    ) == ["A", "B", "C"]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from((None, 0.2, 0.85, 1.0))), max_size=8))
def test_diversity_loses_nothing_and_leaves_unlike_records_in_order(
    made: list[tuple[float, float | None]],
) -> None:
    items = order.sort_by_score(item(f"M{n}", relevance) for n, (relevance, _) in enumerate(made))
    likeness = {each.memory.id: made[int(each.memory.id[1:])][1] for each in items}
    arranged = order.diversify(
        items, lambda a, b: min(likeness[a.memory.id] or 0.0, likeness[b.memory.id] or 0.0)
    )
    assert sorted(ids(arranged)) == sorted(ids(items))
    assert (
        ids(order.diversify(items, lambda a, b: 0.5))
        == ids(items)
        == ids(order.diversify(items, lambda a, b: None))
    )


def test_a_repetition_yields_to_something_else_but_not_to_what_is_much_weaker() -> None:
    repeats = alike({frozenset("AB"): 1.0})
    assert ids(order.diversify([item("A", 0.6), item("B", 0.58), item("C", 0.55)], repeats)) == [
        "A",
        "C",
        "B",
    ]
    assert ids(order.diversify([item("A", 0.6), item("B", 0.58), item("C", 0.2)], repeats)) == [
        "A",
        "B",
        "C",
    ]


DAYS = ("2026-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z")


def latest_first(
    *items: ScoredRecord, likeness: order.Similarity = all_alike, asks_of_now: bool = False
) -> list[str]:
    return ids(order.put_latest_first(items, likeness, asks_of_now=asks_of_now))


def test_of_two_nearly_as_relevant_in_one_matter_the_later_one_stands_first() -> None:
    old, new, other = (
        item("A", 0.6, observed_at=DAYS[0]),
        item("B", 0.5, observed_at=DAYS[1]),
        item("C", 0.55, observed_at=DAYS[0]),
    )
    assert latest_first(old, other, new) == ["B", "A", "C"]
    assert latest_first(old, other, new, likeness=lambda a, b: 0.5) == ["A", "C", "B"]


def test_where_the_question_asks_of_now_the_latest_word_is_first_unless_irrelevant() -> None:
    old, new, faint = (
        item("A", 0.6, observed_at=DAYS[0]),
        item("B", 0.3, observed_at=DAYS[1]),
        item("C", 0.1, observed_at=DAYS[2]),
    )
    assert latest_first(old, new, faint, likeness=lambda a, b: 0.3, asks_of_now=True) == [
        "B",
        "A",
        "C",
    ]


def test_of_several_later_ones_the_latest_stands_first() -> None:
    items = [
        item(name, 0.6 - n / 100, observed_at=day)
        for n, (name, day) in enumerate(zip("ABC", DAYS, strict=True))
    ]
    assert latest_first(*items) == ["C", "B", "A"]


def test_age_does_not_speak_across_projects_or_for_what_happened_or_was_said() -> None:
    old, elsewhere = (
        item("A", 0.6, observed_at=DAYS[0]),
        item("B", 0.5, observed_at=DAYS[1], project_id="X"),
    )
    assert latest_first(old, elsewhere, asks_of_now=True) == ["A", "B"]
    for type_ in ("episode", "artifact"):
        assert latest_first(
            old, item("B", 0.5, observed_at=DAYS[1], type=type_), asks_of_now=True
        ) == ["A", "B"]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from(DAYS)), max_size=8), st.booleans())
def test_the_latest_first_loses_nothing_and_never_lowers_the_best(
    made: list[tuple[float, str]], asks_of_now: bool
) -> None:
    items = order.sort_by_score(
        item(f"M{n}", relevance, observed_at=day) for n, (relevance, day) in enumerate(made)
    )
    arranged = latest_first(*items, asks_of_now=asks_of_now)
    assert sorted(arranged) == sorted(ids(items))
    assert latest_first(*items, likeness=lambda a, b: None) == ids(items)


def test_what_means_the_same_in_other_words_is_folded_unless_a_number_or_a_denial_differs() -> None:
    same = alike({frozenset("AB"): 0.99})
    a, b = (
        item("A", content="The cache holds tides for an hour"),
        item("B", content="Tide data stay cached for one hour"),
    )
    assert order.fold_duplicates([a, b], same)[1] == {"B": "A"}
    assert (
        order.fold_duplicates(
            [a, item("B", content="Tide data do not stay cached for an hour")], same
        )[1]
        == {}
    )
    assert (
        order.fold_duplicates(
            [item("A", content="port 80 is open"), item("B", content="port 81 is open")], same
        )[1]
        == {}
    )


VALKEY = "We use Valkey for the session cache"


def test_a_reviewed_record_stands_in_place_of_an_episode_that_says_the_same() -> None:
    episode = item("E", 0.9, content=VALKEY, type="episode")
    decision = item("D", 0.4, content=VALKEY, type="decision")
    waiting = item("W", 0.8, content=VALKEY, status="inbox")
    kept, into = order.fold_duplicates([episode, waiting, decision])
    assert ids(kept) == ["D"] and into == {"E": "D", "W": "D"}


def test_a_reviewed_duplicate_is_found_behind_all_that_is_kept() -> None:
    episode = item("E", 0.9, content=VALKEY, type="episode")
    other = item("O", 0.8, content="The kiln has two doors")
    unseen = item("U", 0.6, content="Clay comes from Limoges")
    decision = item("D", 0.4, content=VALKEY, type="decision")
    kept, into = order.fold_duplicates([episode, other, unseen, decision], most=2)
    assert ids(kept) == ["D", "O", "U"] and into == {"E": "D"}


@given(st.permutations("ABEF"), st.integers(1, 4))
def test_folding_loses_nothing_and_never_keeps_an_episode_for_a_reviewed_record(
    ranked: list[str], most: int
) -> None:
    types = {"A": "decision", "B": "project", "E": "episode", "F": "episode"}
    items = [item(name, content=VALKEY, type=types[name]) for name in ranked]
    kept, into = order.fold_duplicates(items, most=most)
    assert sorted([*ids(kept), *into]) == sorted(types)
    assert types[kept[0].memory.id] != "episode"
    assert set(into.values()) <= set(ids(kept))


def test_a_record_rises_with_the_strong_hit_it_applies_to_and_not_with_a_weak_one() -> None:
    weak, strong = item("H", 0.2), item("H", 0.6)
    assert score.boost_by_link(item("A", 0.0), strong, "applies_to", 0.3).relevance == 0.42
    assert score.boost_by_link(item("A", 0.0), strong, "applies_to", 0.3).boosted_by == "H"
    assert score.boost_by_link(item("A", 0.0), weak, "applies_to", 0.3).relevance == 0.0
    assert score.boost_by_link(item("A", 0.0), weak, "supersedes", 0.3).relevance == 0.2


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(("applies_to", "supports", "supersedes")))
def test_a_link_never_lowers_a_record_and_never_lifts_it_above_its_hit(
    own: float, hit: float, relation: str
) -> None:
    risen = score.boost_by_link(item("A", own), item("H", hit), relation, 0.3)
    assert own <= risen.relevance <= max(own, hit) and risen.score >= item("A", own).score - 1e-4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_what_stands_beside_a_hit_in_a_conversation_never_falls(relevances: list[float]) -> None:
    items = [item(f"T{n}", relevance) for n, relevance in enumerate(relevances)]
    turns = {f"T{n}": (f"T{n - 1}", f"T{n + 1}") for n in range(len(items))}
    risen = score.boost_by_neighbours(items, turns, 0.15)
    assert ids(risen) == ids(items)
    assert all(
        before.relevance <= after.relevance for before, after in zip(items, risen, strict=True)
    )
    assert score.boost_by_neighbours(items, {}, 0.15) == items


def test_neighbours_stand_in_the_same_turn_or_the_next_of_the_same_source() -> None:
    places = [("A", "s1", 1), ("B", "s1", 2), ("C", "s1", 4), ("D", "s2", 2), ("E", "s1", 2)]
    assert order.find_neighbours(places) == {
        "A": {"B", "E"},
        "B": {"A", "E"},
        "C": set(),
        "D": set(),
        "E": {"A", "B"},
    }
