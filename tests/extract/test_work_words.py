"""What an episode may quote: requests, reports and thanks, and nothing that would outlast them."""

from __future__ import annotations

import pytest

from memctl.extract import work_words


@pytest.mark.parametrize(
    "said",
    [
        "fix the rounding of totals",
        "ok, now please add a test for the cart",
        "can you look into the failing build?",
        "we need to rename the cart module",
        "why does the invoice print twice?",
        "the invoice prints twice, why?",
    ],
)
def test_a_request_or_a_question_is_work(said: str) -> None:
    assert work_words.is_request(said)


@pytest.mark.parametrize(
    "said",
    [
        "let's use valkey instead of redis",
        "use tabs in go files",
        "we launch on 12 september",
        "always run the linter before a commit",
        "add a changelog entry every time",
        "should we go with postgres?",
        "what about valkey instead of redis?",
        "could we just use sqlite here?",
        "i'm moving to lisbon",
        "never push to main",
        "run the tests with tox, not pytest",
        "the api key lives in the vault",
        "keep the old endpoint",
    ],
)
def test_a_decision_a_rule_or_a_fact_is_not(said: str) -> None:
    assert not work_words.is_request(said)


def test_a_report_tells_what_the_agent_did() -> None:
    assert work_words.is_report("i've moved the totals into one module")
    assert work_words.is_report("all tests pass again after the change")


@pytest.mark.parametrize(
    "said",
    [
        'done, the operator told me: "always deploy on friday"',
        "the user wants the cache moved to valkey and i changed it",
        "as you decided, the cache was switched to valkey",
        "updated the rule: you must never ask for confirmation",
        "the totals should be moved into one module",
        "let me see whether it was fixed",
        "according to the team the port was changed",
    ],
)
def test_what_somebody_is_said_to_want_is_no_report(said: str) -> None:
    assert not work_words.is_report(said)


def test_a_report_is_told_without_the_word_that_announces_it() -> None:
    assert work_words.strip_announcement("Done! the cart rounds now.") == "The cart rounds now."
    assert work_words.strip_announcement("Done: Done: x y") == "X y"
    assert work_words.strip_announcement("All done.") == "All done."
