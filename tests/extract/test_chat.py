"""Talk between people."""

from __future__ import annotations

import pytest
from extract_samples import contents, heard, human, session

from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID
from memctl.extract import extract


def test_an_answer_to_what_now_is_a_decision_with_its_question() -> None:
    kept = heard(
        ("ann", "The first one is bad for huge inputs"),
        ("bob", "so what now then?"),
        ("ann", "We do quicksort"),
    )
    assert kept[-1].rationale == "The first one is bad for huge inputs"
    decision = next(c for c in kept if c.type == "decision")
    assert [s.quote for s in decision.evidence] == ["We do quicksort", "so what now then?"]
    assert decision.content.startswith("ann: We do quicksort")
    assert decision.trust == OPERATOR_SAID


def test_nobody_decides_by_answering_himself() -> None:
    assert heard(("ann", "what should we do?"), ("ann", "no idea yet")) == []


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("We decided to keep the old parser for now.", "decision"),
        ("I will fix the exporter before the next release.", "todo"),
        ("Opened an issue for the missing index.", "todo"),
        ("The mobile client is not yet supported by our gateway.", "fact"),
        ("Our gateway is built on top of the Rust toolkit.", "fact"),
        ("we won't support the old browser anymore", "constraint"),
        ("ok let's merge both queues then", "convention"),
        ("we moved the docs to the wiki", "fact"),
        ("please don't merge anything until the release is out", "constraint"),
    ],
)
def test_decisions_promises_limits_and_facts_are_told_apart(words: str, kind: str) -> None:
    kept = heard(("ann", words))
    assert [(c.kind, c.evidence[0].quote) for c in kept] == [(kind, words)]


@pytest.mark.parametrize(
    "words",
    [
        "Thanks everybody, great to be here on the show!",
        "Should we use the old parser?",
        "Maybe one day we would use it, I don't know.",
        "If you trust me then sure we'll do it.",
        '"We decided to keep the parser" is what they wrote',
        "It is raining in our town today.",
        ":+1:",
        "good morning!",
        "I'm in a call, back in 10",
        "how was your weekend?",
        "ok",
    ],
)
def test_chatter_questions_and_suppositions_are_not_kept(words: str) -> None:
    assert heard(("ann", words)) == []


def test_agreement_makes_a_proposal_a_decision() -> None:
    proposal = "Let's merge both queues."
    alone = heard(("ann", proposal), ("bob", "what about the tests?"))
    agreed = heard(("ann", proposal), ("bob", "sounds good"))
    assert agreed[0].confidence > (alone[0].confidence if alone else 0)


def test_a_link_is_kept_with_the_words_around_it() -> None:
    kept = heard(("ann", "Here's an example: https://git.example/shop/setup.py"))
    assert [c.kind for c in kept] == ["pointer"]
    assert "https://git.example/shop/setup.py" in kept[0].content


def test_a_bare_link_takes_the_words_before_it_along() -> None:
    kept = heard(("ann", "the comparison of both engines"), ("ann", "https://blog.example/engines"))
    assert "the comparison of both engines" in contents(kept)


def test_minutes_without_names_are_read_paragraph_by_paragraph() -> None:
    notes = session(
        human(
            "I have a suggestion. Let's merge both queues.\n\nOk, sounds good.\n\n- Never "
            "deploy on a Friday.\n\nIt rained all day."
        )
    )
    kept = extract(replace(notes, format="markdown-notes"))
    assert [c.evidence[0].quote for c in kept if c.type != "episode"] == [
        "Let's merge both queues.",
        "Never deploy on a Friday.",
    ]
