"""Notes about the store: what is derived and cannot be read is missing, and is made again."""

from __future__ import annotations

import pytest

from memctl.store import context_records, meta, semantic
from memctl.store.database import Database
from tests.bench import Bench

MANGLED = ("x", "-1", "9" * 25, "٣", "2026-13-01T00:00:00.000Z x", "[1]")


def mangle(db: Database, value: str) -> None:
    """Let something else write over all notes but the name of the store."""
    db.script(
        "INSERT OR IGNORE INTO meta (key, value) VALUES ('loaded:', '');"
        f"UPDATE meta SET value = '{value}' WHERE key <> 'store_id'"
    )


@pytest.mark.parametrize("value", ["7", "0", str(2**63 - 1)])
def test_a_number_is_read(bench: Bench, value: str) -> None:
    with bench.db.write():
        meta.put_note(bench.db, "count", value)
    assert meta.get_number(bench.db, "count") == int(value)


@pytest.mark.parametrize("value", ["", str(2**63), *MANGLED])
def test_what_is_no_number_and_no_time_is_missing(bench: Bench, value: str) -> None:
    with bench.db.write():
        meta.put_note(bench.db, "count", value)
    assert meta.get_number(bench.db, "count") is None
    assert meta.get_time(bench.db, "count") is None


def test_a_time_is_read(bench: Bench) -> None:
    with bench.db.write():
        meta.put_note(bench.db, "at", "2026-01-31T10:00:00.000Z")
    assert meta.get_time(bench.db, "at") == "2026-01-31T10:00:00.000Z"


@pytest.mark.needs("extension", "weights")
def test_maintenance_makes_mangled_notes_again(bench: Bench) -> None:
    bench.put("The kiln is oil fired", always_load=True)
    bench.maintain()
    model = semantic.find_serving_model(bench.db)
    loaded = context_records.list_loaded(bench.db, None)
    mangle(bench.db, "x")
    assert semantic.find_serving_model(bench.db) is None
    bench.maintain()
    assert semantic.find_serving_model(bench.db) == model
    assert context_records.list_loaded(bench.db, None) == loaded
    for key in ("entities_read_to", "entities_named_to", "vector_table_model", "embedding_model"):
        assert meta.get_number(bench.db, key) is not None, key
    for key in ("last_maintained", "consolidated_until"):
        assert meta.get_time(bench.db, key) is not None, key
