"""What is said where the file system takes no more: the cause, with the exit code of a retry."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memctl.core.errors import StoreDamaged, StoreFull, StoreReadOnly
from memctl.core.system_errors import explain_failed_write
from memctl.store import database, obstacles
from memctl.store.migrate import open_store

SENTENCES = (
    "disk I/O error",
    "unable to open database file",
    "attempt to write a readonly database",
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    open_store(path, create=True).close()
    return path


def raise_in_store(path: Path, sentence: str) -> None:
    db = open_store(path, create=False)

    def fail() -> None:
        raise database.OperationalError(sentence)

    with db.write():
        db._run_or_wait = lambda _action: fail()  # type: ignore[method-assign, assignment]
        db.run("meta.set", key="a", value="b")


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.ENOSPC, StoreFull),
        (errno.EDQUOT, StoreFull),
        (errno.EFBIG, StoreFull),
        (errno.EROFS, StoreReadOnly),
    ],
)
def test_the_file_system_says_why_sqlite_could_not_write(
    store: Path, monkeypatch: pytest.MonkeyPatch, sentence: str, number: int, error: type[Exception]
) -> None:
    monkeypatch.setattr(obstacles, "_find_error_number", lambda _folder: number)
    with pytest.raises(error) as caught:
        raise_in_store(store, sentence)
    assert type(caught.value) is error
    assert caught.value.exit_code == 11


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_failure_with_room_on_the_disk_stays_what_it_is(store: Path, sentence: str) -> None:
    with pytest.raises(StoreDamaged) as caught:
        raise_in_store(store, sentence)
    assert caught.value.exit_code == 13


def test_a_disk_without_inodes_is_full(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.statvfs(store.parent)
    values = list(found)
    values[6:8] = [0, 0]  # f_ffree, f_favail
    values[5] = 1000  # f_files
    monkeypatch.setattr(os, "statvfs", lambda _folder: os.statvfs_result(values))
    with pytest.raises(StoreFull):
        raise_in_store(store, "unable to open database file")


def test_a_quota_is_found_by_trying_to_write(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_handle: int, _data: bytes) -> int:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(StoreFull, match="quota"):
        raise_in_store(store, "disk I/O error")


def test_asking_the_file_system_leaves_no_file(store: Path) -> None:
    before = sorted(os.listdir(store.parent))
    assert obstacles.find_obstacle(store) is None
    assert sorted(os.listdir(store.parent)) == before


@pytest.mark.parametrize("number", [None, errno.EIO, errno.EACCES, errno.ENOENT])
def test_other_errors_of_the_system_are_not_about_room(number: int | None) -> None:
    assert explain_failed_write(number, "x") is None


def test_a_store_that_cannot_be_created_for_lack_of_room_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, *_args: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreFull):
        open_store(tmp_path / "new.db", create=True)


def test_a_file_whose_damage_asks_for_all_memory_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged), database._as_memctl_errors(tmp_path / "memory.db"):
        raise MemoryError
