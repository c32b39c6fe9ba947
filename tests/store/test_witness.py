"""What a store lost, or what was rewritten in it, is seen from outside it and told once."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memctl import MemoryEngine, NewMemory
from memctl.core.errors import MemctlError
from memctl.core.model import Actor
from memctl.maintain import doctor
from memctl.settings.config import Config, load_config
from memctl.store import event_log, meta, migrate, witness
from memctl.store.database import Database, sqlite_library


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "own").mkdir(mode=0o700)
    return load_config(tmp_path / "own" / "memory.db", env={"HOME": str(tmp_path)})


def open_engine(config: Config) -> MemoryEngine:
    return MemoryEngine(config, Actor("operator"))


def write(config: Config, text: str) -> list[MemctlError]:
    """Write a record as a command does; what the command was warned of."""
    with open_engine(config) as engine:
        engine.ingest([NewMemory("project", text, scope="global")])
        return engine.list_warnings()


def find_fault(config: Config) -> str | None:
    checks = {check.name: check for check in doctor.doctor(config, repair=False).checks}
    return checks["witness"].detail if checks["witness"].state == "problem" else None


@pytest.fixture
def store(config: Config) -> Path:
    write(config, "The kiln is fired with gas")
    write(config, "The harbour office opens at nine")
    assert find_fault(config) is None
    return config.db


def copy_aside(config: Config) -> Path:
    raw = sqlite_library().connect(str(config.db))
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    aside = config.db.with_name("aside")
    shutil.copyfile(config.db, aside)
    return aside


def put_back(config: Config, aside: Path) -> None:
    for name in (f"{config.db}-wal", f"{config.db}-shm"):
        Path(name).unlink(missing_ok=True)
    shutil.copyfile(aside, config.db)


def test_key_and_witness_are_private_and_outside_the_folder_of_the_store(
    config: Config, store: Path
) -> None:
    for path in (witness.locate_key(config), witness.locate_witness(config)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert store.parent not in path.parents


def test_an_older_file_in_its_place_is_told_by_doctor_and_once_by_the_next_command(
    config: Config, store: Path
) -> None:
    aside = copy_aside(config)
    write(config, "The gate is opened by the porter")
    put_back(config, aside)
    assert "changes are gone" in (find_fault(config) or "")
    assert [type(each).__name__ for each in write(config, "Bread is baked on Monday")] == [
        "StoreTampered"
    ]
    assert write(config, "Soup is cooked on Tuesday") == []
    assert find_fault(config) is not None


def test_a_write_ahead_log_that_was_cut_off_is_told(config: Config, store: Path) -> None:
    aside = copy_aside(config)
    with open_engine(config) as engine:
        engine.ingest([NewMemory("project", "The gate is opened by the porter", scope="global")])
        witness.renew_witness(engine.open_to_read(), config)
    put_back(config, aside)
    assert "changes are gone" in (find_fault(config) or "")


def test_a_rewritten_change_is_told_though_the_chain_fits(config: Config, store: Path) -> None:
    raw = sqlite_library().connect(str(config.db), isolation_level=None)
    raw.row_factory = sqlite_library().Row
    guard = raw.execute(
        "SELECT sql FROM sqlite_schema WHERE name = 'memory_events_no_update'"
    ).fetchone()[0]
    raw.execute("DROP TRIGGER memory_events_no_update")
    raw.execute("UPDATE memory_events SET actor = 'operator-2' WHERE seq = 1")
    previous = event_log.GENESIS
    for row in raw.execute("SELECT * FROM memory_events ORDER BY seq").fetchall():
        previous = event_log.compute_chain_hash(previous, row)
        raw.execute("UPDATE memory_events SET chain = ? WHERE seq = ?", (previous, row["seq"]))
    raw.execute(guard)
    raw.close()
    checks = {check.name: check for check in doctor.doctor(config, repair=False).checks}
    assert checks["event_log"].state == "ok"
    assert "past was rewritten" in checks["witness"].detail


def test_another_store_in_its_place_is_told(config: Config, store: Path, tmp_path: Path) -> None:
    other = load_config(tmp_path / "own" / "other.db", env={"HOME": str(tmp_path)})
    write(other, "Another house")
    put_back(config, copy_aside(other))
    assert "another store" in (find_fault(config) or "")


def test_a_witness_that_was_changed_is_told(config: Config, store: Path) -> None:
    path = witness.locate_witness(config)
    path.write_text(json.dumps({**json.loads(path.read_text()), "seq": 0, "records": 0}))
    assert "was changed" in (find_fault(config) or "")


@pytest.mark.parametrize("content", [b"", b"short"])
def test_an_unusable_key_is_named(config: Config, store: Path, content: bytes) -> None:
    path = witness.locate_key(config)
    path.write_bytes(content)
    assert str(path) in (find_fault(config) or "")
    path.unlink()
    assert str(path) in (find_fault(config) or "")


def test_a_purge_a_redaction_and_a_restore_are_no_tampering(config: Config, store: Path) -> None:
    with open_engine(config) as engine:
        copy = Path(engine.upkeep.backup(config.db.with_name("copy.db")).path)
        engine.upkeep.purge(match="harbour office")
    assert find_fault(config) is None
    write(config, "The gate is opened by the porter")
    with open_engine(config) as engine:
        engine.upkeep.restore(copy)
    assert find_fault(config) is None
    assert write(config, "Bread is baked on Monday") == []
    told = (config.state / "witness.log").read_text()
    assert "purge" in told and "restore of copy.db" in told


REWRITER = """
import sys
from pathlib import Path
from memctl.settings.config import load_config
from memctl.store import witness
settings = load_config(Path(sys.argv[1]), env={"HOME": sys.argv[2]})
witness.announce_rewriting(settings, "restore of old.db")
print("announced", flush=True)
sys.stdin.read()
"""


def test_a_writer_beside_a_restore_does_not_witness_what_the_restore_replaces(
    config: Config, store: Path, tmp_path: Path
) -> None:
    aside = copy_aside(config)
    command = [sys.executable, "-c", REWRITER, str(config.db), str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "announced\n"
        assert write(config, "The ferry is late") == []
        put_back(config, aside)
        assert write(config, "Another ferry is early") == []
        assert find_fault(config) is None
        process.communicate("")
    # It was killed before it noted what it did: the next command begins anew.
    assert write(config, "Bread is baked on Monday") == []
    assert find_fault(config) is None
    assert "begun anew: restore of old.db" in (config.state / "witness.log").read_text()


def test_two_processes_that_begin_the_witness_at_once_give_the_store_one_name(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def read_before_the_other_writes(db: Database, key: str) -> str | None:
        monkeypatch.undo()
        before = meta.get_note(db, key)
        with closing(migrate.open_store(config.db, create=True)) as other:
            names.append(witness.ensure_store_id(other))
        return before

    with closing(migrate.open_store(config.db, create=True)) as db:
        monkeypatch.setattr(meta, "get_note", read_before_the_other_writes)
        names.append(witness.ensure_store_id(db))
        names.append(witness.ensure_store_id(db))
    assert len(set(names)) == 1


def test_a_store_that_was_moved_is_witnessed_at_its_new_place(
    config: Config, store: Path, tmp_path: Path
) -> None:
    copy_aside(config)
    moved = load_config(tmp_path / "moved.db", env={"HOME": str(tmp_path)})
    config.db.rename(moved.db)
    assert find_fault(moved) is None
    write(moved, "Bread is baked on Monday")
    assert witness.locate_witness(moved).exists() and find_fault(moved) is None


def test_a_store_that_is_created_where_another_was_begins_a_witness(
    config: Config, store: Path, tmp_path: Path
) -> None:
    copy_aside(config)
    config.db.rename(tmp_path / "moved.db")
    with open_engine(config) as engine:
        notes = engine.init().warnings
        assert engine.list_warnings() == []
    assert len(notes) == 1 and "the store that stood here with 2 records" in notes[0]
    assert find_fault(config) is None
    with open_engine(config) as engine:
        assert engine.init().warnings == () and engine.list_warnings() == []
    assert write(config, "Bread is baked on Monday") == []
    assert "a new store was created" in (config.state / "witness.log").read_text()


def test_another_store_that_was_put_in_place_is_told_at_init_too(
    config: Config, store: Path, tmp_path: Path
) -> None:
    other = load_config(tmp_path / "other.db", env={"HOME": str(tmp_path)})
    with open_engine(other) as engine:
        engine.init()
    put_back(config, copy_aside(other))
    with open_engine(config) as engine:
        assert engine.init().warnings == ()
        assert "another store stands where" in str(engine.list_warnings()[0])
    assert find_fault(config) is not None


def test_the_operator_takes_a_store_as_it_is_now(config: Config, store: Path) -> None:
    aside = copy_aside(config)
    write(config, "The gate is opened by the porter")
    put_back(config, aside)
    assert any("although" in text for text in doctor.doctor(config, repair=True).repaired)
    assert find_fault(config) is None
    assert "accepted by the operator" in (config.state / "witness.log").read_text()


def test_a_folder_that_cannot_be_written_stops_no_command(config: Config) -> None:
    config.state.parent.mkdir(parents=True, exist_ok=True)
    config.state.write_text("a file where the folder should be")
    assert write(config, "The kiln is fired with gas") == []
