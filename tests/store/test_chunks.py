"""Many changes in short transactions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core import clock
from memctl.store import chunks, meta, migrate
from memctl.store.database import Database


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = migrate.open_store(tmp_path / "store.db", create=True)
    yield opened
    opened.close()


@pytest.fixture
def tenths(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which each look takes so long that two changes fill a transaction."""
    looks = iter(range(1_000_000))
    monkeypatch.setattr(clock, "read_monotonic", lambda: next(looks) * chunks.CHUNK_SECONDS / 2)


@pytest.mark.usefixtures("tenths")
def test_changes_are_committed_whenever_the_time_of_a_chunk_is_over(db: Database) -> None:
    committed: list[int] = []
    made = chunks.change_in_chunks(
        db, range(7), lambda item: meta.put_note(db, f"item {item}", "made"), note=committed.append
    )
    assert (made, committed) == (7, [2, 4, 6, 7])


@pytest.mark.usefixtures("tenths")
def test_what_an_error_cuts_off_leaves_the_chunks_before_it(db: Database) -> None:
    def change(item: int) -> None:
        meta.put_note(db, f"item {item}", "made")
        if item == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        chunks.change_in_chunks(db, range(7), change)
    assert [meta.get_note(db, f"item {item}") for item in range(4)] == ["made", "made", None, None]


@pytest.mark.usefixtures("tenths")
def test_changes_stop_between_chunks_when_asked_to(db: Database) -> None:
    answers = iter((False, True))
    made = chunks.change_in_chunks(db, range(7), lambda _: None, must_stop=lambda: next(answers))
    assert made == 2


def test_others_can_write_between_two_chunks(db: Database, tmp_path: Path) -> None:
    other = migrate.open_store(tmp_path / "store.db", create=False)

    def write_elsewhere() -> bool:
        with other.write(wait=0):
            meta.put_note(other, "other", "was here")
        return False

    chunks.change_in_chunks(db, range(3), lambda _: None, must_stop=write_elsewhere)
    other.close()
    assert meta.get_note(db, "other") == "was here"


def test_a_write_inside_a_snapshot_is_an_error_and_not_lost_in_silence(db: Database) -> None:
    with (
        db.snapshot(),
        pytest.raises(RuntimeError, match="inside a snapshot would be lost"),
        db.write(),
    ):
        meta.put_note(db, "lost", "yes")
    with db.write():
        meta.put_note(db, "kept", "yes")
    assert (meta.get_note(db, "lost"), meta.get_note(db, "kept")) == (None, "yes")
