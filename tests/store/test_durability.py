"""What was acknowledged is there: after kill -9 at any moment, among many writers, and without
any of them starving.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from memctl.core.errors import StoreDamaged, StoreFull, StoreLocked
from memctl.core.model import Filter
from memctl.store import database as db_module
from memctl.store import event_log, records, upkeep
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange.houses import add, memory

KILLS = 160

# Ingests through the engine, one record a transaction, and says each id only after the store has
# acknowledged it.
WRITER = """
import sys
from memctl import MemoryEngine
from memctl.core.model import NewMemory
engine = MemoryEngine.open(sys.argv[1], actor="operator")
n = 0
while n < int(sys.argv[3]):
    n += 1
    content = f"Writer {sys.argv[2]} wrote fact number {n}"
    report = engine.ingest([NewMemory(type="project", scope="global", content=content)])
    sys.stdout.write(report.items[0].record.memory.id + "\\n")
    sys.stdout.flush()
"""


def writer(path: Path, name: object, count: int = 10**9) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(name), str(count)], stdout=subprocess.PIPE
    )


def whole(db: Database) -> bool:
    """Whether structure, references, index, hashes and stream of a store are sound."""
    ills = (
        upkeep.find_structure_faults(db),
        upkeep.find_dangling(db),
        upkeep.find_unindexed(db),
        *upkeep.find_drifted(db),
        upkeep.find_damaged_records(db),
    )
    return not any(ills) and not event_log.find_broken_links(db) and upkeep.index_is_sound(db)


@pytest.mark.proof
def test_no_acknowledged_write_is_lost_to_kill_9(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path, dice, acknowledged = tmp_path / "own" / "memory.db", random.Random(9), []
    for batch in range(KILLS // 4):
        running = [writer(path, f"{batch}-{n}") for n in range(4)]
        for each in running:
            assert each.stdout is not None
            acknowledged += [each.stdout.readline()]
        time.sleep(dice.uniform(0, 0.15))
        for each in running:
            os.kill(each.pid, signal.SIGKILL)
        for each in running:
            acknowledged += each.communicate()[0].splitlines(keepends=True)
    told = {line.decode().strip() for line in acknowledged if line.endswith(b"\n")}
    db = open_store(path, create=False)
    stored = {each.id for each in records.select_records(db, Filter())}
    assert len(told) >= KILLS and told <= stored
    assert whole(db)
    assert {row["memory_id"] for row in db.all("event_log.everything")} == stored
    for name, value in (("kills", KILLS), ("writes", len(told)), ("lost", len(told - stored))):
        record_property(name, value)


@pytest.mark.proof
def test_many_writers_all_finish_and_none_starves(tmp_path: Path) -> None:
    path = tmp_path / "own" / "memory.db"
    started = time.monotonic()
    running = [writer(path, n, 10) for n in range(12)]
    ended = [(each.communicate(timeout=120)[0], each.returncode) for each in running]
    assert [code for _, code in ended] == [0] * 12
    assert time.monotonic() - started < db_module.WRITE_WAIT_SECONDS
    db = open_store(path, create=False)
    assert len(records.select_records(db, Filter())) == 120 and whole(db)


def test_a_writer_waits_its_turn_and_then_says_that_trying_again_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    holder, waiter = open_store(path, create=True), open_store(path, create=False)
    with holder.write():
        started = time.monotonic()
        with pytest.raises(StoreLocked) as caught, waiter.write(0.2):
            pass
        assert 0.2 <= time.monotonic() - started < db_module.WRITE_WAIT_SECONDS
    assert caught.value.exit_code == 11
    with waiter.write(0.2):
        waiter.run("meta.set", key="x", value="y")


def test_readers_are_not_blocked_by_a_writer_and_see_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store, reader = open_store(path, create=True), open_store(path, create=False)
    add(store, memory("First"))
    with reader.snapshot():
        assert len(reader.all("records.everything")) == 1
        add(store, memory("Second"))
        assert len(reader.all("records.everything")) == 1
    with store.write():
        store.run("meta.set", key="x", value="y")
        assert len(reader.all("records.everything")) == 2


def test_an_error_inside_a_write_takes_all_of_it_back(tmp_path: Path) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    with pytest.raises(ZeroDivisionError), db.write():
        add(db, memory("Never"))
        raise ZeroDivisionError
    assert records.select_records(db, Filter()) == [] and not db.in_transaction


def test_where_there_is_no_room_nothing_is_half_written_and_trying_again_is_safe(
    tmp_path: Path,
) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    add(db, memory("First"))
    most = db.pragma("max_page_count")
    db.pragma("max_page_count", db.pragma("page_count"))
    with pytest.raises(StoreFull) as caught:
        add(db, memory("long " * 20_000))
    assert caught.value.exit_code == 11 and not db.in_transaction
    db.pragma("max_page_count", most)
    add(db, memory("Third"))
    assert len(records.select_records(db, Filter())) == 2 and whole(db)


@pytest.mark.parametrize(("free", "kind"), [(0, StoreFull), (15, StoreFull), (16, StoreDamaged)])
def test_no_room_for_the_file_beside_the_store_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, kind: type[Exception]
) -> None:
    monkeypatch.setattr(
        os,
        "statvfs",
        lambda _: SimpleNamespace(f_bavail=free, f_frsize=4096, f_files=0, f_favail=0),
    )
    with pytest.raises(kind) as caught, db_module._as_memctl_errors(tmp_path / "memory.db"):
        raise db_module.driver.OperationalError("disk I/O error")
    assert caught.type is kind


def test_every_commit_is_flushed_and_every_guard_is_up(tmp_path: Path) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    wanted = {
        "synchronous": 2,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "secure_delete": 1,
        "cell_size_check": 1,
        "trusted_schema": 0,
    }
    assert {name: db.pragma(name) for name in wanted} == wanted
    assert db.pragma("mmap_size") in (0, None) and db.pragma("journal_mode") == "wal"


def test_the_stream_cannot_be_rewritten_through_the_store(tmp_path: Path) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    add(db, memory("First"))
    for statement in ("UPDATE memory_events SET actor = 'x'", "DELETE FROM memory_events"):
        with pytest.raises(db_module.IntegrityError, match="append-only"):
            db.script(statement)
