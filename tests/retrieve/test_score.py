"""Scores are made in one place; every part counts in its own direction and nothing depends on
chance.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memctl.core.frozen import replace
from memctl.core.model import FeedbackSignals, Memory, Place
from memctl.retrieve import order, query_terms, score
from memctl.retrieve.score import ScoredRecord, ScoringContext, SearchCandidate

NOW = "2026-06-01T00:00:00.000Z"
STAND = ScoringContext(
    Place("P", "R", "claude", "s1"), frozenset({"L"}), NOW, {"project": 0.005, "episode": 0.006}
)
TERMS = ("alpha", "beta", "gamma")
ASKED = query_terms.weigh_terms(TERMS, {"alpha": 3, "beta": 40, "gamma": 0}, 500)
share = st.floats(0, 1)


def record(**changed: Any) -> Memory:
    plain: dict[str, Any] = {
        "id": "M1",
        "type": "project",
        "kind": "fact",
        "scope": "project",
        "status": "active",
        "title": "t",
        "content": "words",
        "summary": "s",
        "owner": "shared",
        "source_kind": "manual",
        "confidence": 0.5,
        "trust": 3,
        "observed_at": "2026-01-01T00:00:00.000Z",
        "fingerprint": "f",
        "created_at": NOW,
        "updated_at": NOW,
        "project_id": "P",
    }
    return Memory(**plain | changed)


def candidate(
    memory: Memory,
    bm25: float = 3.0,
    semantic: float | None = None,
    matched: tuple[str, ...] = ("alpha",),
) -> SearchCandidate:
    return SearchCandidate(memory, matched, bm25, TERMS, semantic)


def worth(
    memory: Memory,
    bm25: float = 3.0,
    semantic: float | None = None,
    matched: tuple[str, ...] = ("alpha",),
) -> float:
    return scored_alone(candidate(memory, bm25, semantic, matched)).score


def scored_alone(one: SearchCandidate) -> ScoredRecord:
    """A candidate scored as the only one."""
    (made,) = score.score_candidates([one], ASKED, STAND)
    return made


def scored(memory: Memory, value: float) -> ScoredRecord:
    return ScoredRecord(memory, value, value, {}, "project", ("alpha",))


@given(share, share)
def test_more_confidence_never_lowers_a_score(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert worth(record(confidence=low)) <= worth(record(confidence=high))


@given(st.integers(1, 5), st.integers(1, 5))
def test_more_trust_never_lowers_a_score(a: int, b: int) -> None:
    low, high = sorted((a, b))
    assert worth(record(trust=low)) <= worth(record(trust=high))


@given(share, share)
def test_missing_citations_never_raise_a_score(a: float, b: float) -> None:
    few, many = sorted((a, b))
    worths = [
        scored_alone(
            replace(candidate(record()), signals=FeedbackSignals(missing_share=gone))
        ).score
        for gone in (many, few, 0.0)
    ]
    assert worths == sorted(worths)


votes = st.integers(0, 1000)


@given(votes, votes, votes, votes)
def test_votes_of_agents_never_let_a_record_pass_one_that_is_trusted_more(
    a: int, b: int, c: int, d: int
) -> None:
    for trust in (1, 2, 3, 4):
        lower = score.compute_factors(
            record(trust=trust), STAND, FeedbackSignals(agents_good=a, agents_bad=b)
        )
        higher = score.compute_factors(
            record(trust=trust + 1), STAND, FeedbackSignals(agents_good=c, agents_bad=d)
        )
        assert (
            lower["trust"] * lower.get("outcomes", 1)
            <= higher["trust"] * higher.get("outcomes", 1) + 1e-4
        )


@given(votes, votes, votes, votes)
def test_a_score_moves_by_votes_only_so_far(a: int, b: int, c: int, d: int) -> None:
    plain = worth(record())
    moved = scored_alone(
        replace(candidate(record()), signals=FeedbackSignals(0.0, a, b, c, d))
    ).score
    assert 0.75 * plain <= moved <= 1.25 * plain


@given(st.floats(0, 20), st.floats(0, 20))
def test_better_words_never_lower_a_score(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert worth(record(), low) <= worth(record(), high)


@given(share, share)
def test_nearer_sense_never_lowers_a_score(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert worth(record(), semantic=low) <= worth(record(), semantic=high)


@given(
    st.floats(0, 20),
    st.none() | share,
    share,
    st.integers(1, 5),
    st.sampled_from(("project", "episode", "profile")),
)
def test_every_part_and_the_score_stay_within_0_and_1(
    bm25: float, semantic: float | None, confidence: float, trust: int, type_: Any
) -> None:
    made = scored_alone(
        candidate(record(confidence=confidence, trust=trust, type=type_), bm25, semantic)
    )
    assert all(0 <= part <= 1 for part in (made.score, made.relevance, *made.parts.values()))


def test_matching_more_of_the_question_is_worth_more() -> None:
    assert worth(record(), matched=("alpha",)) < worth(record(), 8.0, matched=("alpha", "beta"))


def test_a_record_without_a_matched_word_is_worth_nothing() -> None:
    assert worth(record(), matched=()) == 0


def test_without_vectors_the_words_alone_count_and_with_them_both() -> None:
    assert score.combine_relevance(0.5, None) == 0.5
    assert score.combine_relevance(0.5, 0.0) == 0.35
    assert score.combine_relevance(0.0, 1.0) == 0.3


def test_the_nearer_scope_is_worth_more() -> None:
    near_to_far = [
        record(scope="repo", repo_id="R"),
        record(),
        record(project_id="L"),
        record(scope="global", project_id=None),
        record(scope="repo", repo_id="OTHER"),
        record(project_id="X"),
    ]
    assert [score.find_matched_scope(m, STAND) for m in near_to_far] == [
        "repo",
        "project",
        "linked project",
        "global",
        "other repo",
        "other project",
    ]
    assert all(a > b for a, b in pairwise(worth(m) for m in near_to_far))


@given(
    st.permutations(
        [scored(record(id=f"M{n}"), value) for n, value in enumerate((0.5, 0.5, 0.9, 0.1, 0.5))]
    )
)
def test_the_order_does_not_depend_on_how_candidates_came(items: list[ScoredRecord]) -> None:
    assert [item.memory.id for item in order.sort_by_score(items)] == ["M2", "M0", "M1", "M4", "M3"]


def folded(*contents: str, **changed: Any) -> dict[str, str]:
    return order.fold_duplicates(
        [
            scored(record(id=f"M{n}", content=content, **changed), 1 - n / 10)
            for n, content in enumerate(contents)
        ]
    )[1]


def test_a_text_that_only_adds_a_word_or_two_is_folded_into_the_better_one() -> None:
    assert folded(
        "The nightly job writes its report to the shared bucket",
        "The nightly job writes its report to the shared bucket again",
    ) == {"M1": "M0"}


def test_texts_that_differ_in_a_number_a_denial_or_a_word_are_not_folded() -> None:
    long = (
        "The nightly job of the mill writes its full report to the shared bucket in "
        "Frankfurt before dawn on port"
    )
    assert folded(f"{long} 8080", f"{long} 9090") == {}
    assert folded(long, long + " never") == {}
    assert folded(long + " open", long + " closed") == {}


def test_two_sides_of_a_contradiction_are_not_folded() -> None:
    assert folded("The same words here", "The same words here", status="contradicted") == {}


@given(st.lists(st.sampled_from(("a b c d e", "a b c d e f", "x y z", "x y z 1", "q")), max_size=8))
def test_folding_loses_nothing(contents: list[str]) -> None:
    items = [scored(record(id=f"M{n}", content=content), 1.0) for n, content in enumerate(contents)]
    kept, into = order.fold_duplicates(items)
    assert {item.memory.id for item in kept} | into.keys() == {item.memory.id for item in items}
    assert {item.memory.id for item in kept}.isdisjoint(into) and {
        item.memory.id for item in kept
    }.issuperset(into.values())


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 500), min_size=1), share)
def test_a_record_above_the_floor_holds_one_of_the_needed_terms(
    frequencies: dict[str, int], floor: float
) -> None:
    terms = sorted(frequencies)
    asked = query_terms.weigh_terms(terms, frequencies, 500)
    others = [t for t in terms if t not in query_terms.find_required_terms(asked, terms, floor)]
    best = query_terms.compute_lexical_part(asked, others, 1e9, others)
    assert best <= floor + 1e-9 or not others or best == 0


def test_in_a_large_store_words_that_stand_nearly_everywhere_choose_nothing() -> None:
    frequencies = {"rare": 10, "everywhere": 9000, "absent": 0}
    asked = query_terms.weigh_terms(list(frequencies), frequencies, 10_000)
    assert query_terms.choose_index_terms(asked, frequencies, 10_000) == ("rare",)
    assert query_terms.choose_index_terms(asked, frequencies, 1000) == ("rare", "everywhere")


def test_where_words_are_well_answered_a_short_text_counts_less_by_its_meaning() -> None:
    long, short = 400, 40
    assert score.compute_semantic_weight(long, 0.9) == score.compute_semantic_weight(long, 0.1)
    assert score.compute_semantic_weight(short, 0.1) == score.SEMANTIC_WEIGHT
    assert score.compute_semantic_weight(short, 0.9) < score.SEMANTIC_WEIGHT / 2


def test_equal_candidates_differ_only_by_what_they_are() -> None:
    assert worth(record()) == worth(replace(record(), id="M2", title="other"))
