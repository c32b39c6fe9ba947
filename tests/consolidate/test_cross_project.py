"""What two projects say alike becomes at most one wider candidate, trusted like the weaker."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, Memory, NewMemory
from memctl.curate import approval
from memctl.engine.memory_engine import MemoryEngine
from memctl.store import evidence, links, tombstones

RULE, ALIKE = "Never force-push to a shared branch", "Do not force-push to a shared branch."


def put(
    bench: Bench,
    project: str,
    content: str,
    *,
    kind: str = "constraint",
    by: MemoryEngine | None = None,
) -> Memory:
    """A record of one project."""
    folder = bench.folder / project
    folder.mkdir(exist_ok=True)
    bench.operator.init(project=folder)
    given = [NewMemory("project", content, kind=kind)]
    return (
        (by or bench.operator)
        .ingest(given, place=bench.operator.place(folder))
        .items[0]
        .record.memory
    )


def widened(bench: Bench) -> list[Memory]:
    bench.operator.consolidate()
    return [memory for memory in bench.all("inbox") if memory.scope == "global"]


def test_the_same_rule_in_two_projects_is_proposed_once_for_all_with_what_it_rests_on(
    bench: Bench,
) -> None:
    one, other = put(bench, "mill", RULE), put(bench, "forge", ALIKE, by=bench.agent)
    bench.settings(promotion__rules=[{"type": "project", "min_trust": "agent_claimed"}])
    assert approval.approve_by_rules(bench.db, bench.config) == 1, "a rule vouches for nothing"
    bench.settings(promotion__rules=[])
    [wider] = widened(bench)
    assert (wider.trust, wider.project_id, wider.kind) == (AGENT_CLAIMED, None, "constraint")
    derived = {
        link.to_id
        for link in links.list_of_memory(bench.db, wider.id)
        if link.relation == "derived_from"
    }
    assert derived == {one.id, other.id} == set(bench.operator.records.show(wider.id).replaces)
    assert {item.trust for item in evidence.list_of_memory(bench.db, wider.id)} == {
        AGENT_CLAIMED,
        OPERATOR_SAID,
    }
    assert wider.status_reason and (bench.state(one), bench.state(other)) == ("active", "active")
    put(bench, "yard", RULE)
    assert widened(bench) == [wider] and bench.operator.consolidate().steps == ()
    bench.check()


def test_a_dry_run_tells_of_the_wider_candidate_and_makes_none(bench: Bench) -> None:
    one, other = put(bench, "mill", RULE), put(bench, "forge", RULE)
    planned = bench.operator.consolidate(dry_run=True)
    assert [(step.action, {step.id, step.other}) for step in planned.steps] == [
        ("widen", {one.id, other.id})
    ]
    assert bench.all("inbox") == [] and planned.steps == bench.operator.consolidate().steps


def test_what_was_rejected_is_not_proposed_again(bench: Bench) -> None:
    put(bench, "mill", RULE)
    put(bench, "forge", ALIKE)
    [wider] = widened(bench)
    bench.operator.inbox.reject([wider.id], reason="each for itself")
    assert tombstones.find_of_memory(bench.db, wider.id)
    put(bench, "yard", RULE)
    put(bench, "quay", ALIKE)
    assert widened(bench) == []


def test_an_approved_wider_record_takes_the_place_of_both_and_one_revert_gives_them_back(
    bench: Bench,
) -> None:
    one, other = put(bench, "mill", RULE), put(bench, "forge", ALIKE)
    [wider] = widened(bench)
    report = bench.operator.promote([wider.id])
    assert {view.memory.id for view in report.replaced} == {one.id, other.id}
    assert (bench.state(one), bench.state(other), bench.state(wider)) == (
        "superseded",
        "superseded",
        "active",
    )
    bench.operator.revert(wider.id)
    assert (bench.state(one), bench.state(other), bench.state(wider)) == (
        "active",
        "active",
        "inbox",
    )
    bench.check()


@pytest.mark.parametrize("kind", ["fact", "command", "pointer", "todo"])
def test_what_is_a_projects_own_is_not_widened(bench: Bench, kind: str) -> None:
    put(bench, "mill", "The default branch is main", kind=kind)
    put(bench, "forge", "The default branch is main", kind=kind)
    assert widened(bench) == []


def test_what_holds_everywhere_already_is_not_proposed(bench: Bench) -> None:
    put(bench, "mill", RULE)
    put(bench, "forge", RULE)
    bench.put(ALIKE, kind="constraint")
    assert widened(bench) == []
