"""`doctor` survives any state of a store, says what is wrong and names one next step."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.core.errors import MemctlError, StoreDamaged
from memctl.maintain import doctor
from memctl.results.store import DoctorReport
from memctl.settings.config import Config
from memctl.store import backup, upkeep
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import get_latest_version, open_store
from tests.exchange import houses
from tests.exchange.houses import furnished

PAGE = 4096
OBJECTS = [
    (row["type"], row["name"]) for row in upkeep.build_expected_objects(get_latest_version())
]
TABLES = [name for kind, name in OBJECTS if kind == "table"]
HELPERS = [(kind, name) for kind, name in OBJECTS if kind != "table"]


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(tmp_path_factory.mktemp("states")) / "memory.db"
    db = furnished(path)
    db._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return path


@pytest.fixture
def config(healthy: Path, tmp_path: Path) -> Config:
    folder = tmp_path / "own"
    folder.mkdir(mode=0o700)
    shutil.copyfile(healthy, folder / "memory.db")
    (folder / "memory.db").chmod(0o600)
    return houses.settings(folder / "memory.db")


def change(config: Config, statement: str) -> None:
    connection = sqlite_library().connect(str(config.db), isolation_level=None)
    connection.executescript(f"PRAGMA foreign_keys = OFF; {statement}")
    connection.close()


def assert_it_tells(config: Config) -> DoctorReport:
    """It ends with a report or an error of memctl's own, each with one next step."""
    for repair in (False, True):
        try:
            report = doctor.doctor(config, repair=repair)
        except MemctlError as error:
            assert error.hint
            return DoctorReport(())
        assert not report.healthy and report.next_step
        if not repair:
            found = report
    return found


@pytest.mark.parametrize("table", TABLES)
def test_a_missing_table_is_told(config: Config, table: str) -> None:
    change(config, f"DROP TABLE {table}")
    try:
        report = doctor.doctor(config, repair=False)
    except StoreDamaged as error:
        assert error.hint
        return
    schema = next(check for check in report.checks if check.name == "schema")
    assert table in schema.detail and report.next_step
    doctor.doctor(config, repair=True)


@pytest.mark.parametrize(("kind", "name"), HELPERS, ids=[name for _, name in HELPERS])
def test_a_missing_index_or_guard_is_told_and_made_anew(
    config: Config, kind: str, name: str
) -> None:
    change(config, f"DROP {kind} {name}")
    report = assert_helper_lost(config, name)
    assert "--repair" in (report.next_step or "")
    assert doctor.doctor(config, repair=True).healthy


def assert_helper_lost(config: Config, name: str) -> DoctorReport:
    report = doctor.doctor(config, repair=False)
    schema = next(check for check in report.checks if check.name == "schema")
    assert name in schema.detail and schema.state == "problem"
    return report


COLUMNS = [
    "memories.content",
    "sources.path",
    "evidence.quote",
    "memory_events.chain",
    "meta.value",
]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_missing_column_is_told(config: Config, column: str) -> None:
    table, _, name = column.partition(".")
    change(config, f"ALTER TABLE {table} RENAME COLUMN {name} TO gone")
    try:
        report = doctor.doctor(config, repair=False)
    except StoreDamaged as error:
        assert error.hint
        return
    assert not report.healthy and report.next_step


def no_database(path: Path) -> None:
    path.write_bytes(b"words, but no database " * 1000)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def one_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:PAGE])


def half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 100])


def no_header(path: Path) -> None:
    path.write_bytes(b"\0" * 100 + path.read_bytes()[100:])


def foreign(path: Path) -> None:
    path.unlink()
    other = sqlite_library().connect(str(path))
    other.executescript("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1);")
    other.close()


@pytest.mark.parametrize("harm", [no_database, empty, one_page, half, no_header, foreign])
def test_a_file_that_is_no_whole_store_is_told(
    config: Config, harm: Callable[[Path], None]
) -> None:
    harm(config.db)
    before = config.db.read_bytes()
    assert_it_tells(config)
    if harm in (no_database, empty):
        assert config.db.read_bytes() == before


@pytest.mark.parametrize("page", range(1, 60, 4))
def test_noise_in_a_page_is_told(config: Config, page: int) -> None:
    data = bytearray(config.db.read_bytes())
    start = page * PAGE
    if start + PAGE > len(data):
        return
    data[start : start + PAGE] = random.Random(page).randbytes(PAGE)
    config.db.write_bytes(data)
    try:
        report = doctor.doctor(config, repair=False)
    except MemctlError as error:
        assert error.hint
        return
    assert not report.healthy and report.next_step


def test_garbage_for_a_write_ahead_log_harms_nothing(config: Config) -> None:
    Path(f"{config.db}-wal").write_bytes(random.Random(1).randbytes(100_000))
    report = doctor.doctor(config, repair=False)
    assert {check.name for check in report.checks if check.state == "problem"} <= {"permissions"}


def test_the_way_back_names_the_newest_backup(config: Config) -> None:
    db = open_store(config.db, create=False)
    copy = backup.make_backup(db, config, None).path
    db.close()
    empty(config.db)
    with pytest.raises(StoreDamaged) as caught:
        doctor.doctor(config, repair=False)
    assert copy in (caught.value.hint or "")


def test_every_finding_can_be_written_as_json(config: Config) -> None:
    change(config, "DROP TABLE evidence")
    report = doctor.doctor(config, repair=False)
    told = json.dumps(
        [(check.name, check.state, check.detail, check.cure) for check in report.checks]
    )
    assert "evidence" in told


def test_another_state_of_the_schema_is_an_error_of_the_store(tmp_path: Path) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    db.script("DROP TABLE tombstones")
    with pytest.raises(StoreDamaged) as caught:
        db.all("tombstones.of_memory", memory_id="x")
    assert "doctor" in (caught.value.hint or "") and caught.value.exit_code == 13
    db.close()


def test_a_read_of_what_is_not_there_is_no_traceback(tmp_path: Path) -> None:
    db: Database = open_store(tmp_path / "memory.db", create=True)
    db.script("ALTER TABLE sources RENAME COLUMN path TO gone")
    with pytest.raises(StoreDamaged):
        db.run("sources.grow", **{"id": "x"} | dict.fromkeys(GROWN))
    db.close()


GROWN = (
    "size_bytes content_hash turn_count turns_hash unknown title cwd git_branch project_id repo_id "
    "path raw ended_at updated_at"
).split()
