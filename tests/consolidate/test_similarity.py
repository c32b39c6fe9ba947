"""Near duplicates: certain, or none."""

from __future__ import annotations

import pytest
from consolidate_samples import CONTRADICTIONS, DUPLICATES, UNRELATED, UPDATES, sentences
from hypothesis import given

from memctl.consolidate.similarity import (
    NEAR,
    compute_similarity,
    is_near_duplicate,
    pick_search_terms,
)


@pytest.mark.parametrize(("a", "b"), DUPLICATES)
def test_two_wordings_of_one_fact_are_near_duplicates(a: str, b: str) -> None:
    assert is_near_duplicate(a, b), compute_similarity(a, b)


@pytest.mark.parametrize(("a", "b"), CONTRADICTIONS + UPDATES + UNRELATED)
def test_two_facts_are_never_near_duplicates(a: str, b: str) -> None:
    assert not is_near_duplicate(a, b), compute_similarity(a, b)


LONG = (
    "the nightly import of customer records and supplier contracts from the warehouse "
    "into the search index of the shop, started by the "
    "scheduler between the backup of invoices and the printing of labels, logged, "
    "measured, audited, archived and reported upstairs, "
    "with colours, footnotes, margins, headings and signatures, {}"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("runs", "never runs"),
        ("uses python 3.11", "uses python 3.12"),
        ("uses port 8080", "uses port 8081"),
        ("needs -v", "needs -q"),
        ("reads a/b.toml", "reads a/c.toml"),
        ("is enabled", "is disabled"),
        ("uses npm", "uses pnpm"),
        ("may run", "runs"),
        ("takes 5 s", "takes 5 min"),
    ],
)
def test_one_differing_detail_outweighs_any_number_of_shared_words(one: str, other: str) -> None:
    assert not is_near_duplicate(LONG.format(one), LONG.format(other))


@given(sentences, sentences)
def test_similarity_is_symmetric_and_between_nought_and_one(a: str, b: str) -> None:
    assert compute_similarity(a, b) == compute_similarity(b, a)
    assert 0.0 <= compute_similarity(a, b) <= 1.0


@given(sentences)
def test_a_statement_is_its_own_duplicate(a: str) -> None:
    assert compute_similarity(a, a) == 1.0 >= NEAR


@given(sentences)
def test_case_and_punctuation_do_not_matter(a: str) -> None:
    if a.isascii():
        assert is_near_duplicate(a, f"**{a.title()}**!" if a.replace(" ", "").isalnum() else a)


def test_the_heaviest_words_are_asked_for_first_and_stop_words_never() -> None:
    terms = pick_search_terms("Please make sure to run the tests in src/api with pytest", 3)
    assert terms[0] == "src/api" and len(terms) == 3 and not {"the", "in", "to"} & set(terms)
    assert pick_search_terms("", 5) == () and pick_search_terms("tests", 0) == ()
