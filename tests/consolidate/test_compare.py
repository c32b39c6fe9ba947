"""Claims and relations: silence rather than a false contradiction."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from consolidate_samples import (
    CONTRADICTIONS,
    DUPLICATES,
    UNRELATED,
    UPDATES,
    a_statement,
    sentences,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from memctl.consolidate.claim_parser import parse_claim
from memctl.consolidate.compare import judge_pair, relation_of
from memctl.records.statement import Statement


def between(a: str, b: str, **rest: object) -> str | None:
    return relation_of(a_statement("a", a, **rest), a_statement("b", b, **rest))


@pytest.mark.parametrize(("a", "b"), DUPLICATES)
def test_one_fact_in_two_wordings_is_a_duplicate(a: str, b: str) -> None:
    assert between(a, b) == between(b, a) == "duplicate"


@pytest.mark.parametrize(("a", "b"), CONTRADICTIONS)
def test_two_answers_to_one_question_contradict_each_other_both_ways(a: str, b: str) -> None:
    assert between(a, b) == between(b, a) == "contradicts"


@pytest.mark.parametrize(("newer", "older"), UPDATES)
def test_a_correction_updates_what_it_corrects_and_not_the_other_way_round(
    newer: str, older: str
) -> None:
    assert between(newer, older) == "updates"
    assert between(older, newer) is None


@pytest.mark.parametrize(("a", "b"), UNRELATED)
def test_what_can_both_be_true_stands_in_no_relation(a: str, b: str) -> None:
    assert between(a, b) is None and between(b, a) is None


@given(sentences, sentences)
def test_duplicate_and_contradicts_are_symmetric_and_updates_is_not(a: str, b: str) -> None:
    forward, backward = between(a, b), between(b, a)
    if "updates" in (forward, backward):
        assert {forward, backward} == {"updates", None}
    else:
        assert forward == backward


@given(sentences)
def test_a_record_has_no_relation_to_itself_and_the_same_words_are_a_duplicate(a: str) -> None:
    assert relation_of(a_statement("x", a), a_statement("x", a)) is None
    assert between(a, a) == "duplicate"


@given(
    st.sampled_from(["use", "install", "commit", "deploy", "cache"]),
    st.sampled_from(["npm", "generated files", "the schema", "src/api"]),
)
def test_denying_a_statement_contradicts_it(verb: str, thing: str) -> None:
    for denial in ("never", "do not", "don't"):
        assert between(f"{verb} {thing}", f"{denial} {verb} {thing}") == "contradicts"
        assert between(f"always {verb} {thing}", f"{denial} {verb} {thing}") == "contradicts"


@given(sentences, sentences)
def test_relations_do_not_depend_on_case_or_closing_punctuation(a: str, b: str) -> None:
    assume(
        a.isascii()
        and b.isascii()
        and a.replace(" ", "").isalnum()
        and b.replace(" ", "").isalnum()
    )
    assert between(a.upper() + ".", f"  {b.strip()}!") == between(a, b)


def test_statements_of_different_rooms_stand_in_no_relation() -> None:
    ours = a_statement("a", "Use npm", scope="project", project_id="p")
    theirs = a_statement("b", "Use pnpm", scope="project", project_id="q")
    everywhere = a_statement("c", "Use npm")
    assert relation_of(ours, theirs) is relation_of(ours, everywhere) is None


def test_episodes_tell_what_happened_and_contradict_nothing() -> None:
    assert between("Query caching is enabled", "Query caching is disabled", type="episode") is None


def test_a_known_subject_links_what_the_words_do_not() -> None:
    a, b = "Lunch is at 12:30 for everybody", "From Monday at 13:00"
    assert between(a, b) is None
    assert (
        between("We eat at 12:30", "Table is ready by 13:00", subject="lunch time") == "contradicts"
    )


def test_the_clock_decides_which_of_two_corrections_is_newer() -> None:
    early = a_statement(
        "a", "Correction: the server listens on port 1", observed_at="2030-01-01T00:00:00Z"
    )
    late = a_statement(
        "b", "Correction: the server listens on port 2", observed_at="2030-02-01T00:00:00Z"
    )
    assert relation_of(late, early) == "updates" and relation_of(early, late) is None


def test_a_claim_knows_its_subject_value_and_polarity() -> None:
    claim = parse_claim("Never use npm for the website").fact
    assert claim is not None
    assert (sorted(claim.topic), claim.answer, claim.holds) == (["websit"], ("npm",), False)


def test_a_bare_choice_is_about_the_question_that_the_tool_answers() -> None:
    claim = parse_claim("Avoid npm").fact
    assert claim is not None
    assert (sorted(claim.topic), claim.answer, claim.holds) == (
        ["manag", "packag"],
        ("npm",),
        False,
    )


def test_a_question_claims_nothing() -> None:
    assert parse_claim("Is the default branch main?").fact is None


@pytest.mark.parametrize(
    "hostile", ["use ", "a ", "(", " not", "x: ", "is ", ". ", " - ", "use a over "]
)
def test_hostile_statements_are_read_in_bounded_time(hostile: str) -> None:
    text = hostile * (300_000 // len(hostile))
    started = time.process_time()
    relation_of(Statement("a", text), Statement("b", text + "b"))
    parse_claim(hostile * (390 // len(hostile)))
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "head", ["it is ", "the port is https://x/", "use this not ", "we use ", "replace "]
)
@pytest.mark.parametrize("unit", ["a", "a/", "ab-", "a " * 3 + "b"])
def test_a_long_word_does_not_send_a_pattern_searching(head: str, unit: str) -> None:
    started = time.process_time()
    parse_claim(head + unit * (380 // len(unit)) + "\n!")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("subject", [None, "service"])
def test_what_two_statements_are_to_each_other_does_not_depend_on_who_is_asked_first(
    subject: str | None,
) -> None:
    lines = (
        (Path(__file__).parents[2] / "benchmarks" / "relation_cases.tsv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    pairs = [line.split("\t")[1:3] for line in lines[2:]]
    for older, newer in pairs:
        a = a_statement("a", older, subject=subject)
        b = a_statement("b", newer, subject=subject)
        for nearness in (None, 0.6, 0.9):
            assert judge_pair(a, b, nearness=nearness) == judge_pair(b, a, nearness=nearness)


def test_numbers_that_changed_places_are_another_fact() -> None:
    one = "Nope, 45 minutes was the old time limit for shift breaks, today it's 60 minutes."
    other = "Nope, 60 minutes was the old shift break limit, today it's 45 minutes."
    assert between(one, other) != "duplicate"
    assert between(other, one) != "duplicate"


def test_who_is_the_one_for_something_does_not_answer_how_it_is_done() -> None:
    assert between("Berths are assigned by lot now.", "Arne is still the one for berths.") is None
    assert between("Tolls are announced in March now.", "Ada is the one for tolls.") is None


def test_a_span_of_time_and_a_rate_are_no_two_answers_to_one_question() -> None:
    rate = "you got the rate limit wrong: it is 500 requests per minute."
    timeout = "That's wrong, the request timeout is 5 seconds now."
    assert between(rate, timeout) is None
    assert between(timeout, rate) is None
    assert between("you got the release day wrong: it is Friday", "the release is on Monday")


def test_a_time_of_the_day_is_one_time_with_and_without_its_zero() -> None:
    one = a_statement("a", "standup's at 9:15")
    for time_, verdict in (("09:15", None), ("09:50", "contradicts")):
        other = a_statement("b", f"Daily stand-up: {time_}, camera optional.")
        assert relation_of(one, other, nearness=0.8) == verdict
    assert between("Stand-up is at 9:15.", "Stand-up is at 09:15.") == "duplicate"
