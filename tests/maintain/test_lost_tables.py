"""Tables that hold nothing but what is derived, or logs, are made anew where they are gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl import MemoryEngine, NewMemory, Query
from memctl.core.errors import StoreDamaged
from memctl.maintain import doctor
from memctl.store import lost_tables, semantic, upkeep
from memctl.store.migrate import get_latest_version

TABLES = upkeep.REPLACEABLE_TABLES
VECTORS = ("embeddings", "embedding_models")
GAUGE = "The tide gauge stands at the pier"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(tmp_path / "memory.db", actor="operator") as opened:
        texts = (GAUGE, "The kiln is fired with gas")
        opened.ingest([NewMemory("project", text, scope="global") for text in texts])
        opened.maintain()
        yield opened


def drop(engine: MemoryEngine, table: str) -> None:
    db = engine.open_to_write()
    db.pragma("foreign_keys", "OFF")
    db._conn.execute(f"DROP TABLE {table}")
    engine.close()


def find_gauge(engine: MemoryEngine) -> tuple[str, ...]:
    report = engine.search(Query("tide gauge"))
    assert [hit.record.memory.content for hit in report.items] == [GAUGE]
    return report.flags


def assert_whole(engine: MemoryEngine) -> None:
    db = engine.open_to_read()
    assert upkeep.find_strange_objects(db, get_latest_version()) == []
    assert upkeep.find_dangling(db) == []
    model = semantic.find_serving_model(db)
    assert model is not None and semantic.count_vectors(db, model.id) == 2
    assert not {"no_vectors", "vector_index_damaged"} & {*find_gauge(engine)}
    engine.close()
    assert doctor.doctor(engine.config, repair=False).healthy


@pytest.mark.parametrize("table", TABLES)
def test_a_search_answers_without_it_and_maintenance_makes_it(
    engine: MemoryEngine, table: str
) -> None:
    drop(engine, table)
    flags = find_gauge(engine)
    assert ("vector_index_damaged" in flags) == (table in VECTORS)
    engine.close()
    report = engine.maintain(steps=["embed"] if table in VECTORS else [])
    assert not report.problems
    assert any(table in str(warning) for warning in engine.list_warnings())
    engine.close()
    assert_whole(engine)


@pytest.mark.parametrize("table", TABLES)
def test_doctor_names_no_backup_and_makes_it(engine: MemoryEngine, table: str) -> None:
    drop(engine, table)
    report = doctor.doctor(engine.config, repair=False)
    schema = next(check for check in report.checks if check.name == "schema")
    assert schema.state == "problem" and table in schema.detail
    assert "doctor --repair" in (report.next_step or "") and "backup" not in str(report.next_step)
    assert doctor.doctor(engine.config, repair=True).healthy
    engine.maintain(steps=["embed"])
    engine.close()
    assert_whole(engine)


@pytest.mark.parametrize("table", TABLES)
def test_whoever_writes_meanwhile_loses_nothing(engine: MemoryEngine, table: str) -> None:
    drop(engine, table)
    try:
        engine.ingest([NewMemory("project", "Bread is baked on Monday", scope="global")])
        is_kept = True
    except StoreDamaged:
        is_kept = False
    engine.close()
    engine.maintain()
    found = engine.search(Query("bread Monday")).items
    assert len(found) == is_kept
    assert is_kept or table == "unfinished_operations"


def test_a_store_that_lost_records_is_left_as_it_is(engine: MemoryEngine) -> None:
    drop(engine, "embeddings")
    drop(engine, "evidence")
    with pytest.raises(StoreDamaged):
        engine.maintain()
    assert lost_tables.list_lost(engine.open_to_read()) == ["embeddings"]
    report = doctor.doctor(engine.config, repair=False)
    assert "restore" in (report.next_step or "")
