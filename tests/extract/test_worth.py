"""What a learned model makes of the words of a person, and what stands without it."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from extract_samples import agent, edited, found, human, other, proposed

from memctl.core.model import OPERATOR_IMPLIED
from memctl.extract import worth, worth_model
from memctl.extract.worth_features import list_typed_sentences


def test_a_rule_is_ranked_above_a_task_that_is_put_in_the_same_breath() -> None:
    kept = found(
        human("Add the tide table. We never call the weather service from tests, it bills us."),
        agent("Understood."),
    )
    assert "never call the weather service" in kept[0].content
    assert kept[0].confidence >= worth.FLOOR


@pytest.fixture
def keen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that finds everything worth keeping."""
    weights = worth_model.Weights({}, array("f"), 2.0, 1.0, 0.0)
    model = worth_model.WorthModel(weights, weights)
    monkeypatch.setattr(worth, "load_model", lambda: model)
    monkeypatch.setattr(worth, "find_vectors", lambda: None)


@pytest.mark.usefixtures("keen")
def test_an_answer_that_says_little_alone_carries_what_it_answers() -> None:
    asked = "Should I store the heights in feet or in metres?"
    (kept,) = found(agent(f"The table is ready. {asked}"), human("metres"), agent("OK."))
    assert kept.content == f"metres (asked: {asked})"
    assert kept.title == "Should I store the heights in feet or in metres? metres"
    assert [span.quote for span in kept.evidence] == [asked, "metres"]


@pytest.mark.usefixtures("keen")
def test_what_the_agent_did_at_a_question_is_implied_and_put_as_a_statement() -> None:
    (kept,) = found(
        agent("Each lot has a page of its own."),
        human("can we keep one page for all lots of a sale?"),
        agent("Sure, one page then."),
        edited("lots.py"),
    )
    assert (kept.title, kept.trust) == ("Keep one page for all lots of a sale", OPERATOR_IMPLIED)


@pytest.mark.parametrize(
    "said",
    [
        "The pager was a mistake. Never use it for anything but fires.",
        "Mapbox gets too dear. From now on we use Protomaps instead of it, always.",
    ],
)
def test_a_sentence_that_points_back_takes_the_one_before_along(said: str) -> None:
    (kept,) = found(agent("The map is drawn."), human(said), agent("OK, done."))
    assert kept.content == said


@pytest.mark.usefixtures("keen")
def test_a_bare_answer_to_nothing_is_not_proposed() -> None:
    assert found(human("2")) == []
    assert found(agent("I see two ways."), human("option b"), agent("OK.")) == []


def test_a_question_that_nobody_answered_decides_nothing() -> None:
    assert found(human("what about keeping the old importer around until the museum moves?")) == []


@pytest.mark.parametrize(
    "words",
    [
        "for now keep the lock file out of the commit",
        "in this commit only use the short names",
        "just for today skip the slow checks please",
    ],
)
def test_what_is_asked_for_once_is_not_learned_either(words: str) -> None:
    assert found(agent("The commit is ready."), human(words), agent("OK.")) == []


def test_confidence_is_what_the_model_says_and_never_above_what_was_seen() -> None:
    kept = found(human("Never push to main without asking me, the mirror follows at once."))
    assert worth.FLOOR <= kept[0].confidence <= 0.95
    assert kept[0].confidence != proposed(human(kept[0].evidence[0].quote))[0].confidence


def test_without_the_learned_weights_the_rules_decide_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = [human("Never push to main without asking me, the mirror follows at once.")]
    monkeypatch.setattr(worth, "load_model", lambda: None)
    assert [c.confidence for c in found(*turns)] == [proposed(*turns)[0].confidence]


def test_weights_that_are_missing_or_changed_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = worth_model.load_model.__wrapped__
    assert load() is not None
    changed = tmp_path / "worth.json"
    changed.write_bytes(worth_model.FILE.read_bytes() + b" ")
    monkeypatch.setattr(worth_model, "FILE", changed)
    assert load() is None
    monkeypatch.setattr(worth_model, "FILE", tmp_path / "none.json")
    assert load() is None


def test_of_a_very_long_turn_only_both_ends_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def count(*args: object) -> object:
        sentences = list_typed_sentences(*args)  # type: ignore[arg-type]
        seen.append(len(sentences))
        return sentences

    monkeypatch.setattr(worth, "list_typed_sentences", count)
    found(human(" ".join(f"The buoy {n} is painted in red." for n in range(1500))))
    assert seen and max(seen) <= 300


def test_a_shell_command_and_a_message_of_a_program_are_not_weighed() -> None:
    assert found(human("npm always fails with every test", kind="command", shell=True)) == []
    assert found(other("system", "text", "Never push to main without asking.")) == []
