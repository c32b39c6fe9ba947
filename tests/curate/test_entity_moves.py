"""Two entities become one in short transactions, and one operation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bench import Bench

from memctl.core.model import Actor, EntityRef, Query
from memctl.curate import proposal_decisions
from memctl.history import rebuild
from memctl.records import proposals
from memctl.store import (
    chunks,
    entity_lookup,
    entity_mentions,
    entity_merging,
    event_log,
    unfinished,
)
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
        lambda: left.append(len(entity_merging.list_unmoved(bench.db, gone, gone))),
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


def watch_pauses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one with each pause between two transactions."""
    pauses: list[int] = []
    monkeypatch.setattr(chunks, "pause_between_chunks", lambda: pauses.append(1))
    return pauses


def test_a_split_takes_one_record_in_each_transaction_and_is_undone_as_one(
    bench: Bench, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.entities.merge(KEPT, GONE)
    pauses = watch_pauses(monkeypatch)
    report = bench.operator.entities.split(KEPT, [GONE])
    assert (report.records, len(pauses)) == (3, len(named))
    assert unfinished.list_operations(bench.db) == []
    newest = [event_log.list_about(bench.db, each)[-1] for each in named[1::2]]
    assert len({event.operation for event in newest}) == 1
    bench.operator.revert(str(newest[0].seq))
    assert len(entity_merging.list_mentioning(bench.db, find_id(bench, KEPT))) == len(named)
    bench.check()


def test_a_merge_is_undone_one_record_in_each_transaction(
    bench: Bench, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.entities.merge(KEPT, GONE)
    pauses = watch_pauses(monkeypatch)
    report = bench.operator.entities.split(KEPT, undo_merge=True)
    assert (report.records, len(pauses)) == (3, len(named))
    assert entity_merging.list_mentioning(bench.db, find_id(bench, GONE)) == sorted(named[1::2])
    bench.check()


@pytest.mark.parametrize("undo_merge", [False, True])
def test_a_split_that_a_kill_cuts_off_is_finished_by_maintenance(
    bench: Bench, named: list[str], undo_merge: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.entities.merge(KEPT, GONE)
    with monkeypatch.context() as patch:
        kill_between_chunks(patch, after=1)
        with pytest.raises(Killed):
            names = () if undo_merge else (GONE,)
            bench.operator.entities.split(KEPT, names, undo_merge=undo_merge)
    bench.maintain()
    assert unfinished.list_operations(bench.db) == []
    assert entity_merging.list_mentioning(bench.db, find_id(bench, GONE)) == sorted(named[1::2])
    assert is_found(bench, "Elern") == 3
    bench.check()


@pytest.mark.parametrize("remove", [False, True])
def test_an_alias_that_a_kill_cuts_off_is_finished_by_maintenance(
    bench: Bench, named: list[str], remove: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if remove:
        bench.operator.entities.alias(KEPT, "Quillon")
    with monkeypatch.context() as patch:
        kill_between_chunks(patch, after=1)
        with pytest.raises(Killed):
            bench.operator.entities.alias(KEPT, "Quillon", remove=remove)
    bench.maintain()
    assert unfinished.list_operations(bench.db) == []
    assert is_found(bench, "Quillon") == (0 if remove else 3)
    bench.check()


def test_a_role_that_many_records_name_passes_on_one_by_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [
        bench.put(f"My boss has the key of the {place}", entities=(EntityRef("person", "my boss"),))
        for place in PLACES
    ]
    bench.put("Sixta Ellern runs the mill", entities=(EntityRef("person", KEPT),))
    with monkeypatch.context() as patch:
        kill_between_chunks(patch, after=2)
        with pytest.raises(Killed):
            bench.operator.entities.alias(KEPT, "my boss")
    bench.maintain()
    assert unfinished.list_operations(bench.db) == []
    held = entity_merging.list_mentioning(bench.db, find_id(bench, KEPT))
    assert {each.id for each in ids} <= {*held}
    bench.check()


def propose_merge(bench: Bench) -> str:
    about = f"{find_id(bench, KEPT)} {find_id(bench, GONE)}"
    proposal = proposals.offer_proposal(
        bench.db, "merge_entities", about, reason="alike", data={}, actor="maintain"
    )
    assert proposal is not None
    return proposal


def test_a_merge_that_is_accepted_moves_one_record_in_each_transaction(
    bench: Bench, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = propose_merge(bench)
    pauses = watch_pauses(monkeypatch)
    report = proposal_decisions.accept_proposals(bench.db, bench.config, Actor("operator"), [asked])
    assert sorted(each.memory.id for each in report.changed) == sorted(named[1::2])
    assert len(pauses) >= len(named) - 1 and unfinished.list_operations(bench.db) == []
    newest = event_log.list_about(bench.db, named[1])[-1]
    bench.operator.revert(str(newest.seq))
    assert entity_merging.list_mentioning(bench.db, find_id(bench, GONE)) == sorted(named[1::2])
    bench.check()


def test_an_accepted_merge_that_a_kill_cuts_off_is_finished_by_maintenance(
    bench: Bench, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = propose_merge(bench)
    with monkeypatch.context() as patch:
        kill_between_chunks(patch, after=1)
        with pytest.raises(Killed):
            proposal_decisions.accept_proposals(bench.db, bench.config, Actor("operator"), [asked])
    bench.maintain()
    assert unfinished.list_operations(bench.db) == []
    assert entity_merging.list_mentioning(bench.db, find_id(bench, GONE)) == []
    bench.check()


def test_tools_that_are_one_are_merged_one_record_in_each_transaction(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, place in enumerate(PLACES):
        name = ("fizzbuild", "fizz-build")[number % 2]
        bench.put(f"The {place} uses it", entities=(EntityRef("tool", name),))
    pauses = watch_pauses(monkeypatch)
    bench.maintain()
    assert len(pauses) >= len(PLACES) and unfinished.list_operations(bench.db) == []
    names = [row["name"] for row in entity_mentions.list_mentioned(bench.db, "tool")]
    assert len([name for name in names if name.startswith("fizz")]) == 1
    bench.check()
