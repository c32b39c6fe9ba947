"""Notes of other tools become one candidate each, as they were sorted; nobody's turns but notes
do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memctl.core.model import AGENT_CLAIMED, EntityRef, Transcript, Turn
from memctl.extract import extract

FACT: Mapping[str, Any] = {"type": "project", "kind": "fact", "scope": "project", "confidence": 0.5}


def session(*turns: Turn, format: str = "memory:graph") -> Transcript:
    return Transcript(format, "graph", "path:/w/g", turns)


def note(text: str, **data: Any) -> Turn:
    return Turn(0, "system", "note", text, data={**FACT, **data})


def test_a_note_is_one_candidate_that_rests_on_all_its_words() -> None:
    (made,) = extract(
        session(note("The pier is of oak", content="Harbor: the pier is of oak", title="Pier"))
    )
    assert (made.type, made.kind, made.scope, made.trust, made.confidence) == (
        "project",
        "fact",
        "project",
        AGENT_CLAIMED,
        0.5,
    )
    assert (made.content, made.title) == ("Harbor: the pier is of oak", "Pier")
    assert [(span.start, span.end, span.quote) for span in made.evidence] == [
        (0, 18, "The pier is of oak")
    ]


def test_what_a_note_is_about_comes_first_among_what_it_names() -> None:
    (made,) = extract(
        session(note("`pytest` runs all", entity={"kind": "project", "name": "Harbor"}))
    )
    assert made.entities[0] == EntityRef("project", "Harbor") and len(made.entities) > 1


def test_a_reason_stays_with_a_decision() -> None:
    (made,) = extract(
        session(note("SQLite it is", type="decision", kind="decision", rationale="one writer"))
    )
    assert (made.type, made.rationale) == ("decision", "one writer")


@pytest.mark.parametrize(
    "turn",
    [
        note("odd", type="poem"),
        note("odd", scope="world"),
        note("  "),
        note("[PRIVATE]"),
        Turn(0, "human", "text", "Never push to main"),
        Turn(0, "system", "note", "no data"),
    ],
)
def test_anything_else_is_no_candidate(turn: Turn) -> None:
    assert extract(session(turn)) == []


def test_notes_in_a_conversation_are_not_taken_for_memories() -> None:
    assert extract(session(note("Never push to main"), format="claude-code")) == []
