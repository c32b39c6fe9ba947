"""A project becomes part of another in short transactions, all of which maintenance finishes."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.core.frozen import replace
from memctl.records import adoption
from memctl.store import event_log, projects, records, unfinished
from tests.killing import Killed, kill_between_chunks


def test_an_adoption_that_was_killed_is_finished_by_maintenance(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = [bench.put(f"Shelf {number} holds plates") for number in range(3)]
    at = "2026-01-01T00:00:00.000Z"
    with bench.db.write():
        child = projects.insert(bench.db, "kiln-2", "/kiln-2", at)
        parent = projects.insert(bench.db, "kiln", "/kiln", at)
    with bench.db.write():
        for memory in memories:
            there = replace(memory, project_id=child.id, scope="project")
            records.replace_record(
                bench.db, memory, there, verb="edited", actor="operator", cause="edit"
            )

    with monkeypatch.context() as patch, pytest.raises(Killed):
        kill_between_chunks(patch)
        adoption.adopt_project(bench.db, bench.operator.actor, "kiln-2", "kiln")
    assert {bench.get(memory).project_id for memory in memories} == {child.id, parent.id}
    steps = {step.name: step for step in bench.maintain(steps=["finish"]).steps}
    assert steps["finish"].counts == {"finished": 1}
    assert {bench.get(memory).project_id for memory in memories} == {parent.id}
    newest = [event_log.list_of_memory(bench.db, memory.id)[-1] for memory in memories]
    assert len({event.operation for event in newest}) == 1
    assert unfinished.list_operations(bench.db) == []
    bench.check()
