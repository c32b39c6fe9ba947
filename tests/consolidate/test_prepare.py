"""What people wrap a statement in is stripped the same way for every reading."""

from __future__ import annotations

import pytest

from memctl.consolidate.compare import relation_of
from memctl.consolidate.prepare import prepare_statement
from memctl.records.statement import Statement

REASONS = [
    "because it is simple",
    "since it is simple",
    "as it scales",
    "as they scale",
    "so that it scales",
    "given that it scales",
    "due to its speed",
    "in order to save time",
]
LEAD_INS = [
    "Note that ",
    "Decision: ",
    "As mentioned, ",
    "By the way, ",
    "Remember that ",
    "Please note: ",
]
# One pair for each judgement: two answers of one topic, two tools of one slot, two versions,
# another number, a denial, a contrary, two answers in no known order.
OPPOSED = [
    ("The orders database is Postgres", "The orders database is MySQL"),
    ("Use npm", "Use pnpm"),
    ("We use Python 3.11", "We use Python 3.12"),
    ("We fire each pot 2 times", "We fire each pot 3 times"),
    ("Commit the lock file", "Do not commit the lock file"),
    ("The gate is always locked", "The gate is never locked"),
    ("We deploy to eu-west-1", "The AWS region is us-east-2"),
]


def find_relation(a: str, b: str) -> str | None:
    return relation_of(Statement("1", a), Statement("2", b))


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_a_reason_hides_no_contradiction_whatever_word_begins_it(one: str, other: str) -> None:
    bare = find_relation(one, other)
    assert bare == "contradicts"
    for n, reason in enumerate(REASONS):
        for text in (f"{other} {reason}.", f"{other}, {reason}"):
            assert find_relation(f"{one} {REASONS[-n]}.", text) == bare, text
        assert find_relation(one, f"{other}, which we all like.") == bare


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_a_lead_in_hides_no_contradiction(one: str, other: str) -> None:
    for lead_in in LEAD_INS:
        text = lead_in + other[0].lower() + other[1:]
        assert find_relation(one, text) == "contradicts", text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Keep the name as it is", "Keep the name as it is"),
        ("Deploy as soon as it is green", "Deploy as soon as it is green"),
        ("The port is the same as it was", "The port is the same as it was"),
        ("We use Postgres 3.12 as it scales. Ask Ida.", "We use Postgres 3.12. Ask Ida."),
        ("A lamp which is green is over the door", "A lamp which is green is over the door"),
        ("The lamp, which is green, is over the door", "The lamp is over the door"),
    ],
)
def test_only_a_reason_or_an_aside_is_left_out(text: str, plain: str) -> None:
    assert prepare_statement(text).plain == plain


def test_a_reason_for_one_of_two_databases_excludes_no_other() -> None:
    one, other = "We use Postgres as it scales.", "We use MySQL because it is simple."
    assert find_relation(one, other) is None
    assert find_relation("We use Postgres.", "We use MySQL.") is None
