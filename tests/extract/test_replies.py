"""What the operator decides by answering, refusing and approving."""

from __future__ import annotations

import pytest
from extract_samples import agent, contents, found, human, other, plan, refusal

from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID

CHOICE = "It could live in `startWorker` or in `runJob`.\n\nWhich do you prefer?"


def test_the_reason_of_a_refusal_is_kept_with_what_was_refused() -> None:
    kept = found(
        agent("Pushing now."), refusal("rebase from main first", "git push -u origin topic")
    )
    assert (kept[0].type, kept[0].trust, kept[0].evidence[0].quote) == (
        "profile",
        OPERATOR_SAID,
        "rebase from main first",
    )
    assert "git push -u origin topic" in kept[0].content


def test_a_refusal_that_only_asks_settles_nothing() -> None:
    assert found(refusal("are you sure?")) == []


def test_an_answer_to_how_it_should_be_is_a_decision() -> None:
    questions = [{"question": "Where should the badge be placed?", "answer": "Left of the title"}]
    kept = found(other("human", "answer", "Left of the title", questions=questions))
    assert (kept[0].type, kept[0].evidence[0].quote) == ("decision", "Left of the title")
    assert "Where should the badge be placed?" in kept[0].content


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What should I do next?", "The payment page"),
        ("How should the run proceed?", "Let it keep running"),
        ("Which branches do you mean?", "Are you doing all of them?"),
    ],
)
def test_an_answer_that_steers_the_session_is_not_kept(question: str, answer: str) -> None:
    assert (
        found(
            other("human", "answer", answer, questions=[{"question": question, "answer": answer}])
        )
        == []
    )


def test_a_typed_reply_to_a_question_settles_it() -> None:
    kept = found(agent(CHOICE), human("put it in startWorker"))
    assert kept[0].type == "decision"
    assert kept[0].content == (
        "put it in startWorker (asked: It could live in `startWorker` or in `runJob`. Which "
        "do you prefer?)"
    )
    assert kept[0].alternatives == ("runJob",)


def test_the_same_words_without_a_question_are_a_task() -> None:
    assert found(agent("I updated the worker."), human("put it in startWorker")) == []


def test_yes_but_is_a_condition() -> None:
    assert "don't need to commit" in contents(
        found(
            agent("Shall I write the plan and commit it?"),
            human("yes, but we don't need to commit"),
        )
    )


@pytest.mark.parametrize(
    "words", ["yes", "yes continue", "ok", "sure, go ahead", "does it have tests?"]
)
def test_a_bare_yes_settles_nothing(words: str) -> None:
    assert found(agent("Does this look right so far?"), human(words)) == []


def test_agreeing_to_advice_makes_it_an_implied_decision() -> None:
    kept = found(
        agent(
            "I'd recommend one queue for each tenant to keep them apart. Does that work for you?"
        ),
        human("yes"),
    )
    assert kept[0].trust == OPERATOR_IMPLIED
    assert [s.quote for s in kept[0].evidence] == [
        "I'd recommend one queue for each tenant to keep them apart.",
        "yes",
    ]


def test_an_approved_plan_is_kept_with_its_reason_and_a_rejected_one_is_not() -> None:
    text = "Move the cart total into its own service because two teams change it."
    kept = found(human("plan it"), plan(text, ok=True))
    assert [(c.type, c.content, c.rationale) for c in kept] == [
        ("decision", text, "two teams change it")
    ]
    assert found(human("plan it"), plan(text, ok=False)) == []
    assert found(human("plan it"), plan(text, ok=None)) == []


def test_what_is_typed_after_a_rejected_plan_corrects_it() -> None:
    kept = found(
        plan("Put the badge inside the search bar.", ok=False),
        human("Completely outside the search bar"),
    )
    assert kept[0].corrects is not None
    assert kept[0].corrects.quote == "Put the badge inside the search bar."
