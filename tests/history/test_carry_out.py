"""Large undoings in short transactions: nothing is half undone, and a kill is made good."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bench import Bench

from memctl.core.frozen import asdict
from memctl.core.model import Link, Memory
from memctl.history import carry_out, rebuild, revert
from memctl.store import chunks, event_log, unfinished
from tests.killing import Killed, kill_between_chunks

STATEMENTS = ("The kiln is oil fired", "The roof leaks", "Tea is at four", "The quay floods")


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """One part in each transaction."""
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)


@pytest.fixture
def written(bench: Bench) -> list[Memory]:
    """Records that an agent wrote, each by itself."""
    return [bench.put(text, by=bench.agent) for text in STATEMENTS]


@pytest.fixture
def kill_after(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let the process end between the second and the third transaction."""
    with monkeypatch.context() as patch:
        kill_between_chunks(patch, after=1)
        yield patch


def check(bench: Bench) -> None:
    bench.check()
    assert rebuild.find_differences(bench.db) == []


def test_all_chunks_of_an_undoing_are_one_operation(bench: Bench, written: list[Memory]) -> None:
    bench.operator.revert(actor="agent:claude-code")
    newest = [event_log.list_of_memory(bench.db, memory.id)[-1] for memory in written]
    assert len({event.operation for event in newest}) == 1
    assert {bench.state(memory) for memory in written} == {"archived"}
    bench.operator.revert(str(newest[0].seq))
    assert {bench.state(memory) for memory in written} == {"active"}
    check(bench)


def test_an_undoing_that_was_killed_is_finished_by_maintenance(
    bench: Bench, written: list[Memory], kill_after: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Killed):
        bench.operator.revert(actor="agent:claude-code")
    kill_after.undo()
    states = [bench.state(memory) for memory in written]
    assert sorted(states) == ["active", "active", "archived", "archived"]
    check(bench)
    assert [one.kind for one in unfinished.list_abandoned(bench.db)] == [revert.KIND]
    steps = {step.name: step for step in bench.maintain().steps}
    assert steps["finish"].counts == {"finished": 1}
    assert {bench.state(memory) for memory in written} == {"archived"}
    assert unfinished.list_operations(bench.db) == []
    operations = {event_log.list_of_memory(bench.db, m.id)[-1].operation for m in written}
    assert len(operations) == 1, "what was finished is undone as one with what was begun"
    check(bench)


def test_what_somebody_changed_after_the_plan_is_planned_again(
    bench: Bench, written: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest = written[0]

    def edit() -> None:
        monkeypatch.setattr(chunks, "pause_between_chunks", lambda: None)
        bench.operator.records.edit(oldest.id, {"title": "Heating"})

    monkeypatch.setattr(chunks, "pause_between_chunks", edit)
    bench.operator.revert(actor="agent:claude-code")
    assert {bench.state(memory) for memory in written} == {"archived"}
    check(bench)


def test_what_links_connect_is_undone_in_one_transaction(bench: Bench) -> None:
    old = bench.put("The kiln is oil fired", by=bench.agent)
    new = bench.agent.records.correct(old.id, "The kiln is gas fired").changed[0].memory
    other = bench.put("Tea is at four", by=bench.agent)
    with bench.db.snapshot():
        chosen = event_log.list_matching(bench.db, actor="agent:claude-code")
        plan = revert._plan_rest(bench.db, chosen, "none")
    parts = [{memory.id for memory, *_ in part.records} for part in carry_out.split_plan(plan)]
    assert parts == [{other.id}, {old.id, new.id}]


def test_more_records_than_one_transaction_takes_are_undone_newest_first(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carry_out, "_MOST_CONNECTED", 2)
    chain = [bench.put("The kiln is oil fired", by=bench.agent)]
    for text in ("The kiln is gas fired", "The kiln is wood fired", "The kiln is electric"):
        chain.append(bench.agent.records.correct(chain[-1].id, text).changed[0].memory)
    with bench.db.snapshot():
        chosen = event_log.list_matching(bench.db, actor="agent:claude-code")
        parts = carry_out.split_plan(revert._plan_rest(bench.db, chosen, "none"))
    assert [part.records[0][0].id for part in parts] == [memory.id for memory in reversed(chain)]
    bench.operator.revert(actor="agent:claude-code")
    assert {bench.state(memory) for memory in chain} == {"archived"}
    check(bench)


def test_rows_of_an_older_version_are_told_to_history_in_pieces(
    bench: Bench, written: list[Memory]
) -> None:
    at = written[0].created_at
    with bench.db.write():
        rebuild.meta.put_note(bench.db, "history_covers", "")
        for number, memory in enumerate(written):
            link = Link(f"L{number}", memory.id, "related_to", written[number - 1].id, "cli", at)
            bench.db.run("links.insert", **asdict(link))
    looks = iter((False, False, True))
    rebuild.record_untracked(bench.db, lambda: next(looks, True))
    assert not rebuild.is_covered(bench.db)
    rebuild.record_untracked(bench.db)
    assert rebuild.is_covered(bench.db) and rebuild.record_untracked(bench.db) == 0
