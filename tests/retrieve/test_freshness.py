"""What time does to records: nothing by itself but a question, and what is one too many goes
where the operator set a limit.
"""

from __future__ import annotations

from typing import Any

import pytest
from bench import Bench

from memctl.core import clock, timestamps
from memctl.core.errors import ConfigError
from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, Memory, Query
from memctl.records import proposals
from memctl.results.explanations import MemoryExplanation
from memctl.retrieve import freshness
from memctl.store import event_log, records

RATES = {"project": 0.01, "artifact": 0.01, "episode": 0.01, "task_hint": 0.01}


def ago(days: float) -> str:
    return timestamps.add_seconds(clock.now(), seconds=-86400 * days)


def old(bench: Bench, content: str, days: float = 400, **changed: Any) -> Memory:
    """A record that an agent wrote, as old as that."""
    memory = bench.put(content, by=bench.agent)
    aged = replace(memory, observed_at=ago(days), confidence=0.7, **changed)
    with bench.db.write():
        records.replace_record(
            bench.db,
            memory,
            replace(aged, updated_at=clock.now()),
            verb="edited",
            actor="test",
            cause="test",
        )
    return bench.get(memory)


def used(bench: Bench, memory: Memory, days: float, times: int = 1) -> None:
    with bench.db.write():
        for _ in range(times):
            records.count_access(bench.db, [memory.id], ago(days))


@pytest.fixture
def cold(bench: Bench) -> Memory:
    """A fact that nobody confirmed or used for long."""
    bench.settings(decay__rates=RATES)
    return old(bench, "The depot is painted green")


def test_what_is_cold_is_only_proposed(bench: Bench, cold: Memory) -> None:
    assert freshness.propose_unused(bench.db, bench.config) == {
        "cold": 1,
        "proposed": 1,
        "withdrawn": 0,
    }
    assert bench.state(cold) == "active" and bench.get(cold).confidence == 0.7
    (asked,) = proposals.list_open(bench.db)
    assert (
        asked.about == cold.id
        and asked.reason.startswith("confidence 0.70, now 0.2")
        and "not confirmed for 400 days" in asked.reason
    )
    assert freshness.propose_unused(bench.db, bench.config)["proposed"] == 0


def test_accepting_archives_and_the_operator_can_bring_it_back(bench: Bench, cold: Memory) -> None:
    freshness.propose_unused(bench.db, bench.config)
    bench.operator.inbox.accept_proposals([proposals.list_open(bench.db)[0].id])
    assert bench.state(cold) == "archived" and "not confirmed for 400 days" in (
        bench.get(cold).status_reason or ""
    )
    bench.operator.promote([cold.id])
    assert bench.state(cold) == "active"


def test_what_was_kept_is_not_asked_about_again_for_long(bench: Bench, cold: Memory) -> None:
    freshness.propose_unused(bench.db, bench.config)
    bench.operator.inbox.decline_proposals([proposals.list_open(bench.db)[0].id])
    assert freshness.propose_unused(bench.db, bench.config)["proposed"] == 0
    bench.settings(decay__ask_again_days=-1)
    assert freshness.propose_unused(bench.db, bench.config)["proposed"] == 1


def test_confirming_protects_and_takes_the_question_back(bench: Bench, cold: Memory) -> None:
    freshness.propose_unused(bench.db, bench.config)
    bench.operator.records.confirm([cold.id])
    assert bench.get(cold).confirmed_at is not None
    assert freshness.propose_unused(bench.db, bench.config) == {
        "cold": 0,
        "proposed": 0,
        "withdrawn": 1,
    }
    assert proposals.list_open(bench.db) == ()


def test_what_is_used_pinned_protected_a_decision_or_young_is_not_cold(bench: Bench) -> None:
    bench.settings(decay__rates=RATES)
    used(bench, old(bench, "The mill stands at the river"), 5)
    old(bench, "The yard has two gates", always_load=True)
    old(bench, "The bell rings at noon", protected=True)
    old(bench, "The cart has three wheels", 30)
    assert freshness.propose_unused(bench.db, bench.config)["cold"] == 0


def test_episodes_age_by_themselves_unless_that_is_off(bench: Bench, cold: Memory) -> None:
    bench.operator.forget([cold.id])
    old(bench, "A session about the crane", type="episode", kind="summary", owner="agent")
    assert freshness.propose_unused(bench.db, bench.config)["cold"] == 0
    bench.settings(decay__archive_after_days=0)
    assert freshness.propose_unused(bench.db, bench.config)["cold"] == 1


def test_no_flood_of_questions(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.settings(decay__rates=RATES)
    monkeypatch.setattr(freshness, "_MOST_OPEN", 2)
    coldest = [old(bench, f"Gate {n} leads to yard {n}", 400 + n).id for n in range(4)][::-1]
    assert freshness.propose_unused(bench.db, bench.config) == {
        "cold": 4,
        "proposed": 2,
        "withdrawn": 0,
    }
    assert [one.about for one in proposals.list_open(bench.db)] == coldest[:2]


def test_without_rates_an_old_sure_fact_stays_unasked(bench: Bench) -> None:
    bench.settings(decay__rates={})
    old(bench, "The depot is painted green", 4000)
    assert freshness.propose_unused(bench.db, bench.config)["cold"] == 0


def test_over_a_limit_the_least_fresh_and_used_go_to_the_archive_each_by_itself(
    bench: Bench,
) -> None:
    bench.settings(decay__rates=RATES, limits__max_active={"project": 2})
    stale = [old(bench, f"Gate {n} leads to yard {n}", 500 - n) for n in range(2)]
    used(bench, hot := old(bench, "The mill stands at the river", 900), 1, times=9)
    fresh = old(bench, "The crane lifts nine tons", 3)
    assert freshness.archive_over_limits(bench.db, bench.config) == {"evicted": 2, "over_limit": 0}
    assert [bench.state(memory) for memory in (*stale, hot, fresh)] == [
        "archived",
        "archived",
        "active",
        "active",
    ]
    assert (
        bench.get(stale[0]).status_reason
        == "over the limit of 2 active project facts: lowest of 4 by freshness and use"
    )
    operations = {event_log.list_of_memory(bench.db, memory.id)[-1].operation for memory in stale}
    assert len(operations) == 2
    assert freshness.archive_over_limits(bench.db, bench.config)["evicted"] == 0


def test_what_is_protected_pinned_or_the_operator_s_is_never_evicted(bench: Bench) -> None:
    bench.settings(limits__max_active={"project": 0})
    kept = [
        bench.put("The operator's own word on gates"),
        old(bench, "A bell", protected=True),
        old(bench, "A yard", always_load=True),
    ]
    gone = old(bench, "The crane lifts nine tons")
    assert gone.trust == AGENT_CLAIMED
    assert freshness.archive_over_limits(bench.db, bench.config) == {"evicted": 1, "over_limit": 3}
    assert [bench.state(memory) for memory in (*kept, gone)] == [
        "active",
        "active",
        "active",
        "archived",
    ]


def test_a_limit_counts_each_project_by_itself_and_may_name_a_scope(bench: Bench) -> None:
    bench.settings(limits__max_active={"repo/project": 0, "decision": 1})
    memory = old(bench, "The crane lifts nine tons")
    assert freshness.archive_over_limits(bench.db, bench.config)["evicted"] == 0
    assert bench.state(memory) == "active"
    assert freshness.read_limits(bench.config) == {("project", "repo"): 0, ("decision", None): 1}


def test_a_limit_may_be_on_a_whole_scope_and_what_goes_is_named_and_can_come_back(
    bench: Bench,
) -> None:
    bench.settings(limits__max_active={"agent/*": 2})
    kept = bench.put("The crane lifts nine tons", by=bench.agent)
    notes = [
        bench.agent.manage(
            f"Note {number} is about yard {number * 7}",
            scope="agent",
            metadata={"confidence": sure, "kind": kind},
        )
        for number, (sure, kind) in enumerate(
            [(0.3, "fact"), (0.5, "pointer"), (0.2, "fact"), (0.4, "fact")]
        )
    ]
    assert freshness.archive_over_limits(bench.db, bench.config)["evicted"] == 2
    assert [bench.state(note) for note in notes] == ["archived", "active", "archived", "active"]
    assert bench.state(kept.id) == "active"
    reason = "over the limit of 2 active records of scope agent: lowest of 4 by freshness and use"
    assert bench.get(notes[2]).status_reason == reason
    told = bench.operator.history.digest(since="1d")
    assert {notes[0], notes[2]} <= {
        change.record
        for entry in told.entries
        for change in entry.changes
        if change.verb == "evicted"
    }
    bench.operator.revert(notes[2])
    assert bench.state(notes[2]) == "active"


def test_a_limit_on_what_does_not_exist_is_refused(bench: Bench) -> None:
    bench.settings(limits__max_active={"facts": 3})
    with pytest.raises(ConfigError):
        freshness.archive_over_limits(bench.db, bench.config)


def test_how_sure_a_record_still_is_is_said_where_it_differs(bench: Bench, cold: Memory) -> None:
    now = clock.now()
    assert "not confirmed for 400 days" in (
        freshness.describe_confidence(cold, now, bench.config) or ""
    )
    used(bench, cold, 100)
    assert "not used for 100 days" in (
        freshness.describe_confidence(bench.get(cold), clock.now(), bench.config) or ""
    )
    assert freshness.describe_confidence(replace(cold, confirmed_at=now), now, bench.config) is None
    assert (
        freshness.describe_confidence(replace(cold, confirmed_at=now), now, bench.config, 1.0) or ""
    ).endswith("now 0.35: what it cites is gone")


def test_show_and_explain_say_what_time_use_and_votes_made_of_a_record(
    bench: Bench, cold: Memory
) -> None:
    used(bench, cold, 100, times=2)
    bench.operator.records.give_feedback("bad", [cold.id], reason="it is blue")
    said = bench.operator.records.show(cold.id).standing
    assert any("now 0." in line and "not used for 100 days" in line for line in said)
    assert any(line.startswith("served 2 times") for line in said) and any(
        "that it misled: it is blue" in line for line in said
    )
    explained = bench.operator.explain(cold.id)
    assert isinstance(explained, MemoryExplanation) and explained.record.standing == said


def test_of_what_is_new_and_unused_nothing_is_said(bench: Bench) -> None:
    assert bench.operator.records.show(bench.put("The depot is painted green").id).standing == ()


def test_a_fact_that_fades_keeps_its_rank_unless_the_settings_say_otherwise(
    bench: Bench, cold: Memory
) -> None:
    query = Query("depot painted green")
    assert bench.operator.search(query).items[0].parts["freshness"] == 1.0
    bench.operator.write_logs()
    bench.settings(decay__in_ranking=["project"])
    # Being given out was a use.
    assert bench.operator.search(query).items[0].parts["freshness"] > 0.99
    other = old(bench, "The crane lifts nine tons")
    assert bench.operator.search(Query("crane lifts nine tons")).items[0].parts["freshness"] < 0.8
    assert bench.get(other).confidence == 0.7


def test_undoing_an_eviction_brings_the_record_back(bench: Bench) -> None:
    bench.settings(limits__max_active={"project": 0})
    gone = old(bench, "The crane lifts nine tons")
    freshness.archive_over_limits(bench.db, bench.config)
    bench.operator.revert(str(event_log.list_of_memory(bench.db, gone.id)[-1].seq))
    assert bench.state(gone) == "active"


def test_only_what_tells_is_given_as_the_reason(bench: Bench) -> None:
    memory = bench.put("The depot is painted green")
    aged = replace(memory, observed_at=ago(0.1))
    assert freshness.describe_confidence(aged, clock.now(), bench.config) is None
    assert (freshness.describe_confidence(aged, clock.now(), bench.config, 0.5) or "").endswith(
        ": some of what it cites is gone"
    )
