"""Opening a store: made privately and once, brought up to date from every past, refused when
newer, foreign or on a network.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memctl.core.errors import NoStore, StoreDamaged, StoreRefused, StoreTooNew
from memctl.core.model import Actor, Filter
from memctl.history import rebuild, revert
from memctl.maintain import doctor
from memctl.store import event_log, migrate, records, statements, tracked_rows, upkeep
from memctl.store.database import APPLICATION_ID, Database, sqlite_library
from memctl.store.migrate import find_network_file_system, open_store
from tests.exchange import houses

STORES = Path(__file__).parent / "stores"
NEXT = "BEGIN IMMEDIATE;\nCREATE TABLE later (x TEXT) STRICT;\nPRAGMA user_version = {};\nCOMMIT;\n"


def test_the_written_schema_is_what_the_migrations_come_to() -> None:
    assert (statements.find_folder() / "schema.sql").read_text() == upkeep.read_schema_text(
        migrate.get_latest_version()
    ), "run scripts/schema"


def test_migrations_are_numbered_without_gaps_and_set_their_version() -> None:
    numbers = [number for number, _ in statements.list_migrations()]
    assert numbers == list(range(1, len(numbers) + 1))
    for number, path in statements.list_migrations():
        text = path.read_text()
        assert (
            f"PRAGMA user_version = {number};" in text
            and text.rstrip().endswith("COMMIT;")
            and "BEGIN IMMEDIATE;" in text
        )


def test_a_fresh_store_is_private_marked_and_in_wal_mode(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "memory.db"
    db = open_store(path, create=True)
    assert (db.pragma("application_id"), db.pragma("journal_mode")) == (APPLICATION_ID, "wal")
    assert db.pragma("user_version") == migrate.get_latest_version()
    with db.write():
        db.run("meta.set", key="x", value="y")
    for each in path.parent.iterdir():
        assert stat.S_IMODE(each.stat().st_mode) == 0o600, each
    assert {
        stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)
    } == {0o700}
    db.close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_store_is_private_under_any_umask(tmp_path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        db = open_store(tmp_path / "own" / "memory.db", create=True)
        houses.add(db, houses.memory("Under any umask"))
        modes = {
            each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "own").iterdir()
        }
        db.close()
    finally:
        os.umask(old)
    assert set(modes.values()) == {0o600} and "memory.db-wal" in modes
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o700


def test_no_store_is_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(NoStore) as caught:
        open_store(tmp_path / "memory.db", create=False)
    assert caught.value.exit_code == 10 and list(tmp_path.glob("memory.db*")) == []


@pytest.mark.parametrize("old", sorted(STORES.glob("*.sql")), ids=lambda path: path.stem)
def test_an_old_store_becomes_a_current_and_healthy_one(tmp_path: Path, old: Path) -> None:
    path = tmp_path / "memory.db"
    raw = sqlite_library().connect(str(path))
    raw.executescript(old.read_text())
    raw.close()
    path.chmod(0o600)
    db = open_store(path, create=False)
    assert db.pragma("user_version") == migrate.get_latest_version()
    assert upkeep.find_strange_objects(db, migrate.get_latest_version()) == []
    assert sorted(each.content for each in records.select_records(db, Filter())) == [
        "Gears are cut from brass \u2014 never steel",
        "Gears are cut from steel",
        "I prefer metric screws",
        "The sundial runs on batteries",
    ]
    assert event_log.find_broken_links(db) == []
    db.write_ahead_log()
    # From schema 3 on, the stream knows everything from the start.
    untold = rebuild.record_untracked(db) > 0
    assert untold == (old.stem < "0003"), "the stream is told what it did not know"
    assert (
        rebuild.record_untracked(db) == 0
        and rebuild.find_differences(db) == []
        and event_log.find_broken_links(db) == []
    )
    assert [
        each
        for each in doctor.doctor(houses.settings(path), repair=False).checks
        if each.state == "problem"
    ] == []
    db.close()


def with_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    """Pretend that one more migration exists."""
    number = migrate.get_latest_version() + 1
    script = tmp_path / "next.sql"
    script.write_text(text.format(number))
    known = statements.list_migrations()
    monkeypatch.setattr(statements, "list_migrations", lambda: [*known, (number, script)])


def test_a_store_is_brought_up_to_date_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = houses.furnished(tmp_path / "memory.db")
    before, version = houses.exported(db).splitlines()[1:], db.pragma("user_version")
    db.close()
    with_next(monkeypatch, tmp_path, NEXT)
    db = open_store(tmp_path / "memory.db", create=False)
    assert db.pragma("user_version") == version + 1
    assert houses.exported(db).splitlines()[1:] == before


def test_a_migration_that_fails_leaves_the_old_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = houses.furnished(tmp_path / "memory.db")
    version = db.pragma("user_version")
    db.close()
    monkeypatch.setattr(migrate, "WRITE_WAIT_SECONDS", 0.1)
    with_next(
        monkeypatch, tmp_path, NEXT.replace("PRAGMA", "INSERT INTO nowhere VALUES (1);\nPRAGMA")
    )
    with pytest.raises(StoreDamaged, match="nowhere"):
        open_store(tmp_path / "memory.db", create=False)
    left = Database(tmp_path / "memory.db")
    assert (
        left.pragma("user_version") == version and upkeep.find_strange_objects(left, version) == []
    )
    assert "later" not in {row["name"] for row in left.all("upkeep.objects")}, (
        "half a migration is none"
    )


def test_a_newer_store_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    db = open_store(path, create=True)
    db.pragma("user_version", 99)
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew) as caught:
        open_store(path, create=True)
    assert caught.value.exit_code == 12 and path.read_bytes() == before


def foreign(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE songs (title TEXT)")
    other.commit()
    other.close()


def marked(path: Path) -> None:
    other = sqlite3.connect(path)
    other.executescript("PRAGMA application_id = 252006674; CREATE TABLE fossil (x)")
    other.close()


@pytest.mark.parametrize(
    "make",
    [foreign, marked, lambda path: path.write_text("Dear diary, " * 500)],
    ids=["foreign", "marked", "text"],
)
def test_another_programs_file_is_refused_untouched(tmp_path: Path, make) -> None:
    path = tmp_path / "memory.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreDamaged) as caught:
        open_store(path, create=True)
    assert caught.value.exit_code == 13 and path.read_bytes() == before


def test_a_damaged_store_says_so(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    db = houses.furnished(path)
    db.close()
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\xa5" * 3996
    path.write_bytes(data)
    with pytest.raises(StoreDamaged) as caught:
        open_store(path, create=False)
    assert caught.value.exit_code == 13


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused):
        open_store(tmp_path, create=True)


def test_a_place_where_nothing_can_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((StoreRefused, NoStore)):
        open_store(tmp_path / "file" / "memory.db", create=True)


MOUNTS = """sysfs /sys sysfs rw 0 0
/dev/sda1 / ext4 rw,relatime 0 0
server:/home /home/me nfs4 rw 0 0
/dev/sdb1 /home/me/local\\040disk ext4 rw 0 0
sshfs@host: /mnt/far fuse.sshfs rw 0 0
//nas/share /mnt/nas cifs rw 0 0
overlay /var/lib overlay rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/x", None),
        ("/home/me", "nfs4"),
        ("/home/me/.local/share", "nfs4"),
        ("/home/me/local disk/x", None),
        ("/home/mean", None),
        ("/mnt/far/x", "fuse.sshfs"),
        ("/mnt/nas", "cifs"),
        ("/", None),
    ],
)
def test_network_file_systems_are_known_by_their_mounts(path: str, kind: str | None) -> None:
    assert find_network_file_system(Path(path), MOUNTS) == kind


def test_a_later_mount_hides_an_earlier_one() -> None:
    assert find_network_file_system(Path("/x"), "a / nfs rw 0 0\nb / ext4 rw 0 0\n") is None


def test_a_network_folder_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "find_network_file_system", lambda path, mounts: "nfs4")
    with pytest.raises(StoreRefused, match="nfs4"):
        open_store(tmp_path / "memory.db", create=True)
    assert not (tmp_path / "memory.db").exists()


OPEN = """
import sys
from pathlib import Path
from memctl.store.migrate import open_store
print(open_store(Path(sys.argv[1]), create=True).pragma("user_version"))
"""


def test_sixteen_creators_of_one_store_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "own" / "memory.db"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(16)
    ]
    ended = [(racer.communicate(timeout=60), racer.returncode) for racer in racers]
    assert [(code, errors) for (_, errors), code in ended if code] == []
    assert {int(out) for (out, _), _ in ended} == {migrate.get_latest_version()}
    db = open_store(path, create=False)
    assert (
        upkeep.find_structure_faults(db) == []
        and upkeep.find_strange_objects(db, migrate.get_latest_version()) == []
    )
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}


# From schema 3 on, what was written in one go is undone in one go.
@pytest.mark.parametrize("old", sorted(STORES.glob("000[12].sql")), ids=lambda path: path.stem)
def test_of_an_old_store_one_change_is_undone_without_the_rest_and_all_of_it_twice(
    tmp_path: Path, old: Path
) -> None:
    path = tmp_path / "memory.db"
    raw = sqlite_library().connect(str(path))
    raw.executescript(old.read_text())
    raw.close()
    path.chmod(0o600)
    db, config, actor = open_store(path, create=False), houses.settings(path), Actor("operator")
    told = [
        (event.seq, event.memory_id)
        for event in event_log.list_recent(db, limit=99)
        if event.verb == "created"
    ]
    plan = revert.revert_changes(
        db, config, actor, revert.RevertSelection(str(told[0][0])), dry_run=False
    )
    assert {step.record for step in plan.steps} == {told[0][1]}
    assert tracked_rows.list_by_item(db, "link") and tracked_rows.list_by_item(db, "alias"), (
        "what was there before is no change"
    )
    for _ in range(2):
        revert.revert_changes(
            db,
            config,
            actor,
            revert.RevertSelection(since="2000-01-01T00:00:00.000Z"),
            dry_run=False,
        )
        assert {memory.status for memory in records.select_records(db, Filter())} == {"archived"}
        assert rebuild.find_differences(db) == [] and event_log.find_broken_links(db) == []
    db.close()
