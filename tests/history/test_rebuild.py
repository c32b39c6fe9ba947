"""Rebuilding from the event log in short transactions, while others write and erase."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bench import Bench

from memctl.core import clock
from memctl.core.errors import StoreLocked
from memctl.core.model import EntityRef, Memory
from memctl.history import rebuild
from memctl.results.history import RebuildReport
from memctl.store import chunks, event_log, lexical, migrate, records
from memctl.store.database import Database
from tests.killing import Killed

STATEMENTS = ("The kiln is oil fired", "The roof leaks", "Tea is at four", "The quay floods")


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """One step in each transaction."""
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)


@pytest.fixture
def lost(bench: Bench) -> list[Memory]:
    """Records whose rows are gone from the store, but not from the event log."""
    written = [
        bench.put(text, entities=(EntityRef("person", f"Name{number} Ellern"),))
        for number, text in enumerate(STATEMENTS)
    ]
    with bench.db.write():
        for memory in written:
            bench.db.run("erase.forget_entities", memory_id=memory.id)
            lexical.drop_entry(bench.db, records.find_number(bench.db, memory.id))
            bench.db.run("evidence.delete_of_memory", memory_id=memory.id)
            bench.db.run("erase.forget_record", memory_id=memory.id)
    return written


def rebuild_all(bench: Bench) -> RebuildReport:
    return rebuild.rebuild_records(
        bench.db, bench.operator.config, bench.operator.actor, dry_run=False
    )


def list_mendable(bench: Bench) -> list[str]:
    """What still differs, but for evidence, whose words the event log does not hold."""
    found = rebuild.find_differences(bench.db)
    return [each.item for each in found if each.what != "lost"]


def at_pause(monkeypatch: pytest.MonkeyPatch, number: int, action: Callable[[], object]) -> None:
    """Do something between two transactions, once that many pauses are over."""
    pauses = iter(range(1_000_000))
    monkeypatch.setattr(chunks, "pause_between_chunks", lambda: next(pauses) == number and action())


def test_each_record_comes_back_with_its_names_in_a_transaction_of_its_own(
    bench: Bench, lost: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    back: list[int] = []
    monkeypatch.setattr(
        chunks,
        "pause_between_chunks",
        lambda: back.append(len(records.list_by_ids(bench.db, [each.id for each in lost]))),
    )
    rebuild_all(bench)
    assert back[:3] == [1, 2, 3]
    assert list_mendable(bench) == []


def test_what_a_kill_cuts_off_is_rebuilt_by_the_next_call(
    bench: Bench, lost: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill() -> None:
        raise Killed

    with monkeypatch.context() as patch:
        at_pause(patch, 1, kill)
        with pytest.raises(Killed):
            rebuild_all(bench)
    assert len(records.list_by_ids(bench.db, [each.id for each in lost])) == 2
    rebuild_all(bench)
    assert list_mendable(bench) == []


def test_what_others_change_meanwhile_stays_as_they_changed_it(
    bench: Bench, lost: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = migrate.open_store(bench.db.path, create=False)

    def edit_the_first() -> None:
        back = next(iter(records.list_by_ids(other, [each.id for each in lost]).values()))
        changed = rebuild.Memory(**{**_fields(back), "title": "Changed meanwhile"})
        with other.write():
            records.replace_record(
                other, back, changed, verb="edited", actor="operator", cause="edit"
            )

    at_pause(monkeypatch, 0, edit_the_first)
    rebuild_all(bench)
    other.close()
    titles = [each.title for each in records.list_by_ids(bench.db, [m.id for m in lost]).values()]
    assert titles.count("Changed meanwhile") == 1
    assert list_mendable(bench) == []


def test_what_others_erase_meanwhile_is_not_written_once_more(
    bench: Bench, lost: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    def erase(db: Database, memory_id: str) -> None:
        with db.write():
            event_log.append_change(
                db, memory_id, "purged", None, None, actor="operator", cause="purge", at=clock.now()
            )

    at_pause(monkeypatch, 0, lambda: erase(bench.db, lost[3].id))
    with pytest.raises(StoreLocked, match="erases words"):
        rebuild_all(bench)
    assert records.find_record(bench.db, lost[3].id) is None


def _fields(memory: Memory) -> dict[str, object]:
    from memctl.core.frozen import asdict

    return {**asdict(memory), "alternatives": memory.alternatives}
