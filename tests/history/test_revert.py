"""Changes undone in a store, with all that was built on them; and the records made anew from the
stream.
"""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import EntityRef, Memory, NewMemory, Query
from memctl.history import rebuild
from memctl.store import event_log, evidence, links, tombstones

KILN, GAS = "The kiln is oil fired", "The kiln is gas fired"


def last(bench: Bench, memory_id: str) -> int:
    return event_log.list_of_memory(bench.db, memory_id)[-1].seq


def sound(bench: Bench) -> None:
    bench.check()
    assert rebuild.find_differences(bench.db) == []


@pytest.mark.parametrize("end", ["old", "new"])
def test_a_supersession_is_undone_from_either_end(bench: Bench, end: str) -> None:
    old = bench.put(KILN)
    new = bench.operator.records.correct(old.id, GAS).changed[0].memory
    bench.operator.revert(old.id if end == "old" else new.id)
    assert (bench.state(old), bench.state(new)) == ("active", "archived")
    assert [
        link for link in links.list_of_memory(bench.db, old.id) if link.relation == "supersedes"
    ] == []
    sound(bench)


def test_the_plan_that_is_shown_is_what_is_undone(bench: Bench) -> None:
    old = bench.put(KILN)
    bench.operator.records.correct(old.id, GAS)
    plan = bench.operator.revert(old.id, dry_run=True)
    assert plan.dry_run and bench.state(old) == "superseded", "a plan changes nothing"
    assert bench.operator.revert(old.id).steps == plan.steps
    assert {step.why.split(" with ")[0] for step in plan.steps} == {"asked for", "made as one"}


def test_a_number_is_a_change_and_anything_else_a_record(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.records.edit(memory.id, {"kind": "constraint"})
    bench.operator.revert(str(last(bench, memory.id)))
    assert bench.get(memory).kind == "fact"
    for wrong in ("9999999", memory.id[:4] + "ZZZZ"):
        with pytest.raises(NotFound):
            bench.operator.revert(wrong)
    for given in ({}, {"change": memory.id, "since": "2026-01-01T00:00:00.000Z"}):
        with pytest.raises(UsageError):
            bench.operator.revert(**given)


def test_all_of_one_actor_is_undone_and_nothing_of_another(bench: Bench) -> None:
    mine, theirs = bench.put(KILN), bench.put("The roof leaks", by=bench.agent)
    bench.agent.ingest([NewMemory("task_hint", "Fire it at night")])
    bench.operator.revert(actor="agent:claude-code")
    assert [bench.state(mine), bench.state(theirs)] == ["active", "archived"]
    assert bench.all("active") == [bench.get(mine)]
    sound(bench)


def test_what_was_derived_goes_with_what_it_came_from(bench: Bench) -> None:
    parent = bench.put(KILN, by=bench.agent)
    child = bench.put("Buy oil before winter", by=bench.agent)
    grandchild = bench.put("The oil merchant closes in December", by=bench.agent)
    bench.operator.records.link(child.id, "derived_from", parent.id)
    bench.operator.records.link(grandchild.id, "derived_from", child.id)
    report = bench.operator.revert(
        parent.id, seq=event_log.list_of_memory(bench.db, parent.id)[0].seq
    )
    assert [bench.state(each) for each in (parent, child, grandchild)] == ["archived"] * 3
    assert any("derived from" in step.why for step in report.steps)
    assert bench.operator.search(Query("oil")).items == ()
    sound(bench)


def test_undoing_twice_is_doing_it_again(bench: Bench) -> None:
    old = bench.put(KILN)
    new = bench.operator.records.correct(old.id, GAS).changed[0].memory
    bench.operator.revert(old.id)
    bench.operator.revert(old.id)
    assert (bench.state(old), bench.state(new)) == ("superseded", "active")
    sound(bench)


def test_a_forgetting_is_undone_with_its_verdict(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.forget([memory.id])
    assert tombstones.find_of_memory(bench.db, memory.id) is not None
    bench.operator.revert(memory.id)
    assert (
        bench.state(memory) == "active" and tombstones.find_of_memory(bench.db, memory.id) is None
    )
    sound(bench)


def test_an_undone_contradiction_stays_undone(bench: Bench) -> None:
    one, two = bench.put(KILN), bench.put("The roof leaks")
    bench.operator.records.link(one.id, "contradicts", two.id)
    bench.operator.revert(one.id)
    assert (bench.state(one), bench.state(two)) == ("active", "active")
    bench.maintain()
    bench.operator.consolidate()
    assert (bench.state(one), bench.state(two)) == ("active", "active")


def test_evidence_that_came_by_an_undone_change_is_withdrawn_and_kept(bench: Bench) -> None:
    memory = bench.put(KILN, by=bench.agent)
    bench.operator.records.confirm([memory.id])
    assert (bench.get(memory).trust, len(evidence.list_of_memory(bench.db, memory.id))) == (5, 2)
    bench.operator.revert(memory.id)
    assert bench.get(memory).trust < 5 and len(evidence.list_of_memory(bench.db, memory.id)) == 1
    assert len(evidence.list_with_withdrawn(bench.db, memory.id)) == 2
    sound(bench)


def test_an_agent_undoes_its_own_and_nothing_that_raises_trust(bench: Bench) -> None:
    own, said = bench.put("The roof leaks", by=bench.agent), bench.put(KILN)
    bench.operator.forget([said.id])
    bench.agent.records.edit(own.id, {"kind": "idea"})
    bench.agent.revert(own.id)
    assert bench.get(own).kind == "fact"
    with pytest.raises(RefusedByPolicy):
        bench.agent.revert(said.id)
    assert bench.agent.revert(said.id, dry_run=True).refused


def test_records_are_set_to_what_history_says_after_a_backup(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.db.script(f"UPDATE memories SET content = 'forged', trust = 1 WHERE id = '{memory.id}'")
    plan = bench.operator.history.rebuild(dry_run=True)
    assert [(each.topic, each.what, each.columns) for each in plan.differences] == [
        ("record", "differs", ("content", "trust"))
    ]
    assert bench.get(memory).content == "forged"
    report = bench.operator.history.rebuild()
    assert report.left == () and report.backup and bench.get(memory) == memory
    sound(bench)
    with pytest.raises(RefusedByPolicy):
        bench.agent.history.rebuild()


def test_undoing_one_record_leaves_names_that_are_one_for_the_others(bench: Bench) -> None:
    first = bench.put(KILN, entities=(EntityRef("person", "Olya"),))
    made = last(bench, first.id)
    bench.put("Olga glazes", entities=(EntityRef("person", "Olga"), EntityRef("person", "Olya")))
    bench.operator.entities.merge("Olga", "Olya")
    bench.operator.revert(str(made))
    assert bench.state(first) == "archived"
    assert [item.name for item in bench.operator.entities.list().items] == ["Olga"]
    sound(bench)


def adopted(bench: Bench) -> tuple[Memory, Memory]:
    """Two records of a project that then became part of another, where the second was edited."""
    for name in ("kilns", "pottery"):
        (bench.home.parent / name).mkdir()
        bench.operator.init(project=bench.home.parent / name)
    place = bench.operator.place(project="kilns")
    one, two = (
        bench.operator.ingest([NewMemory("project", text)], place=place).items[0].record.memory
        for text in (KILN, "The roof leaks")
    )
    bench.operator.forget([one.id])
    bench.operator.projects.adopt("kilns", "pottery")
    bench.operator.records.edit(two.id, {"content": "The roof is mended"})
    return one, two


def test_nothing_returns_to_a_project_that_became_part_of_another(bench: Bench) -> None:
    one, two = adopted(bench)
    bench.operator.revert(
        one.id,
        seq=next(
            event.seq
            for event in event_log.list_of_memory(bench.db, one.id)
            if event.verb == "forgotten"
        ),
    )
    pottery = bench.operator.place(project="pottery").project_id
    assert (bench.state(one), bench.get(one).project_id) == ("active", pottery)
    assert tombstones.find_of_memory(bench.db, one.id) is None, (
        "the verdict that moved along is undone with it"
    )
    assert bench.get(two).content == "The roof is mended", (
        "what moved at the same time is left as it is"
    )
    bench.operator.revert(two.id)
    assert (bench.get(two).content, bench.get(two).project_id) == ("The roof leaks", pottery)
    sound(bench)


def test_that_a_project_became_part_of_another_is_not_undone(bench: Bench) -> None:
    one, _ = adopted(bench)
    moved = next(
        event.seq for event in event_log.list_of_memory(bench.db, one.id) if event.verb == "moved"
    )
    for dry_run in (True, False):
        with pytest.raises(RefusedByPolicy):
            bench.operator.revert(str(moved), dry_run=dry_run)
    bench.operator.revert(since="2020-01-01T00:00:00.000Z")
    assert [memory.status for memory in bench.all()] == ["archived"] * len(bench.all())
    sound(bench)


def test_what_hung_on_a_purged_record_is_not_put_back(bench: Bench) -> None:
    one, two = bench.put(KILN), bench.put("The roof leaks")
    bench.operator.records.link(one.id, "supports", two.id)
    bench.operator.records.link(one.id, "supports", two.id, remove=True)
    parted = event_log.list_about(bench.db, one.id)[-1]
    bench.operator.upkeep.purge([two.id])
    bench.operator.revert(str(parted.seq))
    assert links.list_of_memory(bench.db, one.id) == []
    sound(bench)
