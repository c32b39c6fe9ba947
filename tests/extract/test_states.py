"""How things stand and how they changed, said without a word of duty."""

from __future__ import annotations

import time

import pytest
from extract_samples import agent, found, human

from memctl.extract import session_cues, states
from memctl.extract.sentences import SENTENCE_LIMIT, fold_for_cues, split_sentences


@pytest.mark.parametrize(
    "words",
    [
        "The port of the kiln server is 4410.",
        "our glaze registry is https://glaze.example now",
        "we moved the firing schedule from Fridays to Saturdays",
        "the firing deadline was pushed to May 9",
        "we no longer ship with Docker, it's Podman now",
        "as of today the retention is 45 days",
        "Odette took over the invoices from Piet",
        "Odette owns the loom module",
        "ask Odette if it touches the loom",
        "looms are handled by Warpd these days",
        "btw the quota is 40 pots an hour",
        "firing schedule: Saturdays",
        "for the wheel it's version 3.2",
        "Warpd is our job queue",
        "every pot gets a serial number",
        "we have trunk as the default branch",
        "you got the port wrong: it is 4410",
        "new rule, answer in two sentences",
        "write commit messages in the past tense",
        "I want short answers",
    ],
)
def test_a_fact_told_as_a_fact_is_kept(words: str) -> None:
    assert found(
        human("Mend the wheel."), agent("The port is 4400, so I use that."), human(words)
    ), words


@pytest.mark.parametrize(
    "words",
    [
        "the error is now in the second file",
        "the build is green now",
        "it no longer fails",
        "the test for the port is failing since the last change",
        "the button is on the left these days?",
        "what if the port were 4410?",
        "for this experiment use 4410 for the port",
        "let the limit be 9 MB for a moment",
        "the output is empty now",
        "run the tests with make loom",
        "Reply to the review.",
        "write the docs",
        "move the port to the settings file",
    ],
)
def test_what_is_so_while_one_works_is_not(words: str) -> None:
    assert not found(human("Mend the wheel."), agent("I have a look."), human(words)), words


def test_a_sentence_may_begin_small_after_a_plain_word() -> None:
    text = (
        "mend the wheel. the port is 4410 now. we keep it in kiln.py. the rest, e.g. the lid, stays"
    )
    assert [s.text for s in split_sentences(0, text)] == [
        "mend the wheel.",
        "the port is 4410 now.",
        "we keep it in kiln.py.",
        "the rest, e.g. the lid, stays",
    ]


def test_a_dotted_path_is_not_torn() -> None:
    assert len(split_sentences(0, "`/var/...` and `/private/var/...` don't meet anywhere.")) == 1


@pytest.mark.parametrize(
    "piece",
    [
        "the port is ",
        "we moved to ",
        "Aa owns ",
        "it is now ",
        "n't ",
        "a",
        "as ",
        "every x is ",
        "for a, ",
    ],
)
def test_hostile_statements_take_no_time(piece: str) -> None:
    text = (piece * SENTENCE_LIMIT)[:SENTENCE_LIMIT]
    started = time.process_time()
    for _ in range(100):
        states.score_statement_of_state(text, fold_for_cues(text))
        session_cues.weigh_cues(fold_for_cues(text), session_cues.LASTING)
    assert time.process_time() - started < 5
