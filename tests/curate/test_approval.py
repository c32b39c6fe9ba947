"""From candidate to active, and from candidate to never again."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.core.errors import ConfigError, NotFound, UsageError
from memctl.core.model import AGENT_CLAIMED, Actor, Filter
from memctl.curate import approval
from memctl.engine.memory_engine import MemoryEngine
from memctl.store import evidence, tombstones

LONG = "fact the shelves in the big kiln are made of cordierite"


def test_the_operator_makes_a_candidate_active_and_its_evidence_stays(bench: Bench) -> None:
    bench.take(("user", LONG))
    waiting = bench.one("inbox")
    report = bench.operator.promote([waiting.id[:12]])
    assert [view.memory.status for view in report.changed] == ["active"]
    assert evidence.list_of_memory(bench.db, waiting.id)[0].source_id == waiting.source_ref
    bench.check()


def test_an_agent_may_approve_its_own_claim_and_nothing_that_the_operator_said(
    bench: Bench,
) -> None:
    bench.take(("user", f"{LONG}\nprefer tea over coffee"), ("assistant", "claim the roof leaks"))
    waiting = [memory.id for memory in bench.all("inbox")]
    other = MemoryEngine(bench.config, Actor("agent:codex"))
    assert other.promote(waiting).changed == ()
    other.close()
    report = bench.agent.promote(waiting)
    assert [view.memory.content for view in report.changed] == ["the roof leaks"]
    assert bench.one("active").trust == AGENT_CLAIMED, "which makes it no surer"
    assert sorted(bench.state(refusal.id) for refusal in report.refused) == ["inbox", "inbox"]
    assert all("terminal" in refusal.reason for refusal in report.refused)


def test_a_decision_needs_a_rationale_which_the_operator_may_give_while_approving(
    bench: Bench,
) -> None:
    bench.take(("user", "decide fire at cone six"))
    decision = bench.one("inbox")
    assert "rationale" in bench.operator.promote([decision.id]).refused[0].reason
    assert (
        "rationale"
        in bench.agent.promote([decision.id], reason="because I say so").refused[0].reason
    )
    assert (
        bench.operator.promote([decision.id], reason="the clay is stoneware")
        .changed[0]
        .memory.rationale
        == "the clay is stoneware"
    )
    bench.check()


def test_a_dry_run_shows_the_same_and_changes_nothing(bench: Bench) -> None:
    bench.take(("user", LONG), ("assistant", "claim the roof leaks"))
    ids = [memory.id for memory in bench.all("inbox")]
    planned = bench.agent.promote(ids, dry_run=True)
    assert [bench.state(memory_id) for memory_id in ids] == ["inbox", "inbox"]
    done = bench.agent.promote(ids)
    assert [view.memory.id for view in planned.changed] == [view.memory.id for view in done.changed]
    assert planned.refused == done.refused and planned.dry_run


def test_all_within_the_filters_are_approved(bench: Bench) -> None:
    bench.take(
        ("user", f"{LONG}\ndecide fire at cone six because the clay is stoneware\nprefer tea")
    )
    report = bench.operator.inbox.approve_all(Filter(types=("decision", "profile")))
    assert sorted(view.memory.type for view in report.changed) == ["decision", "profile"]
    assert bench.one("inbox").type == "project"


def test_what_is_active_or_superseded_is_not_approved(bench: Bench) -> None:
    old = bench.put("The default branch is main")
    bench.operator.records.correct(old.id, "The default branch is trunk")
    report = bench.operator.promote([old.id, bench.one("active").id])
    assert ["superseded" in report.refused[0].reason, "already" in report.refused[1].reason] == [
        True,
        True,
    ]


def test_an_unknown_id_or_none_changes_nothing(bench: Bench) -> None:
    bench.take(("user", LONG))
    waiting = bench.one("inbox")
    with pytest.raises(NotFound):
        bench.operator.promote([waiting.id, "01ZZZZZZZZ"])
    with pytest.raises(UsageError):
        bench.operator.promote([])
    assert bench.state(waiting) == "inbox"


def test_an_approved_candidate_that_is_known_word_for_word_is_one_with_it(bench: Bench) -> None:
    bench.take(("user", LONG))
    waiting = bench.one("inbox")
    bench.operator.promote([waiting.id])
    # A moment later than there: the same words at the same moment would be a fork's.
    bench.take(("user", "Good morning"), ("user", f"again: \n{LONG}"), session="another")
    assert bench.one("active").id == waiting.id
    assert len(evidence.list_of_memory(bench.db, waiting.id)) == 2


def test_approving_makes_a_waiting_contradiction_count(bench: Bench) -> None:
    bench.take(("user", "fact The default branch is main\nfact The default branch is trunk"))
    one, two = bench.all("inbox")
    bench.operator.promote([one.id])
    assert (bench.state(one), bench.state(two)) == ("active", "inbox")
    bench.operator.promote([two.id])
    assert (bench.state(one), bench.state(two)) == ("contradicted", "contradicted")
    bench.check()


# -- rejection ----------------------------------------------------------------


def test_a_rejected_candidate_does_not_come_back_from_its_own_session(bench: Bench) -> None:
    bench.take(("user", LONG))
    bench.operator.inbox.reject([bench.one("inbox").id], reason="it was a joke")
    assert bench.take(("user", LONG), ("assistant", "claim more")).rejected_again == 1
    assert bench.take(("user", "hello"), ("user", LONG)).rejected_again == 1
    assert bench.one("archived").status_reason == "rejected: it was a joke"


def test_a_rejected_candidate_does_not_come_back_from_another_session_with_the_same_words(
    bench: Bench,
) -> None:
    bench.take(("user", LONG))
    bench.operator.inbox.reject([bench.one("inbox").id], reason="a joke")
    report = bench.take(
        ("user", "listen"), ("user", LONG.upper().replace("FACT ", "fact ")), session="another"
    )
    assert (report.proposed, report.rejected_again) == (0, 1)


def test_a_rejected_quote_does_not_come_back_in_another_project(bench: Bench) -> None:
    bench.take(("user", LONG))
    bench.operator.inbox.reject([bench.one("inbox").id], reason="a joke")
    bench.home = bench.folder / "mill"
    bench.home.mkdir()
    assert bench.take(("user", LONG), session="another").rejected_again == 1


def test_a_short_quote_speaks_only_for_its_own_content(bench: Bench) -> None:
    bench.take(("user", "fact oil fired"))
    bench.operator.inbox.reject([bench.one("inbox").id], reason="a joke")
    assert tombstones.find_of_memory(bench.db, bench.one("archived").id)["quote_hash"] is None  # type: ignore[index]


def test_a_rejection_needs_a_reason_and_a_candidate(bench: Bench) -> None:
    memory = bench.put("The kiln is oil fired")
    with pytest.raises(UsageError):
        bench.operator.inbox.reject([memory.id], reason=" ")
    assert "forget" in bench.operator.inbox.reject([memory.id], reason="no").refused[0].reason
    with pytest.raises(UsageError):
        bench.operator.inbox.reject([], reason="no")


def test_an_agents_rejection_is_an_opinion_that_the_operator_is_shown(bench: Bench) -> None:
    bench.take(("user", f"{LONG}\nprefer tea over coffee"))
    waiting = [memory.id for memory in bench.all("inbox")]
    other = MemoryEngine(bench.config, Actor("agent:codex"))
    for _ in range(2):
        assert bench.agent.inbox.reject(waiting, reason="a joke").verb == "advised"
    assert other.inbox.reject(waiting[:1]).verb == "advised"
    other.close()
    assert sorted(memory.id for memory in bench.all("inbox")) == sorted(waiting)
    assert not any(tombstones.find_of_memory(bench.db, each) for each in waiting)
    assert bench.get(waiting[0]).status_reason == (
        "agent:claude-code would reject it: a joke; agent:codex would reject it: it gave no reason"
    )
    assert bench.agent.forget(waiting).changed == ()
    assert len(bench.operator.promote(waiting).changed) == 2
    bench.check()


def test_only_the_operator_brings_back_what_was_rejected(bench: Bench) -> None:
    bench.take(("user", LONG))
    memory = bench.one("inbox")
    bench.operator.inbox.reject([memory.id], reason="a joke")
    assert len(bench.agent.promote([memory.id]).refused) == 1
    assert bench.operator.promote([memory.id]).changed[0].memory.status == "active"
    assert tombstones.find_of_memory(bench.db, memory.id) is None
    bench.check()


def test_an_agent_cannot_approve_the_twin_of_what_was_forgotten(bench: Bench) -> None:
    bench.take(("user", LONG))
    waiting = bench.one("inbox")
    other = bench.put("The roof leaks", project="kiln", kind="idea")
    bench.operator.records.edit(other.id, {"content": LONG[5:]})
    bench.operator.forget([other.id])
    assert "forgotten" in bench.agent.promote([waiting.id]).refused[0].reason
    assert bench.operator.promote([waiting.id]).changed[0].memory.status == "active"


# -- rules of the config ------------------------------------------------------


def test_a_rule_promotes_what_it_covers_and_nothing_else(bench: Bench) -> None:
    bench.settings(promotion__rules=[{"type": "project", "kind": "fact"}])
    report = bench.take(
        ("user", f"{LONG}\nprefer tea\ndecide cone six because stoneware"),
        ("assistant", "claim the roof leaks"),
    )
    assert report.promoted == 1
    assert bench.one("active").content == LONG[5:]
    bench.check()


def test_a_profile_fact_is_promoted_only_by_a_rule_that_names_the_profile(bench: Bench) -> None:
    bench.settings(promotion__rules=[{"kind": "preference"}])
    assert bench.take(("user", "prefer tea")).promoted == 0
    bench.settings(promotion__rules=[{"type": "profile", "min_confidence": 0.5}])
    assert bench.maintain().promoted == 1


def test_a_rule_makes_no_decision_without_a_rationale_active(bench: Bench) -> None:
    bench.settings(promotion__rules=[{"type": "decision"}])
    assert bench.take(("user", "decide cone six")).promoted == 0
    assert (
        bench.take(
            ("user", "decide cone six"), ("user", "decide oil because it is at hand")
        ).promoted
        == 1
    )


def test_the_least_trust_and_confidence_of_a_rule_hold(bench: Bench) -> None:
    bench.take(("user", LONG), ("assistant", "claim the roof leaks"))
    bench.settings(
        promotion__rules=[{"type": "project", "min_confidence": 0.81, "min_trust": "agent_claimed"}]
    )
    assert bench.maintain().promoted == 0
    bench.settings(
        promotion__rules=[{"type": "project", "min_trust": "agent_claimed", "project": "mill"}]
    )
    assert bench.maintain().promoted == 0
    bench.settings(
        promotion__rules=[{"type": "project", "min_trust": "agent_claimed", "project": "kiln"}]
    )
    assert bench.maintain().promoted == 2


@pytest.mark.parametrize(
    "rule",
    [
        "all",
        {},
        {"min_confidence": 0.5},
        {"type": "project", "minimum": 1},
        {"type": "projects"},
        {"type": "project", "min_trust": "me"},
        {"type": "project", "min_confidence": "0.9"},
        {"type": "project", "min_confidence": True},
    ],
    ids=str,
)
def test_a_rule_that_cannot_be_meant_is_an_error_of_the_config(bench: Bench, rule: object) -> None:
    bench.settings(promotion__rules=[rule])
    with pytest.raises(ConfigError, match="promotion"):
        approval.approve_by_rules(bench.db, bench.config)
    assert [text for text in bench.operator.maintain().problems if "promotion.rules" in text]
