"""Whoever opens a store that nobody else has open reads its write-ahead log first, so that must stay short."""

from __future__ import annotations

from pathlib import Path

from memctl.migrate import open_store
from memctl.store import meta


def test_many_small_writes_leave_a_short_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    db = open_store(path, create=True)
    for number in range(700):
        with db.write():
            meta.put(db, f"note {number}", "x")
    log = path.with_name("memory.db-wal")
    assert 0 < log.stat().st_size < 1_200_000
    db.close()
