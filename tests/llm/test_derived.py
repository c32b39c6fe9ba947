"""What a model draws from records, reflections and clearer wordings, waits in the inbox and says
where it comes from.
"""

from __future__ import annotations

import pytest
from odd_model import Odd

from memctl.core.model import AGENT_CLAIMED, Memory
from memctl.store import evidence, links

NOTES = (
    "The tide tests failed because the clock of the runner was wrong",
    "The chart tests failed because the clock of the runner was wrong again",
    "Depths are stored in decimetres",
    "The harbour office bills every call",
)


@pytest.fixture
def reflect(odd: Odd) -> Odd:
    odd.bench.settings(maintain__model_purposes=["reflect"])
    return odd


def project(odd: Odd) -> list[Memory]:
    """A project with two sessions and four facts."""
    for number in range(2):
        said = (("user", f"hello number {number}"), ("assistant", f"Looked into part {number}."))
        odd.bench.take(*said, session=f"5e551011-0000-4000-8000-00000000000{number}")
    return [odd.bench.put(text, project="kiln") for text in NOTES]


def numbers(odd: Odd, *parts: str) -> list[int]:
    """The numbers under which the model was shown these notes."""
    shown = odd.asked[-1]["prompt"].splitlines()
    return [int(line.split(".")[0]) for part in parts for line in shown if part in line]


def reflections(odd: Odd) -> list[Memory]:
    return [memory for memory in odd.bench.all() if memory.kind == "reflection"]


def shown_then(odd: Odd, content: str, *parts: str) -> dict[str, object]:
    """Let the model see the notes, then answer as it would if it had understood them."""
    from memctl.store import meta

    project_id = odd.bench.all()[-1].project_id
    odd.answers({"reflections": []})
    odd.run()
    odd.answers({"reflections": [{"content": content, "notes": numbers(odd, *parts)}]})
    odd.bench.db._conn.execute("DELETE FROM model_calls")
    with odd.bench.db.write():
        meta.put_note(odd.bench.db, f"model_reflected:{project_id}", "")
    return odd.run()


def test_a_reflection_waits_in_the_inbox_with_its_parents_and_the_trust_of_the_weakest(
    reflect: Odd,
) -> None:
    facts = project(reflect)
    content = "Tests failed again because the clock of the runner was wrong"
    assert shown_then(reflect, content, "tide tests", "chart tests")["reflections"] == 1
    (memory,) = reflections(reflect)
    assert (memory.status, memory.kind, memory.rule, memory.trust) == (
        "inbox",
        "reflection",
        "model:reflect@1",
        AGENT_CLAIMED,
    )
    assert memory.project_id == facts[0].project_id
    parents = {
        link.to_id
        for link in links.list_of_memory(reflect.bench.db, memory.id)
        if link.relation == "derived_from"
    }
    assert parents == {facts[0].id, facts[1].id}
    reflect.bench.check()


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (
            "Tests failed 17 times because the clock of the runner was wrong",
            ("tide tests", "chart tests"),
        ),
        ("Tests failed because Kubernetes of the runner was wrong", ("tide tests", "chart tests")),
        ("Tests failed, so run `rm -rf /srv/clock` on the runner", ("tide tests", "chart tests")),
        (
            "Everybody likes quick answers and bright colours in a good interface",
            ("tide tests", "chart tests"),
        ),
        ("The clock of the runner was wrong", ("tide tests",)),
        ("The clock of the runner was wrong", ()),
    ],
)
def test_a_reflection_that_brings_something_in_or_has_one_parent_is_dropped(
    reflect: Odd, content: str, parts: tuple[str, ...]
) -> None:
    project(reflect)
    assert shown_then(reflect, content, *parts)["unfounded"] == 1
    assert reflections(reflect) == []


def test_what_was_told_before_is_not_told_again(reflect: Odd) -> None:
    project(reflect)
    reflect.answers({"reflections": []})
    assert reflect.run()["calls"] == 1
    reflect.bench.put("The office is closed on the first day of May", project="kiln")
    assert reflect.run()["calls"] == 0


def test_what_is_private_to_an_agent_is_not_reflected_on(reflect: Odd) -> None:
    project(reflect)
    reflect.bench.put(
        "My own way of naming branches",
        "task_hint",
        by=reflect.bench.agent,
        scope="agent",
        agent_id="claude-code",
        project="kiln",
    )
    reflect.run()
    assert "naming branches" not in reflect.asked[0]["prompt"]


@pytest.fixture
def word(odd: Odd) -> Odd:
    odd.bench.settings(maintain__model_purposes=["word"])
    return odd


PRESENT = "Please make sure that you always run pytest -q before a commit is made"
OTHER = "Always run pytest -q before a commit"


def merged(odd: Odd) -> Memory:
    """A record that took in another one of nearly the same words."""
    from memctl.records.relations import add_link, set_status

    kept, absorbed = odd.bench.put(PRESENT), odd.bench.put(OTHER, kind="fact")
    with odd.bench.db.write():
        add_link(
            odd.bench.db,
            kept.id,
            "supersedes",
            absorbed.id,
            reason="merged: nearly the same words (0.93)",
            actor="maintain",
        )
        if odd.bench.state(absorbed) == "active":
            set_status(
                odd.bench.db,
                absorbed,
                "superseded",
                reason=f"merged into {kept.id}",
                verb="absorbed",
                actor="maintain",
                cause="x",
            )
    return odd.bench.get(kept)


def test_a_clearer_wording_is_proposed_and_changes_nothing(word: Odd) -> None:
    kept = merged(word)
    word.answers({"content": "Run pytest -q before a commit"})
    assert word.run()["wordings"] == 1
    assert word.bench.get(kept).content == PRESENT
    (made,) = [memory for memory in word.bench.all("inbox") if memory.rule == "model:word@1"]
    assert (made.content, made.trust, made.type, made.kind) == (
        "Run pytest -q before a commit",
        AGENT_CLAIMED,
        kept.type,
        kept.kind,
    )
    between = {
        (link.relation, link.reason) for link in links.list_of_memory(word.bench.db, made.id)
    }
    assert ("derived_from", "the same in clearer words") in between
    assert word.bench.state(kept) == "active"
    word.bench.check()


def test_what_is_proposed_is_not_merged_away_by_the_next_maintenance(word: Odd) -> None:
    merged(word)
    word.answers({"content": "Run pytest -q before a commit"})
    word.run()
    word.bench.maintain()
    assert [memory.status for memory in word.bench.all() if memory.rule == "model:word@1"] == [
        "inbox"
    ]


def test_a_wording_is_asked_for_once(word: Odd) -> None:
    merged(word)
    word.answers({"content": "Run pytest -q before a commit"})
    word.run()
    assert word.run()["calls"] == 0
    assert len([memory for memory in word.bench.all() if memory.rule == "model:word@1"]) == 1


@pytest.mark.parametrize(
    "content",
    [
        "Run pytest -x before a commit",
        "Run pytest -q after a commit",
        "Never run pytest -q before a commit",
        "Run pytest -q 2 times before a commit",
        "Run pytest -q before a commit, unless Vitaly says so",
        "Run pytest -q before a commit and curl evil.example",
        "Run pytest before a commit",
        PRESENT + " " + PRESENT,
    ],
)
def test_a_wording_that_says_anything_else_is_dropped(word: Odd, content: str) -> None:
    merged(word)
    word.answers({"content": content})
    told = word.run()
    assert told.get("wordings", 0) == 0
    assert word.bench.all("inbox") == []


def test_the_same_words_are_no_proposal(word: Odd) -> None:
    merged(word)
    word.answers({"content": PRESENT + "."})
    assert "wordings" not in word.run()


def test_an_approved_wording_takes_the_place_of_the_old_one_with_its_evidence(word: Odd) -> None:
    kept = merged(word)
    word.answers({"content": "Run pytest -q before a commit"})
    word.run()
    (made,) = [memory for memory in word.bench.all("inbox") if memory.rule == "model:word@1"]
    quotes = {item.quote for item in evidence.list_of_memory(word.bench.db, kept.id)}
    word.bench.operator.promote([made.id])
    assert (word.bench.state(made), word.bench.state(kept)) == ("active", "superseded")
    assert quotes < {item.quote for item in evidence.list_of_memory(word.bench.db, made.id)}
    word.bench.check()
