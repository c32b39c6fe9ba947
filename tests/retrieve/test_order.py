"""The final order: the same said once, the current before the old, something else before a repetition; nothing invented, nothing lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from test_score import record

from memctl.retrieve import order, score
from memctl.retrieve.score import FACTORS, Scored

WHOLE = dict.fromkeys(FACTORS, 1.0)


def item(name: str, relevance: float = 0.5, **changed: Any) -> Scored:
    """A scored record all of whose factors are 1."""
    return Scored(record(id=name, **changed), relevance, relevance, {"lexical": relevance, "semantic": 0.0, **WHOLE}, "project", ("alpha",))


def ids(items: Any) -> list[str]:
    return [each.memory.id for each in items]


def alike(pairs: Mapping[frozenset[str], float]) -> order.Likeness:
    return lambda a, b: pairs.get(frozenset((a.memory.id, b.memory.id)))


def all_alike(_a: Scored, _b: Scored) -> float:
    return 0.9


names = st.lists(st.sampled_from("ABCDEFGH"), unique=True, max_size=8)
newer = st.dictionaries(st.sampled_from("ABCDEFGH"), st.lists(st.sampled_from("ABCDEFGHXY"), max_size=3), max_size=8)


@given(names, newer)
def test_putting_the_current_first_loses_and_invents_nothing(given_: list[str], newer_of: dict[str, list[str]]) -> None:
    assert sorted(ids(order.current_first([item(name) for name in given_], newer_of))) == sorted(given_)


@given(st.permutations("ABCD"))
def test_a_chain_stands_newest_first_however_it_was_ranked(ranked: list[str]) -> None:
    chain = {"A": ["B"], "B": ["C"], "C": ["D"]}
    assert ids(order.current_first([item(name) for name in ranked], chain)) == ["D", "C", "B", "A"]


def test_what_has_nothing_newer_keeps_its_place() -> None:
    assert ids(order.current_first([item(name) for name in "ABCD"], {"C": ["D"]})) == ["A", "B", "D", "C"]


def test_a_circle_stays_whole() -> None:
    assert sorted(ids(order.current_first([item(name) for name in "ABC"], {"A": ["B"], "B": ["C"], "C": ["A"]}))) == ["A", "B", "C"]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from((None, 0.2, 0.85, 1.0))), max_size=8))
def test_diversity_loses_nothing_and_leaves_unlike_records_in_order(made: list[tuple[float, float | None]]) -> None:
    items = order.ordered(item(f"M{n}", relevance) for n, (relevance, _) in enumerate(made))
    likeness = {each.memory.id: made[int(each.memory.id[1:])][1] for each in items}
    arranged = order.diverse(items, lambda a, b: min(likeness[a.memory.id] or 0.0, likeness[b.memory.id] or 0.0))
    assert sorted(ids(arranged)) == sorted(ids(items))
    assert ids(order.diverse(items, lambda a, b: 0.5)) == ids(items) == ids(order.diverse(items, lambda a, b: None))


def test_a_repetition_yields_to_something_else_but_not_to_what_is_much_weaker() -> None:
    repeats = alike({frozenset("AB"): 1.0})
    assert ids(order.diverse([item("A", 0.6), item("B", 0.58), item("C", 0.55)], repeats)) == ["A", "C", "B"]
    assert ids(order.diverse([item("A", 0.6), item("B", 0.58), item("C", 0.2)], repeats)) == ["A", "B", "C"]


def test_of_two_nearly_as_relevant_in_one_matter_the_later_one_is_newer() -> None:
    old, new = item("A", 0.6, observed_at="2026-01-01T00:00:00.000Z"), item("B", 0.5, observed_at="2026-03-01T00:00:00.000Z")
    assert order.newer_in_the_same_matter([old, new], all_alike) == {"A": ["B"]}
    assert ids(order.current_first([old, new], order.newer_in_the_same_matter([old, new], all_alike))) == ["B", "A"]


def test_age_does_not_speak_for_other_matters_other_projects_or_what_happened() -> None:
    days = ("2026-01-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z")
    assert order.newer_in_the_same_matter([item("A", observed_at=days[0]), item("B", observed_at=days[1])], lambda a, b: 0.3) == {}
    assert order.newer_in_the_same_matter([item("A", observed_at=days[0]), item("B", 0.1, observed_at=days[1])], all_alike) == {}
    elsewhere = item("B", observed_at=days[1], project_id="X")
    assert order.newer_in_the_same_matter([item("A", observed_at=days[0]), elsewhere], all_alike) == {}
    told = [item(name, observed_at=day, type="episode") for name, day in zip("AB", days, strict=True)]
    assert order.newer_in_the_same_matter(told, all_alike) == {}


def test_what_means_the_same_in_other_words_is_folded_unless_a_number_or_a_denial_differs() -> None:
    same = alike({frozenset("AB"): 0.99})
    a, b = item("A", content="The cache holds tides for an hour"), item("B", content="Tide data stay cached for one hour")
    assert order.folded([a, b], same)[1] == {"B": "A"}
    assert order.folded([a, item("B", content="Tide data do not stay cached for an hour")], same)[1] == {}
    assert order.folded([item("A", content="port 80 is open"), item("B", content="port 81 is open")], same)[1] == {}


def test_a_record_rises_with_the_strong_hit_it_applies_to_and_not_with_a_weak_one() -> None:
    weak, strong = item("H", 0.2), item("H", 0.6)
    assert score.lifted(item("A", 0.0), strong, "applies_to").relevance == 0.42
    assert score.lifted(item("A", 0.0), strong, "applies_to").lifted_by == "H"
    assert score.lifted(item("A", 0.0), weak, "applies_to").relevance == 0.0
    assert score.lifted(item("A", 0.0), weak, "supersedes").relevance == 0.2


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(("applies_to", "supports", "supersedes")))
def test_a_link_never_lowers_a_record_and_never_lifts_it_above_its_hit(own: float, hit: float, relation: str) -> None:
    risen = score.lifted(item("A", own), item("H", hit), relation)
    assert own <= risen.relevance <= max(own, hit) and risen.score >= item("A", own).score - 1e-4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_what_stands_beside_a_hit_in_a_conversation_never_falls(relevances: list[float]) -> None:
    items = [item(f"T{n}", relevance) for n, relevance in enumerate(relevances)]
    turns = {f"T{n}": (f"T{n - 1}", f"T{n + 1}") for n in range(len(items))}
    risen = score.beside(items, turns, 0.15)
    assert ids(risen) == ids(items)
    assert all(before.relevance <= after.relevance for before, after in zip(items, risen, strict=True))
    assert score.beside(items, {}, 0.15) == items


def test_neighbours_stand_in_the_same_turn_or_the_next_of_the_same_source() -> None:
    places = [("A", "s1", 1), ("B", "s1", 2), ("C", "s1", 4), ("D", "s2", 2), ("E", "s1", 2)]
    assert order.neighbours(places) == {"A": {"B", "E"}, "B": {"A", "E"}, "C": set(), "D": set(), "E": {"A", "B"}}
