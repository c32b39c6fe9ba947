"""Whoever opens a store that nobody else has open reads its write-ahead log first, so that must
not grow with every prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.store import meta
from memctl.store.database import Database
from memctl.store.migrate import open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    db = open_store(tmp_path / "memory.db", create=True)
    yield db
    db.close()


def length(db: Database) -> int:
    """The bytes of the write-ahead log."""
    return db.path.with_name("memory.db-wal").stat().st_size


def grow(db: Database) -> None:
    """Make the log longer than a megabyte."""
    with db.write():
        meta.put_note(db, "note", "x" * 1_500_000)


def test_a_long_log_is_folded_in_and_starts_anew(store: Database) -> None:
    grow(store)
    store.shorten_log()
    assert length(store) == 0 and meta.get_note(store, "note")


def test_a_long_log_is_found_where_the_store_is_a_symbolic_link(
    store: Database, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "linked.db"
    link.symlink_to(store.path)
    linked = Database(link)
    grow(linked)
    linked.shorten_log()
    assert length(store) == 0
    linked.close()


def test_a_short_log_is_left_alone(store: Database) -> None:
    store.shorten_log()
    assert length(store) > 0


def test_others_at_work_are_not_waited_for(store: Database) -> None:
    grow(store)
    other = Database(store.path)
    with other.snapshot():
        other.value("meta.get", key="note")
        with store.write():
            meta.put_note(store, "later", "y")
        store.shorten_log()
        assert length(store) > 0
    other.close()
    store.shorten_log()
    assert length(store) == 0 and meta.get_note(store, "later") == "y"
