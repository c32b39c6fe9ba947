"""Consolidation on the store: what is shown is what is done.

Merges lose nothing, statuses follow contradictions, and every step can be undone.
"""

from __future__ import annotations

import random

import pytest
from bench import Bench
from consolidate_samples import CONTRADICTIONS, DUPLICATES, UPDATES
from plain_redaction import PLAIN_REDACTOR

from memctl.consolidate import apply
from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, Actor, EntityRef, NewMemory, Place
from memctl.records import drafts
from memctl.store import entity_lookup, event_log, evidence, links, records

LONG, SHORT = "The request timeout is 30 seconds", "Request timeout is 30s"
OPERATOR, AGENT = Actor("operator"), Actor("agent:claude-code")
MAIN, TRUNK = "The default branch is main", "The default branch is trunk"


def test_a_dry_run_shows_what_the_real_run_does_and_touches_nothing(bench: Bench) -> None:
    bench.put(LONG)
    bench.put(SHORT)
    before = [records.extract_history_fields(memory) for memory in bench.all()]
    planned = bench.operator.consolidate(dry_run=True)
    assert [records.extract_history_fields(memory) for memory in bench.all()] == before
    done = bench.operator.consolidate()
    assert planned.steps == done.steps and planned.dry_run and not done.dry_run
    assert [step.action for step in done.steps] == ["merge"]
    assert bench.operator.consolidate().steps == ()
    bench.check()


def test_a_merge_keeps_the_evidence_the_entities_and_both_records(bench: Bench) -> None:
    bench.put(LONG, entities=(EntityRef("tool", "nginx"),))
    bench.put(SHORT, entities=(EntityRef("tool", "envoy"),))
    [step] = bench.operator.consolidate().steps
    assert {item.quote for item in evidence.list_of_memory(bench.db, step.id)} == {LONG, SHORT}
    assert {
        ref.name.lower() for ref in entity_lookup.list_refs_by_memory(bench.db, [step.id])[step.id]
    } == {
        "nginx",
        "envoy",
    }
    assert evidence.list_of_memory(bench.db, step.other)
    assert (bench.state(step.id), bench.state(step.other)) == ("active", "superseded")
    assert bench.operator.records.show(step.other).superseded_by == step.id
    bench.check()


def test_what_is_active_absorbs_what_waits_and_trust_does_not_rise_in_passing(bench: Bench) -> None:
    bench.placed = True
    claimed = bench.put(LONG, by=bench.agent)
    said = bench.put(LONG, "decision", by=bench.operator)  # without a rationale it waits
    bench.operator.consolidate()
    assert (bench.state(claimed), bench.get(claimed).trust) == ("active", AGENT_CLAIMED)
    assert bench.state(said) == "superseded"
    bench.check()


def test_no_reason_of_weaker_words_stands_in_a_record_that_is_trusted_more(bench: Bench) -> None:
    said = bench.put(LONG, "decision")
    bench.put(SHORT, "decision", rationale="a web page said so", by=bench.agent)
    bench.operator.consolidate()
    assert (
        bench.get(said).rationale != "a web page said so" or bench.get(said).trust == AGENT_CLAIMED
    )
    bench.check()


def test_nothing_crosses_projects(bench: Bench) -> None:
    bench.take(("user", f"fact {LONG}\nfact {MAIN}"))
    bench.home = bench.folder / "mill"
    bench.home.mkdir()
    bench.take(("user", f"fact {SHORT}\nfact {TRUNK}"), session="another")
    assert len(bench.all("inbox")) == 4
    assert bench.operator.consolidate().steps == ()


def test_one_project_is_consolidated_alone(bench: Bench) -> None:
    bench.put(LONG)
    bench.put(SHORT)
    bench.operator.init(project=bench.home)
    place = bench.operator.place(bench.home)
    bench.operator.ingest([NewMemory("project", LONG), NewMemory("project", SHORT)], place=place)
    report = bench.operator.consolidate(place=place)
    assert (len(report.steps), report.looked_at) == (1, 2)
    assert len(bench.all("superseded")) == 1


def test_contradictions_become_one_link_and_two_states(bench: Bench) -> None:
    one, two = bench.put("The kiln stands in the barn"), bench.put(TRUNK)
    with bench.db.write():
        memory = bench.get(one)
        changed = apply.replace(memory, content=MAIN, updated_at=memory.updated_at + "x")
        records.replace_record(bench.db, memory, changed, verb="edited", actor="test", cause="test")
    assert [step.action for step in bench.operator.consolidate().steps] == ["propose"]
    assert (bench.state(one), bench.state(two)) == ("contradicted", "contradicted")
    assert [link.relation for link in links.list_of_memory(bench.db, one.id)] == ["contradicts"]
    assert bench.operator.consolidate().steps == ()


def test_three_that_exclude_each_other_are_released_one_by_one(bench: Bench) -> None:
    three = [bench.put(MAIN), bench.put(TRUNK), bench.put("The default branch is develop")]
    assert {bench.state(memory) for memory in three} == {"contradicted"}
    bench.operator.forget([three[0].id])
    assert {bench.state(memory) for memory in three[1:]} == {"contradicted"}
    bench.operator.records.correct(three[1].id, "The default branch is develop, since March")
    bench.operator.forget([three[2].id])
    assert [memory.content for memory in bench.all("active", "contradicted")] == [
        "The default branch is develop, since March"
    ]
    bench.check()


def test_a_merge_settles_what_stood_against_the_absorbed_record(bench: Bench) -> None:
    bench.placed = True
    bench.put(LONG)
    other = bench.put("The roof leaks")
    gone = bench.put(SHORT, by=bench.agent)
    bench.operator.records.link(gone.id, "contradicts", other.id)
    assert (bench.state(other), bench.state(gone)) == ("active", "contradicted")
    bench.operator.consolidate()
    assert bench.state(gone) == "superseded"
    bench.check()


def test_a_step_whose_record_left_meanwhile_is_not_done(bench: Bench) -> None:
    bench.put(LONG)
    bench.put(SHORT)
    [step] = apply.plan_records(bench.db, bench.all("active"))
    bench.operator.forget([step.target or ""])
    with bench.db.write():
        assert apply.carry_out_step(bench.db, step, actor="test", cause="test") is False
    assert bench.state(step.target or "") == "archived"


def test_a_proposed_supersession_is_only_linked(bench: Bench) -> None:
    old = bench.put(MAIN, observed_at="2026-01-01")
    new = bench.put(TRUNK, observed_at="2026-02-01")
    assert {bench.state(old), bench.state(new)} == {"contradicted"}
    [link] = links.list_of_memory(bench.db, old.id)
    assert (link.relation, links.find_proposed_successor(link)) == ("contradicts", new.id)
    bench.check()


def test_what_the_operator_writes_down_as_a_change_takes_the_place_of_what_was_so(
    bench: Bench,
) -> None:
    old = bench.put(MAIN, observed_at="2026-01-01")
    new = bench.put("The default branch is now trunk", observed_at="2026-02-01")
    assert (bench.state(old), bench.state(new)) == ("superseded", "active")
    bench.check()


def test_an_agents_report_of_a_change_is_only_proposed(bench: Bench) -> None:
    old = bench.put(MAIN, by=bench.agent, observed_at="2026-01-01")
    new = bench.put("The default branch is now trunk", by=bench.agent, observed_at="2026-02-01")
    assert {bench.state(old), bench.state(new)} == {"contradicted"}
    bench.check()


@pytest.mark.parametrize("by", ["operator", "agent"])
def test_episodes_are_left_alone(bench: Bench, by: str) -> None:
    for content in (LONG, SHORT):
        bench.put(content, "episode", by=getattr(bench, by))
    assert bench.operator.consolidate().steps == ()


def test_every_change_of_a_merge_stands_in_the_stream(bench: Bench) -> None:
    bench.put(LONG)
    bench.put(SHORT)
    [step] = bench.operator.consolidate().steps
    assert {"evidence", "linked"} <= {
        event.verb for event in event_log.list_of_memory(bench.db, step.id, whole=True)
    }
    absorbed = event_log.list_of_memory(bench.db, step.other)[-1]
    assert (absorbed.verb, absorbed.operation) == (
        "absorbed",
        event_log.list_of_memory(bench.db, step.id, whole=True)[-1].operation,
    )
    assert bench.get(step.id).trust == OPERATOR_SAID


TOLD = (
    *(text for pair in (*DUPLICATES[:4], *CONTRADICTIONS[:8], *UPDATES[:4]) for text in pair),
    "The default branch is develop",
    "From now on the default branch is trunk",
    "Use yarn instead of npm",
)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_there_the_dry_run_shows_what_is_done_and_nothing_is_left_to_do(
    bench: Bench, seed: int
) -> None:
    dice = random.Random(seed)
    with bench.db.write():
        for number in range(14):
            day = f"2026-0{dice.randint(1, 9)}-0{dice.randint(1, 9)}"
            marks = {"always_load": dice.random() < 0.2}
            item = NewMemory(
                dice.choice(["project", "project", "artifact"]),
                dice.choice(TOLD),
                observed_at=day,
                **marks,
            )
            memory = replace(
                drafts.build_from_manual(
                    item, Place(), dice.choice([OPERATOR, AGENT]), PLAIN_REDACTOR
                ),
                status=dice.choice(["inbox", "active"]),
            )
            if not [
                known
                for known in records.list_by_fingerprint(bench.db, memory.fingerprint)
                if known.status == memory.status
            ]:
                proof = drafts.build_manual_evidence(
                    memory, OPERATOR if memory.trust == OPERATOR_SAID else AGENT, PLAIN_REDACTOR
                )
                records.insert_record(
                    bench.db,
                    replace(memory, evidence_ref=proof.id),
                    actor="test",
                    cause=f"test {number}",
                )
                evidence.insert_evidence(bench.db, [proof])
    before = [records.extract_history_fields(memory) for memory in bench.all()]
    planned = bench.operator.consolidate(dry_run=True)
    assert [records.extract_history_fields(memory) for memory in bench.all()] == before
    assert bench.operator.consolidate().steps == planned.steps
    assert bench.operator.consolidate().steps == ()
    bench.check()
