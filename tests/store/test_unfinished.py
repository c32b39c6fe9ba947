"""Operations of several transactions: noted with their first chunk, taken over after a kill."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core.errors import StoreLocked
from memctl.store import backup, restore, unfinished
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.killing import play_another_process


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    db = open_store(tmp_path / "memory.db", create=True)
    yield db
    db.close()


@pytest.fixture
def a_killed_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every claim is that of a process whose id was given to another one since."""
    play_another_process(monkeypatch)


def begin(db: Database, kind: str = "import") -> str:
    with db.write():
        return unfinished.begin_operation(db, kind, {"done": 0}, actor="cli")


def test_an_operation_stands_from_its_first_chunk_to_its_last(store: Database) -> None:
    operation = begin(store)
    with store.write():
        unfinished.note_progress(store, operation, {"done": 7})
    assert [(one.id, one.kind, one.data) for one in unfinished.list_operations(store)] == [
        (operation, "import", {"done": 7})
    ]
    assert unfinished.list_operations(store, "purge") == []
    with store.write():
        unfinished.end_operation(store, operation)
    assert unfinished.list_operations(store) == []


def test_an_operation_of_a_process_at_work_is_left_alone(store: Database) -> None:
    begin(store)
    assert unfinished.list_abandoned(store) == []


def test_an_operation_of_a_killed_process_is_taken_over_by_one_other(
    store: Database, a_killed_worker: None
) -> None:
    operation = begin(store)
    (left,) = unfinished.list_abandoned(store)
    assert left.id == operation
    with store.write():
        assert unfinished.claim_abandoned(store, left)
    with store.write():
        assert not unfinished.claim_abandoned(store, left)
    with store.write():
        unfinished.end_operation(store, operation)
        assert not unfinished.claim_abandoned(store, left)


def test_an_operation_stops_where_a_restore_took_its_first_chunks_away(
    store: Database, tmp_path: Path
) -> None:
    config = houses.settings(store.path)
    copy = Path(backup.make_backup(store, config, tmp_path / "copy.db").path)
    operation = begin(store)
    restore.restore_backup(config, houses.OPERATOR, copy)
    for go_on in (
        lambda: unfinished.note_progress(store, operation, {"done": 7}),
        lambda: unfinished.end_operation(store, operation),
    ):
        with pytest.raises(StoreLocked, match="a restore replaced the store"), store.write():
            houses.add(store, houses.memory("half of what was meant"))
            go_on()
    assert store.all("records.everything") == []


def test_of_real_processes_only_the_killed_ones_operation_is_abandoned(
    store: Database, tmp_path: Path
) -> None:
    script = (
        "import sys, pathlib\n"
        "from memctl.store import unfinished\n"
        "from memctl.store.migrate import open_store\n"
        "db = open_store(pathlib.Path(sys.argv[1]), create=False)\n"
        "with db.write():\n"
        "    begun = unfinished.begin_operation(db, 'purge', {}, actor='cli')\n"
        "print(begun, flush=True)\n"
        "sys.stdin.read()\n"
    )
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "memory.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    begun = [worker.stdout.readline().strip() for worker in workers if worker.stdout]
    assert sorted(one.id for one in unfinished.list_operations(store)) == sorted(begun)
    assert unfinished.list_abandoned(store) == []
    workers[0].kill()
    workers[0].wait()
    assert [one.id for one in unfinished.list_abandoned(store)] == [begun[0]]
    workers[1].communicate()
    assert sorted(one.id for one in unfinished.list_abandoned(store)) == sorted(begun)
