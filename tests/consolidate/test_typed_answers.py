"""Statements in unlike words that answer one question, told by typed answers and similarity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.consolidate.claim_parser import parse_claim
from memctl.consolidate.compare import relation_of
from memctl.consolidate.typed_answers import compare_typed_answers
from memctl.records.statement import Statement

OTHER = [
    ("30 days for logs", "The log retention is 7 days"),
    ("for uploads it's 50 MB", "The maximum upload size is 5 MB"),
    ("July 8 for the beta", "The beta is on June 20 now"),
]
APART = [
    ("The library supports Python 3.10", "The library supports Python 3.12"),
    ("Tests in tests/unit need no database", "Tests in tests/integration need a database"),
    ("A man in a black shirt", "A man in a blue shirt"),
    ("The upload limit is 10 MB", "The download limit is 100 MB"),
    ("Access tokens expire after 15 minutes", "Refresh tokens expire after 30 days"),
    ("The web build takes 5 minutes", "The mobile build takes 12 minutes"),
    (
        "The orders service is at http://localhost:7001",
        "The payments service is at http://localhost:7002",
    ),
    ("Logs are kept for 14 days", "At least 14 days for logs"),
    ("Backups take 20 minutes", "Backups are kept in /srv/backups"),
    ("Node 20 and Postgres 16", "Node 22"),
]


def compare(a: str, b: str, nearness: float | None) -> str | None:
    return compare_typed_answers(parse_claim(a), parse_claim(b), nearness)


def relation(a: str, b: str, nearness: float | None) -> str | None:
    one, other = (
        Statement(name, text, scope="project", project_id="p", status="active", trust=5)
        for name, text in (("1", a), ("2", b))
    )
    return relation_of(one, other, nearness=nearness)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_another_answer_to_a_question_in_other_words_excludes_the_first(a: str, b: str) -> None:
    assert {relation(a, b, 0.7), relation(b, a, 0.7)} & {"contradicts", "updates"}


@pytest.mark.parametrize(("a", "b"), APART)
def test_two_questions_are_two_however_near_they_are(a: str, b: str) -> None:
    assert compare(a, b, 0.9) != "other" and compare(b, a, 0.9) != "other"


def test_the_same_answer_in_other_words_is_told_again() -> None:
    assert (
        relation("for uploads it's 50 MB", "The maximum upload size is 50 MB", 0.8) == "duplicate"
    )


@pytest.mark.parametrize(("a", "b"), [*OTHER, *APART])
def test_without_nearness_or_far_apart_nothing_is_told(a: str, b: str) -> None:
    assert compare(a, b, None) is None and compare(a, b, 0.4) is None


@given(st.text(max_size=80), st.text(max_size=80), st.floats(0, 1))
def test_the_comparison_is_symmetric(a: str, b: str, nearness: float) -> None:
    assert compare(a, b, nearness) == compare(b, a, nearness)
