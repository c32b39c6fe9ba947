"""Other tools' databases: read without a trace, whatever state they are in; what is no database,
or damaged, is said.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memctl.core.errors import UsageError
from memctl.readers.base import Input
from memctl.store import foreign_databases


def made(path: Path, *, wal: bool = False, rows: int = 3) -> Path:
    with closing(sqlite3.connect(path)) as db:
        if wal:
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, said TEXT)")
        db.executemany(
            "INSERT INTO note (said) VALUES (?)", [(f"lantern {number}",) for number in range(rows)]
        )
        db.execute("CREATE VIEW peek AS SELECT said FROM note")
        db.commit()
    return path


def said(path: Path) -> list[str]:
    with foreign_databases.open_tables(path) as tables:
        return [row["said"] for row in tables.rows("note", order_by="id")]


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("wal", [False, True])
def test_reading_leaves_the_folder_as_it_was(tmp_path: Path, wal: bool) -> None:
    path = made(tmp_path / "their.db", wal=wal)
    before = state(tmp_path)
    assert said(path) == ["lantern 0", "lantern 1", "lantern 2"]
    assert state(tmp_path) == before


def test_a_log_that_a_crash_left_behind_is_read_from_a_copy(tmp_path: Path) -> None:
    path = made(tmp_path / "their.db", wal=True)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO note (said) VALUES ('in the log only')")
        writer.commit()
        copy = tmp_path / "crashed"
        copy.mkdir()
        for ending in ("", "-wal"):
            (copy / f"their.db{ending}").write_bytes(Path(f"{path}{ending}").read_bytes())
    before = state(copy)
    assert said(copy / "their.db")[-1] == "in the log only"
    assert state(copy) == before


def test_a_write_that_a_crash_left_half_done_is_undone_in_a_copy(tmp_path: Path) -> None:
    path, copy = made(tmp_path / "their.db", rows=2000), tmp_path / "crashed"
    copy.mkdir()
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("UPDATE note SET said = said || ' never meant'")
        for ending in ("", "-journal"):
            (copy / f"their.db{ending}").write_bytes(Path(f"{path}{ending}").read_bytes())
    assert b"never meant" in (copy / "their.db").read_bytes()
    before = state(copy)
    assert said(copy / "their.db") == [f"lantern {number}" for number in range(2000)]
    assert state(copy) == before


def test_a_database_in_use_is_read_and_its_writer_goes_on(tmp_path: Path) -> None:
    path = made(tmp_path / "their.db", wal=True)
    with (
        closing(sqlite3.connect(path, timeout=0.1)) as writer,
        foreign_databases.open_tables(path) as tables,
    ):
        rows = tables.rows("note")
        next(rows)
        writer.execute("INSERT INTO note (said) VALUES ('meanwhile')")
        writer.commit()
    assert said(path)[-1] == "meanwhile"


def test_a_page_of_rows_holds_no_lock_on_a_database_without_a_log(tmp_path: Path) -> None:
    path = made(tmp_path / "their.db", rows=1200)
    with (
        closing(sqlite3.connect(path, timeout=0.1)) as writer,
        foreign_databases.open_tables(path) as tables,
    ):
        rows = tables.rows("note", order_by="id")
        next(rows)
        writer.execute("INSERT INTO note (said) VALUES ('meanwhile')")
        writer.commit()
        assert sum(1 for _ in rows) == 1200


def test_what_is_not_there_gives_no_rows_and_views_are_not_tables(tmp_path: Path) -> None:
    with foreign_databases.open_tables(made(tmp_path / "their.db")) as tables:
        assert tables.names() == {"note"}
        assert list(tables.rows("peek")) == list(tables.rows("nothing")) == []
        assert (
            list(tables.rows("note", columns=("gone",)))
            == list(tables.rows("note", "gone = ?", (1,)))
            == []
        )
        assert tables.columns("note") == {"id", "said"}


def test_text_that_is_no_utf8_is_read_with_marks_for_what_was_lost(tmp_path: Path) -> None:
    path = made(tmp_path / "their.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE note SET said = CAST(x'61ff62' AS TEXT) WHERE id = 1")
        db.commit()
    assert said(path)[0] == "a\ufffdb"


def test_a_damaged_database_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "their.db"
    path.write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    with pytest.raises(UsageError, match=r"their\.db"):
        said(path)


def test_only_sqlite_files_count_as_databases(tmp_path: Path) -> None:
    other = tmp_path / "notes.md"
    other.write_text("SQLite format 4")
    assert Input(path=made(tmp_path / "their.db")).is_database()
    assert not any(
        given.is_database()
        for given in (
            Input(path=other),
            Input(path=tmp_path / "gone"),
            Input(path=tmp_path),
            Input(data=b""),
        )
    )


def test_files_beside_a_transcript_are_small_plain_and_near(tmp_path: Path) -> None:
    home = tmp_path / "a" / "b"
    home.mkdir(parents=True)
    (tmp_path / "far.json").write_text("{}")
    (home / "meta.json").write_text("{}")
    (home / "big.json").write_bytes(b"x" * (1 << 21))
    (home / "link.json").symlink_to(home / "meta.json")
    given = Input(path=home / "s.jsonl")
    assert given.read_beside("meta.json") == given.read_beside("../../far.json") == b"{}"
    refused = (
        "big.json",
        "link.json",
        "gone.json",
        "/etc/hostname",
        "../../../far.json",
        "x/../meta.json",
        "",
        "..",
    )
    assert [given.read_beside(name) for name in refused] == [None] * len(refused)
    assert [path.name for path in given.list_files("../b")] == ["big.json", "meta.json"]
    assert given.list_files("../gone") == Input(data=b"").list_files("b") == []


def test_a_pipe_is_not_asked_whether_it_is_a_database(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert not Input(path=tmp_path / "pipe").is_database()
