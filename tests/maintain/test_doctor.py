"""`doctor` finds what is wrong, says what would mend it, and mends only what is derived, after a
backup.
"""

from __future__ import annotations

import platform
import stat
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memctl.core import clock, timestamps
from memctl.core.errors import NoStore, StoreDamaged, StoreTooNew
from memctl.core.frozen import replace
from memctl.core.model import Filter, Job
from memctl.maintain import doctor
from memctl.maintain.checks import surroundings
from memctl.results.store import Check
from memctl.settings.config import Config
from memctl.store import meta, queue, spool, upkeep, vector_index
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import DAY, furnished


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    """A healthy store that was just maintained."""
    folder = tmp_path / "own"
    folder.mkdir(mode=0o700)
    db = furnished(folder / "memory.db")
    with db.write():
        meta.put_note(db, "last_maintained", clock.now())
    yield db
    db.close()


@pytest.fixture
def config(store: Database) -> Config:
    return houses.settings(store.path)


def look(config: Config, *, repair: bool = False) -> dict[str, Check]:
    return {each.name: each for each in doctor.doctor(config, repair=repair).checks}


def ills(config: Config) -> set[str]:
    """The names of the checks that find a problem."""
    return {
        each.name for each in doctor.doctor(config, repair=False).checks if each.state == "problem"
    }


def test_a_healthy_store_has_no_problem_and_no_note_about_itself(config: Config) -> None:
    report = doctor.doctor(config, repair=False)
    assert report.healthy and report.repaired == () and report.backup is None
    # The store has a muted rule, of which whoever misses something is told.
    own = set(look(config)) - {"sqlite", "embedding", "vectors", "vector_index", "muted_rules"}
    assert {name for name in own if look(config)[name].state != "ok"} == set()


def test_looking_changes_nothing(store: Database, config: Config) -> None:
    store.script("DELETE FROM memories_fts")
    before = store.pragma("data_version")
    doctor.doctor(config, repair=False)
    assert store.pragma("data_version") == before and not config.backups.exists()


# What is done behind memctl's back, and the checks that must see it.
FOUND: dict[str, tuple[str, set[str]]] = {
    "an entry that drifted": (
        "UPDATE memories_fts SET content = 'lies' WHERE rowid = 1",
        {"index"},
    ),
    "an entry with more words": (
        "UPDATE memories_fts SET extra = extra || ' lies' WHERE rowid = 1",
        {"index"},
    ),
    "an entry in another place": (
        "UPDATE memories_fts SET place = 'g0x' WHERE rowid = 1",
        {"index"},
    ),
    "an emptied index": ("DELETE FROM memories_fts", {"index"}),
    "an entry without a record": (
        "INSERT INTO memories_fts (rowid, title) VALUES (999, 'ghost')",
        {"index"},
    ),
    "words changed under the index": (
        "UPDATE memories_fts_content SET c2 = 'lies' WHERE id = 1",
        {"index"},
    ),
    "an index emptied from below": ("DELETE FROM memories_fts_data WHERE id > 10", {"index"}),
}
LASTING: dict[str, tuple[str, set[str]]] = {
    "a changed record": (
        "UPDATE memories SET content = content || '!' WHERE n = 1",
        {"record_hashes", "history"},
    ),
    "a record that cannot be read": (
        "UPDATE memories SET kind = CAST(x'ff41' AS TEXT) WHERE n = 1",
        {"record_hashes", "history"},
    ),
    "a changed quote": (
        "UPDATE evidence SET quote = 'never said' WHERE rowid = 1",
        {"evidence_hashes"},
    ),
    "a changed past": (
        "DROP TRIGGER memory_events_no_update; UPDATE memory_events SET actor = 'x' WHERE seq = 2;"
        " CREATE TRIGGER memory_events_no_update BEFORE UPDATE ON memory_events"
        " BEGIN SELECT RAISE(ABORT, 'the stream is append-only'); END;",
        {"event_log"},
    ),
    "a past that cannot be read": (
        "DROP TRIGGER memory_events_no_update; UPDATE memory_events SET after = '{\"title' WHERE "
        "seq = 1;",
        {"schema", "event_log", "history"},
    ),
    "a shortened past": (
        "DROP TRIGGER memory_events_no_delete; DELETE FROM memory_events WHERE seq = 1",
        {"schema", "event_log", "history"},
    ),
    "a missing reference": (
        "PRAGMA foreign_keys = OFF; UPDATE evidence SET source_id = 'none' WHERE rowid = 1",
        {"references"},
    ),
    "a foreign trigger": (
        "CREATE TRIGGER up AFTER INSERT ON memories BEGIN SELECT 1; END",
        {"schema"},
    ),
    "another application id": ("PRAGMA application_id = 7", {"schema"}),
}


@pytest.mark.parametrize(("statement", "seen"), FOUND.values(), ids=FOUND)
def test_what_is_wrong_with_the_index_is_found_and_mended(
    store: Database, config: Config, statement: str, seen: set[str]
) -> None:
    store.script(statement)
    assert ills(config) == seen
    assert "--repair" in (look(config)["index"].cure or "")
    report = doctor.doctor(config, repair=True)
    assert report.healthy and len(report.repaired) == 1
    assert report.backup is not None and stat.S_IMODE(Path(report.backup).stat().st_mode) == 0o600
    assert ills(config) == set() and upkeep.find_drifted(store) == ([], [])


@pytest.mark.parametrize(("statement", "seen"), LASTING.values(), ids=LASTING)
def test_what_is_wrong_with_content_is_found_and_left_alone(
    store: Database, config: Config, statement: str, seen: set[str]
) -> None:
    store.script(statement)
    found = ills(config)
    assert seen <= found and found - seen <= {"history", "rows", "index"}
    before = rows(store)
    doctor.doctor(config, repair=True) if "index" not in found else None
    # A lost guard is made anew; what happened while it was gone stays to be seen.
    assert rows(store) == before and ills(config) | {"schema"} == found | {"schema"}


def rows(db: Database) -> list[tuple]:
    return [
        tuple(row)
        for row in db._conn.execute(
            "SELECT id, CAST(content AS BLOB), row_hash FROM memories ORDER BY n"
        )
    ]


def test_a_damaged_record_is_named_by_its_id(store: Database, config: Config) -> None:
    (damaged,) = [row["id"] for row in store.all("upkeep.record_numbers") if row["n"] == 1]
    store.script("UPDATE memories SET content = content || '!' WHERE n = 1")
    assert damaged in look(config)["record_hashes"].detail


def test_every_flipped_bit_of_a_stored_text_is_found(store: Database, config: Config) -> None:
    (text,) = store._conn.execute(
        "SELECT CAST(content AS BLOB) FROM memories WHERE n = 1"
    ).fetchone()
    for place in range(0, len(text) * 8, 7):
        flipped = bytearray(text)
        flipped[place // 8] ^= 1 << place % 8
        store._conn.execute(
            "UPDATE memories SET content = CAST(? AS TEXT) WHERE n = 1", (bytes(flipped),)
        )
        assert len(upkeep.find_damaged_records(store)) == 1, (place, flipped)


def test_a_record_and_its_hash_changed_together_are_betrayed_by_the_stream(
    store: Database, config: Config
) -> None:
    from memctl.store import records

    memory = records.select_records(store, Filter())[0]
    forged = replace(memory, trust=5, title="forged")
    columns = records.to_columns(forged)
    store._conn.execute(
        "UPDATE memories SET trust = 5, title = 'forged', row_hash = ? WHERE id = ?",
        (columns["row_hash"], memory.id),
    )
    found = look(config)
    assert found["record_hashes"].state == "ok"
    assert found["history"].state == "problem" and memory.id in found["history"].detail


def test_an_entry_with_the_old_name_of_an_entity_is_a_note_that_can_be_mended(
    store: Database, config: Config
) -> None:
    with store.write():
        store.run(
            "entities.insert", id="E" * 26, kind="concept", name="Latten", created_at=DAY.format(1)
        )
        (old,) = [row["id"] for row in store.all("entities.everything") if row["name"] == "Brass"]
        spoken = store.all("entities.mentions", entity_id=old)
        for row in spoken:
            store.run("entities.detach", entity_id=old, **row)
            store.run("entities.attach", entity_id="E" * 26, **row)
    assert look(config)["index"].state == "note"
    doctor.doctor(config, repair=True)
    assert look(config)["index"].state == "ok"


def test_files_that_others_may_read_are_made_private(store: Database, config: Config) -> None:
    config.spool.mkdir(mode=0o755)
    config.spool.chmod(0o755)
    store.path.chmod(0o644)
    assert "permissions" in ills(config)
    doctor.doctor(config, repair=True)
    assert ills(config) == set()
    assert (stat.S_IMODE(store.path.stat().st_mode), stat.S_IMODE(config.spool.stat().st_mode)) == (
        0o600,
        0o700,
    )


def test_a_folder_that_others_may_look_into_is_a_note(store: Database, config: Config) -> None:
    store.path.parent.chmod(0o755)
    assert look(config)["folder"].state == "note" and ills(config) == set()
    doctor.doctor(config, repair=True)
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o755


def test_a_store_without_wal_gets_it_back(store: Database, config: Config) -> None:
    store.close()
    alone = Database(config.db)
    alone.pragma("journal_mode", "DELETE")
    alone.close()
    assert ills(config) == {"wal"}
    assert doctor.doctor(config, repair=True).healthy


def test_dead_jobs_are_a_problem_and_are_tried_again(store: Database, config: Config) -> None:
    at = DAY.format(1)
    with store.write():
        queue.add_job(store, Job("D" * 26, "test", "operator", "dead", 5, at, at, at))
    assert ills(config) == {"queue"}
    assert doctor.doctor(config, repair=True).repaired == ("queued 1 ingestions again",)
    assert queue.count_by_state(store)["queued"] == 1


def test_failed_jobs_and_a_full_spool_are_notes(store: Database, config: Config) -> None:
    at = DAY.format(1)
    with store.write():
        queue.add_job(store, Job("D" * 26, "test", "operator", "failed", 1, at, at, at))
    spool.write_file(config, "request", {"path": "/x"})
    found = look(config)
    assert (found["queue"].state, found["spool"].state) == ("note", "note")
    (config.spool / "x.bad").write_text("?")
    assert "spool" in ills(config)


@pytest.mark.parametrize(("days", "state"), [(1, "ok"), (3, "note")])
def test_a_store_that_is_not_maintained_is_a_note(
    store: Database, config: Config, days: int, state: str
) -> None:
    with store.write():
        meta.put_note(
            store, "last_maintained", timestamps.add_seconds(clock.now(), seconds=-86400 * days)
        )
    assert look(config)["maintenance"].state == state


@pytest.mark.parametrize(("days", "state"), [(1, "note"), (8, "ok")])
def test_trouble_that_hooks_had_of_late_is_a_note(config: Config, days: int, state: str) -> None:
    when = timestamps.add_seconds(clock.now(), seconds=-86400 * days)
    (config.db.parent / "hook.log").write_text(
        f"no time at all\n{when} claude-code SessionEnd: HookTrouble: stdin is not JSON\n"
    )
    found = look(config)["hooks"]
    assert found.state == state
    assert (
        "1 (claude-code SessionEnd 1); the latest" in found.detail
        and "stdin is not JSON" in found.detail
    ) == (state == "note")


def test_failures_of_hooks_are_counted_by_agent_and_event_and_the_latest_three_are_shown(
    config: Config,
) -> None:
    calls = ["claude-code SessionEnd"] * 4 + ["codex Stop"] * 2
    lines = [
        f"{timestamps.add_seconds(clock.now(), seconds=-60 * (9 - place))} {call}: OSError: no "
        f"room {place}"
        for place, call in enumerate(calls)
    ]
    (config.db.parent / "hook.log").write_text("".join(f"{line}\n" for line in lines))
    detail = look(config)["hooks"].detail
    assert "6 (claude-code SessionEnd 4, codex Stop 2)" in detail
    assert [line in detail for line in lines] == [False] * 3 + [True] * 3


def test_a_config_that_others_may_change_is_a_problem(
    store: Database, config: Config, tmp_path: Path
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("")
    path.chmod(0o666)
    assert ills(replace(config, path=path)) == {"config"}


def test_a_configured_model_is_the_only_way_to_the_network(config: Config) -> None:
    assert look(config)["network"].state == "ok"
    assert (
        look(replace(config, values={**config.values, "embedding.model": "x"}))["network"].state
        == "note"
    )


@pytest.mark.parametrize(
    ("version", "bad"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 6), False),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 4), False),
    ],
)
def test_the_sqlites_with_the_wal_reset_bug_are_known(version: tuple[int, ...], bad: bool) -> None:
    assert surroundings.has_wal_reset_bug(version) is bad


def unreadable(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be looked at" * 200)


def unspeakable(path: Path) -> None:
    """What SQLite says of this file quotes a name that is no text."""
    db = open_store(path, create=True)
    db.close()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE memories", b"CREATE TABLE \xff\xfe(oops", 1))


def newer(path: Path) -> None:
    db = open_store(path, create=True)
    db.pragma("user_version", 99)
    db.close()


@pytest.mark.parametrize(
    ("make", "error", "code"),
    [
        (unreadable, StoreDamaged, 13),
        (unspeakable, StoreDamaged, 13),
        (newer, StoreTooNew, 12),
        (lambda path: None, NoStore, 10),
    ],
)
def test_a_store_that_cannot_be_opened_is_its_own_error(
    tmp_path: Path, make: Callable[[Path], None], error: type, code: int
) -> None:
    path = tmp_path / "memory.db"
    make(path)
    with pytest.raises(error) as caught:
        doctor.doctor(houses.settings(path), repair=True)
    assert caught.value.exit_code == code


def test_a_damaged_page_is_found_and_never_repaired(store: Database, config: Config) -> None:
    store.close()
    data = bytearray(config.db.read_bytes())
    place = data.find(b"never steel") // 4096 * 4096
    data[place : place + 4096] = b"\xa5" * 4096
    config.db.write_bytes(data)
    assert "integrity" in ills(config)
    assert not doctor.doctor(config, repair=True).healthy
    assert config.db.read_bytes()[place : place + 4096] == b"\xa5" * 4096


@pytest.mark.parametrize(
    ("libc", "machine", "said"),
    [
        ("x86_64-linux-musl", "x86_64", "sqlite-vec has no build for Linux with musl"),
        ("armv7l-linux-gnu", "armv7l", "sqlite-vec has no build for Linux on armv7l"),
        ("x86_64-linux-gnu", "x86_64", "sqlite-vec is not installed"),
    ],
)
def test_where_no_index_can_be_installed_the_machine_is_named_and_nothing_is_advised(
    config: Config, monkeypatch: pytest.MonkeyPatch, libc: str, machine: str, said: str
) -> None:
    monkeypatch.setattr(vector_index, "list_extension_paths", list)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: libc)
    check = look(config)["vector_index"]
    assert check.state == "note" and check.detail.startswith(said)
    assert (check.cure is None) == ("no build" in said)
