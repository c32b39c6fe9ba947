"""How two statements stand to each other, and what must never be taken for it."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from consolidate_samples import a_statement, sentences
from hypothesis import assume, given
from hypothesis import strategies as st

from memctl.consolidate import denial
from memctl.consolidate.claim_parser import parse_claim
from memctl.consolidate.compare import relation_of
from memctl.consolidate.duplicates import is_one_fact
from memctl.consolidate.exclusion import are_incompatible, is_same_fact
from memctl.records.statement import Statement

CASES = Path(__file__).parents[2] / "benchmarks" / "relation_cases.tsv"
nearness = st.one_of(st.none(), st.floats(0, 1))


def cases(expected: str) -> list[tuple[str, str]]:
    lines = [
        line for line in CASES.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")
    ]
    return [
        (row["older"], row["newer"])
        for row in csv.DictReader(lines, delimiter="\t")
        if row["expected"] == expected
    ]


def between(newer: str, older: str, near: float | None = None, **rest: object) -> str | None:
    return relation_of(
        a_statement("2", newer, **rest), a_statement("1", older, **rest), nearness=near
    )


DENIED = [
    ("A baker is kneading the dough", "There is no baker kneading the dough"),
    ("A baker is kneading a large piece of dough", "There is no baker kneading the dough"),
    ("Two dogs are sleeping under the table", "No dog is sleeping under the table"),
    ("A woman is mending a net", "Nobody is mending a net"),
    ("The children are climbing the fence", "The kids are not climbing the fence"),
    ("A boy is eating an apple", "There is no boy eating a fruit"),
    ("The request was granted", "The request was denied"),
    ("The meeting takes place outside", "The meeting takes place indoors"),
    ("He is putting on a coat", "He is taking off a coat"),
    ("The worker uses the cache", "The worker no longer uses the cache"),
]
NOT_DENIED = [
    ("A baker is kneading the dough", "There is no butcher kneading the dough"),
    ("A baker is kneading the dough", "There is no baker kneading the dough with a machine"),
    ("A man is sailing", "A woman is sailing"),
    ("A dog is chasing a cat", "A cat is not chasing a dog"),
    ("A man with a red ladder is standing there", "A man with no ladder is standing there"),
    ("A tall girl is reading", "A short girl is reading"),
    ("Some gates are open", "Some gates are closed"),
    ("The exporter needs a key in production", "The exporter does not need a key in tests"),
    ("The left lamp is on", "The right lamp is off"),
    ("Deploy when the build is green", "Do not deploy"),
]
TWO_FACTS = [
    ("The cap was 10 MB and is 50 MB", "The cap was 50 MB and is 10 MB"),
    ("The monitor pages the operator", "The operator pages the monitor"),
    ("Run the checks with make", "Run the checks with nox"),
    (
        "The import copies rows from the mart into the index and then drops the oldest "
        "hundred of them for good",
        "The import copies rows from the index into the mart and then drops the oldest "
        "hundred of them for good",
    ),
    (
        "The weekly report about open invoices goes to the finance desk before the board "
        "meets in the large hall",
        "The weekly report about open invoices goes to the legal desk before the board "
        "meets in the large hall",
    ),
    ("Backups run daily", "Backups run weekly"),
    ("Backups run nightly on the replica", "Backups run on the replica"),
    (
        "Marta asked Jonas to review the parser of the ledger and the two of them wrote "
        "the tests for it together",
        "Jonas asked Marta to review the parser of the ledger and the two of them wrote "
        "the tests for it together",
    ),
]
ONE_FACT = [
    ("A lamp which is green is hanging over the door", "A green lamp is hanging over the door"),
    ("The retention of logs is 9 days", "The log retention is 9 days"),
    ("The gate is being painted by two men", "Two men are painting the gate"),
    ("Tokens must never be logged", "Never log tokens"),
    ("A woman is carefully cutting bread", "A lady is slicing bread"),
    ("Keep in mind that the log level is info", "The log level is info"),
    ("We use nox for the checks", "Use nox for the checks"),
    ("The ledger is owned by Ines", "Ines is in charge of the ledger"),
    ("The seed data lives in data/seed.json", "Seed data is in data/seed.json"),
]


@pytest.mark.parametrize(("affirmed", "denied"), DENIED)
def test_what_is_denied_contradicts_what_is_affirmed_both_ways(affirmed: str, denied: str) -> None:
    assert {between(affirmed, denied), between(denied, affirmed)} <= {
        "contradicts",
        "updates",
        None,
    }
    assert between(denied, affirmed) in ("contradicts", "updates")


@pytest.mark.parametrize(("one", "other"), NOT_DENIED)
def test_who_denies_something_else_contradicts_nothing(one: str, other: str) -> None:
    assert between(one, other) is between(other, one) is None


@pytest.mark.parametrize(("one", "other"), TWO_FACTS)
def test_two_facts_are_not_merged_however_near_they_are_in_sense(one: str, other: str) -> None:
    assert between(one, other, 1.0) != "duplicate" != between(one, other)


@pytest.mark.parametrize(("one", "other"), ONE_FACT)
def test_one_fact_in_other_words_is_a_duplicate(one: str, other: str) -> None:
    assert between(one, other) == between(other, one) == "duplicate"


@pytest.mark.parametrize(("older", "newer"), cases("change"))
def test_a_changed_value_is_seen(older: str, newer: str) -> None:
    assert between(newer, older) in ("contradicts", "updates")
    assert between(older, newer) in ("contradicts", None)


@pytest.mark.parametrize(("older", "newer"), cases("apart"))
def test_what_can_both_hold_is_left_alone(older: str, newer: str) -> None:
    assert between(newer, older) is between(older, newer) is None


@pytest.mark.parametrize(("older", "newer"), cases("same"))
def test_what_says_the_same_never_contradicts(older: str, newer: str) -> None:
    assert between(newer, older) in ("duplicate", None)


def test_a_long_statement_told_again_is_a_duplicate_only_where_it_is_near_in_sense() -> None:
    one = (
        "The shop told its customers on the website that the warehouse will stay closed during "
        "the move to the new building in the north"
    )
    other = (
        "The shop announced to customers on its website that during the move to the new "
        "building in the north the warehouse stays closed"
    )
    assert between(one, other, 0.95) == "duplicate"
    assert between(one, other, 0.5) is None


@pytest.mark.parametrize("subject", [None, "lead", "address"])
def test_a_known_subject_changes_nothing_where_the_words_say_enough(subject: str | None) -> None:
    pairs = [
        (
            "Rosa is the lead of the parser team.",
            "Leadership of the parser team changed. Timo is now the lead.",
        ),
        ("I live at 7 Elm Lane in Ghent.", "I moved. My new address is 90 Harbour Road in Ghent."),
    ]
    for older, newer in pairs:
        assert between(newer, older, subject=subject) == "updates"
        assert between(older, newer, subject=subject) is None


def test_one_subject_does_not_make_two_questions_one() -> None:
    assert between(
        "The clock of the server is set to UTC", "Times are kept in UTC", subject="timezone"
    ) in ("duplicate", None)
    assert (
        between("Auth listens on port 8443", "Auth keeps its tokens for 8 hours", subject="auth")
        is None
    )


@given(sentences, sentences, nearness)
def test_nearness_makes_no_verdict_one_sided(a: str, b: str, near: float | None) -> None:
    forward, backward = between(a, b, near), between(b, a, near)
    assert (
        {forward, backward} == {"updates", None}
        if "updates" in (forward, backward)
        else forward == backward
    )


@given(sentences, nearness)
def test_a_number_more_on_one_side_is_never_a_duplicate(a: str, near: float | None) -> None:
    assume(a.strip().isascii() and a.strip())
    assert between(f"{a} 17", a, near) != "duplicate"


@given(sentences, nearness)
def test_a_denial_is_never_a_duplicate_of_what_it_denies(a: str, near: float | None) -> None:
    assume(a.replace(" ", "").isalnum() and a.isascii())
    assert between(f"not {a}", a, near) != "duplicate"


@given(sentences, nearness)
def test_nothing_crosses_a_room_however_near(a: str, near: float | None) -> None:
    here, there = (
        a_statement("1", a, scope="project", project_id="p"),
        a_statement("2", a, scope="project", project_id="q"),
    )
    assert relation_of(here, there, nearness=near) is None


@given(sentences, sentences)
def test_the_parts_of_the_decision_are_symmetric(a: str, b: str) -> None:
    one, other = parse_claim(a), parse_claim(b)
    assert denial.is_contrary(one.statement, other.statement) == denial.is_contrary(
        other.statement, one.statement
    )
    assert are_incompatible(one, other) == are_incompatible(other, one)
    assert is_same_fact(one, other) == is_same_fact(other, one)
    assert is_one_fact(a, b, 0.95) == is_one_fact(b, a, 0.95)


def test_a_reading_knows_topic_answer_and_what_is_turned_down() -> None:
    found = parse_claim("We moved the retention of logs from 30 days to 60 days").fact
    assert found is not None
    assert (sorted(found.topic), found.answer, found.rejected, found.announces_change) == (
        ["log", "retent"],
        ("60", "days"),
        ("30", "days"),
        True,
    )


@pytest.mark.parametrize(
    "unit",
    [
        "use a over b ",
        "a b c d ",
        "is not ",
        "which is ",
        "X of Y which is ",
        "moved from a to b ",
        "A",
        ", it's ",
        "9 ",
    ],
)
@pytest.mark.parametrize("length", [390, 4_000])
def test_hostile_statements_of_any_length_are_compared_in_bounded_time(
    unit: str, length: int
) -> None:
    text = (unit * (length // len(unit) + 1))[:length]
    started = time.process_time()
    relation_of(Statement("1", text), Statement("2", text[:-3] + "zq"), nearness=0.95)
    assert time.process_time() - started < 2
