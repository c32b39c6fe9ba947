"""Two entities become one in short transactions, and one operation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bench import Bench

from memctl.core.model import EntityRef, Query
from memctl.history import rebuild
from memctl.store import chunks, entity_lookup, entity_merging, event_log, unfinished
from tests.killing import Killed, kill_between_chunks

PLACES = ("quay", "kiln", "roof", "mill", "yard", "barn")
KEPT, GONE = "Sixta Ellern", "Sixta Elern"


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """One record in each transaction."""
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)


@pytest.fixture
def named(bench: Bench) -> list[str]:
    """Records of which every other one mentions the entity that is merged."""
    return [
        bench.put(f"The key of the {place} is kept", entities=(EntityRef("person", who),)).id
        for place, who in zip(PLACES, (KEPT, GONE) * 3, strict=True)
    ]


@pytest.fixture
def kill_after(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let the process end between the second and the third transaction."""
    with monkeypatch.context() as patch:
        kill_between_chunks(patch, after=1)
        yield patch


def find_id(bench: Bench, name: str) -> str:
    row = bench.db.one("entities.find", kind="person", name=name)
    assert row is not None
    return str(row["id"])


def is_found(bench: Bench, name: str) -> int:
    asked = Query(name, bench.operator.place(bench.home), include=("inbox",), limit=20)
    return len(bench.operator.search(asked).items)


def test_a_record_moves_in_a_transaction_of_its_own(
    bench: Bench, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    gone = find_id(bench, GONE)
    monkeypatch.setattr(
        chunks,
        "pause_between_chunks",
        lambda: left.append(len(entity_merging.list_unmoved(bench.db, gone))),
    )
    report = bench.operator.entities.merge(KEPT, GONE)
    assert (report.records, left[:4]) == (3, [3, 2, 1, 0])
    assert unfinished.list_operations(bench.db) == []
    bench.check()


def test_all_pieces_of_a_merge_are_undone_as_one(bench: Bench, named: list[str]) -> None:
    bench.operator.entities.merge(KEPT, GONE)
    newest = [event_log.list_about(bench.db, each)[-1] for each in named[1::2]]
    assert len({event.operation for event in newest}) == 1
    bench.operator.revert(str(newest[0].seq))
    gone = entity_lookup.get_entity(bench.db, find_id(bench, GONE))
    assert gone["merged_into"] is None
    assert entity_merging.list_mentioning(bench.db, gone["id"]) == sorted(named[1::2])
    assert rebuild.find_differences(bench.db) == []


def test_a_merge_that_a_kill_cuts_off_is_finished_by_maintenance(
    bench: Bench, named: list[str], kill_after: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Killed):
        bench.operator.entities.merge(KEPT, GONE)
    kill_after.undo()
    assert [each.kind for each in unfinished.list_abandoned(bench.db)] == ["adopt"]
    # What is written meanwhile goes to the entity that stands for it.
    assert entity_lookup.find_entity(bench.db, "person", GONE) == find_id(bench, KEPT)
    bench.maintain()
    assert unfinished.list_operations(bench.db) == []
    assert entity_merging.list_mentioning(bench.db, find_id(bench, GONE)) == []
    assert is_found(bench, "Elern") == is_found(bench, "Ellern") == len(named)
    bench.check()


def test_a_merge_that_is_undone_meanwhile_moves_nothing_more(
    bench: Bench, named: list[str], kill_after: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Killed):
        bench.operator.entities.merge(KEPT, GONE)
    kill_after.undo()
    bench.operator.entities.split(KEPT, undo_merge=True)
    bench.maintain()
    assert unfinished.list_operations(bench.db) == []
    assert entity_merging.list_mentioning(bench.db, find_id(bench, GONE)) == sorted(named[1::2])
