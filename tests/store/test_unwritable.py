"""A store that was closed cleanly is read where nothing can be written beside it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.core.errors import NoStore, StoreFull, StoreLocked, StoreReadOnly
from memctl.store import database, obstacles
from memctl.store.database import Database
from memctl.store.migrate import open_store

# What SQLite says where it cannot make the files that even a reader needs.
SENTENCES = (
    "unable to open database file",
    "disk I/O error",
    "attempt to write a readonly database",
    "database or disk is full",
)
NUMBERS = [(errno.EROFS, StoreReadOnly), (errno.ENOSPC, StoreFull), (errno.EDQUOT, StoreFull)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    # What means something in a URI is a letter like others in a name.
    path = tmp_path / "a folder?#%41&mode=rw é" / "memory.db"
    db = open_store(path, create=True)
    with db.write():
        db.run("meta.set", key="colour", value="red")
    db.close()
    return path


@pytest.fixture
def stop_writing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the disk refuse what an ordinary connection needs; such a one opens no file."""

    def stop(number: int = errno.EROFS, sentence: str = SENTENCES[0]) -> None:
        def refuse(_self: Database) -> None:
            raise database.OperationalError(sentence)

        monkeypatch.setattr(Database, "_connect", refuse)
        monkeypatch.setattr(obstacles, "_find_error_number", lambda _folder: number)

    return stop


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize(("number", "error"), NUMBERS)
def test_a_store_is_read_where_nothing_can_be_written_and_each_write_says_why(
    store: Path, stop_writing: Callable, sentence: str, number: int, error: type[StoreLocked]
) -> None:
    stop_writing(number, sentence)
    before = sorted(os.listdir(store.parent))
    db = open_store(store, create=False)
    assert db.value("meta.get", key="colour") == "red"
    with db.snapshot():
        assert [row["key"] for row in db.each("meta.like", prefix="colour", upper="colous")]
    with pytest.raises(StoreLocked) as caught, db.write():
        pass
    assert caught.value.exit_code == 11 and caught.value.hint
    assert isinstance(caught.value, StoreFull if "is full" in sentence else error)
    assert db.pragma("journal_mode") == "wal"
    db.close()
    assert sorted(os.listdir(store.parent)) == before


def test_no_statement_changes_a_store_that_is_only_read(
    store: Path, stop_writing: Callable
) -> None:
    before = store.read_bytes()
    stop_writing()
    db = open_store(store, create=False)
    with pytest.raises(StoreReadOnly):
        db.run("meta.set", key="colour", value="blue")
    with pytest.raises(StoreReadOnly):
        db.script("BEGIN; DELETE FROM meta; COMMIT;")
    db.close()
    assert store.read_bytes() == before


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_a_store_is_not_read_without_the_changes_that_wait_beside_it(
    store: Path, stop_writing: Callable, ending: str
) -> None:
    store.with_name(store.name + ending).write_bytes(b"changes")
    stop_writing()
    with pytest.raises(StoreReadOnly, match=f"changes wait in .*{ending}") as caught:
        open_store(store, create=False)
    assert "copy memory.db and" in str(caught.value.hint)


def test_an_empty_log_has_no_changes_that_wait(store: Path, stop_writing: Callable) -> None:
    store.with_name(f"{store.name}-wal").touch()
    stop_writing()
    assert open_store(store, create=False).value("meta.get", key="colour") == "red"


def test_the_log_of_a_store_behind_a_link_is_looked_for_beside_the_file(
    store: Path, tmp_path: Path, stop_writing: Callable
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(store)
    store.with_name(f"{store.name}-wal").write_bytes(b"changes")
    stop_writing()
    with pytest.raises(StoreReadOnly, match="changes wait"):
        open_store(link, create=False)


def write_meanwhile(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the store as a process does that has room to write."""
    with monkeypatch.context() as free:
        free.setattr(Database, "_connect", CONNECT)
        other = open_store(store, create=False)
        with other.write():
            other.run("meta.set", key="colour", value="blue")
        other.close()
    # Its time differs also where the clock of the file system is coarse.
    os.utime(store, ns=(1, 1))


CONNECT = Database._connect


def read_one(db: Database) -> object:
    return db.value("meta.get", key="colour")


def read_all(db: Database) -> object:
    return db.all("meta.get", key="colour")


def read_each(db: Database) -> object:
    return list(db.each("meta.get", key="colour"))


def read_pragma(db: Database) -> object:
    return db.pragma("user_version")


@pytest.mark.parametrize("read", [read_one, read_all, read_each, read_pragma])
def test_nothing_is_answered_from_a_file_that_somebody_wrote_meanwhile(
    store: Path, stop_writing: Callable, monkeypatch: pytest.MonkeyPatch, read: Callable
) -> None:
    stop_writing(errno.ENOSPC)
    db = open_store(store, create=False)
    assert read(db) and not db.is_outdated
    write_meanwhile(store, monkeypatch)
    assert db.is_outdated
    with pytest.raises(StoreLocked, match="written while it was read") as caught:
        read(db)
    assert caught.value.hint == "try again"
    assert read_one(open_store(store, create=False)) == "blue"


def test_no_row_is_given_out_after_the_file_was_written(
    store: Path, stop_writing: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_writing(errno.ENOSPC)
    rows = open_store(store, create=False).each("meta.like", prefix="a", upper="z")
    next(rows)
    write_meanwhile(store, monkeypatch)
    with pytest.raises(StoreLocked, match="written while it was read"):
        next(rows)


def test_damage_that_a_writer_left_to_a_reader_without_locks_is_no_damage(
    store: Path, stop_writing: Callable
) -> None:
    stop_writing(errno.ENOSPC)
    db = open_store(store, create=False)
    with store.open("r+b") as stream:
        stream.seek(100)
        stream.write(b"\xff" * (store.stat().st_size - 100))
    os.utime(store, ns=(1, 1))
    with pytest.raises(StoreLocked, match="written while it was read"):
        read_one(db)


def test_a_store_of_an_earlier_version_is_not_read_before_it_is_migrated(
    store: Path, stop_writing: Callable
) -> None:
    db = open_store(store, create=False)
    db.pragma("user_version", 3)
    db.close()
    stop_writing()
    with pytest.raises(StoreReadOnly) as caught:
        open_store(store, create=False)
    assert "up to date" in str(caught.value.hint)


def test_an_empty_file_is_no_store_that_can_be_read(tmp_path: Path, stop_writing: Callable) -> None:
    (tmp_path / "new.db").touch()
    stop_writing()
    with pytest.raises(StoreReadOnly):
        open_store(tmp_path / "new.db", create=True)
    with pytest.raises(NoStore):
        open_store(tmp_path / "none.db", create=False)
