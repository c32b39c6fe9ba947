"""An export taken into an empty store gives the same export, byte for byte."""

from __future__ import annotations

import json
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.errors import UsageError
from memctl.core.model import STATUSES, TYPES, EntityRef, Filter, Turn
from memctl.exchange import export
from memctl.exchange.sections import SECTIONS
from memctl.store import checksums, entities, event_log, exchange, lexical, records, upkeep
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import exported, furnished, memory, take

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40).filter(
    lambda text: not text.startswith("\0")
)
ANY_TEXT = st.text(max_size=30)
MAYBE = st.none() | TEXT
RECORDS = st.builds(
    memory,
    TEXT,
    type=st.sampled_from(TYPES),
    status=st.sampled_from(STATUSES),
    kind=TEXT,
    title=TEXT,
    rationale=MAYBE,
    subject=MAYBE,
    status_reason=MAYBE,
    alternatives=st.lists(TEXT, max_size=2).map(tuple),
    confidence=st.floats(0, 1),
    decay_rate=st.floats(0, 10),
    trust=st.integers(1, 5),
    access_count=st.integers(0, 9),
    protected=st.booleans(),
    always_load=st.booleans(),
)
TURNS = st.builds(
    Turn,
    seq=st.integers(0, 9),
    role=st.sampled_from(["human", "tool"]),
    kind=TEXT,
    text=ANY_TEXT,
    ok=st.none() | st.booleans(),
    data=st.dictionaries(
        ANY_TEXT, st.floats() | st.integers(-(2**40), 2**40) | ANY_TEXT, max_size=2
    ),
)


def test_everything_comes_back_byte_for_byte(tmp_path: Path) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    copy = open_store(tmp_path / "b.db", create=True)
    report = take(copy, text)
    assert report.problems == ()
    assert exported(copy) == text
    assert all(counts["inserted"] > 0 for counts in report.counts.values()), (
        "a section without rows proves nothing"
    )


def test_the_copy_is_indexed_and_its_stream_holds(tmp_path: Path) -> None:
    copy = open_store(tmp_path / "b.db", create=True)
    take(copy, exported(furnished(tmp_path / "a.db")))
    assert lexical.count_indexed(copy) == 4
    assert upkeep.find_drifted(copy) == ([], []) and upkeep.index_is_sound(copy)
    assert (
        event_log.find_broken_links(copy) == []
        and upkeep.find_damaged_records(copy) == []
        and upkeep.find_damaged_quotes(copy) == []
    )


@settings(max_examples=25)
@given(
    st.lists(RECORDS, max_size=4),
    st.lists(TURNS, min_size=1, max_size=3),
    st.lists(TEXT, max_size=3, unique=True),
)
def test_any_store_comes_back_byte_for_byte_and_twice_changes_nothing(
    rows: list, turns: list, names: list
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db, copy = (
            open_store(Path(folder, "a.db"), create=True),
            open_store(Path(folder, "b.db"), create=True),
        )
        fill(db, rows, turns, names)
        text = exported(db)
        assert take(copy, text).problems == ()
        assert exported(copy) == text
        again = take(copy, text)
        assert again.problems == ()
        assert {
            outcome
            for counts in again.counts.values()
            for outcome, count in counts.items()
            if count
        } <= {"identical"}
        assert exported(copy) == text
        db.close()
        copy.close()


def fill(db: Database, rows: list, turns: list, names: list) -> None:
    ids = houses.add(db, *rows)
    with db.write():
        houses.add_source(db, "s", turns=tuple(turns))
        for name in names:
            entities.attach_entities(
                db, ids[0], [EntityRef("concept", name)], houses.DAY.format(1)
            ) if ids else None


def test_a_file_says_neither_when_nor_where_it_was_made(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    first, second = tmp_path / "x" / "one.jsonl", tmp_path / "two.jsonl"
    first.parent.mkdir()
    for path in (first, second):
        export.export_store(db, houses.settings(db.path), path)
    assert first.read_bytes() == second.read_bytes()
    assert str(tmp_path).encode() not in first.read_bytes()


def test_an_export_over_a_file_is_refused_unless_it_may_replace_it(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    with pytest.raises(UsageError, match="is there already") as refused:
        export.export_store(db, houses.settings(db.path), path)
    assert path.read_text() == "old" and "--force" in str(refused.value.hint)
    with pytest.raises(UsageError, match="the store itself"):
        export.export_store(db, houses.settings(db.path), db.path, replaces=True)


def test_an_export_is_private_and_replaces_the_old_one_at_once(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    path.chmod(0o644)
    report = export.export_store(db, houses.settings(db.path), path, replaces=True)
    assert report.path == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == exported(db)
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".tmp")] == []


def test_an_export_into_no_folder_is_a_usage_error(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    for path in (tmp_path / "missing" / "out.jsonl", tmp_path):
        with pytest.raises(UsageError):
            export.export_store(db, houses.settings(db.path), path)


def test_the_manifest_counts_every_section(tmp_path: Path) -> None:
    lines = exported(furnished(tmp_path / "a.db")).splitlines()
    manifest = json.loads(lines[0])
    assert list(manifest["counts"]) == sorted(section.name for section in SECTIONS)
    assert sum(manifest["counts"].values()) == len(lines) - 1


def test_a_damaged_record_is_named_when_it_is_exported(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    (damaged,) = [row["id"] for row in db.all("records.everything") if row["type"] == "profile"]
    db.script("UPDATE memories SET content = 'I prefer imperial screws' WHERE type = 'profile'")
    report = export.export_store(db, houses.settings(db.path), None)
    assert len(report.problems) == 1 and damaged in report.problems[0]


# Not in an export, each for a reason that the sections' module gives.
DERIVED = {
    "citations",
    "maintenance_steps",
    "meta",
    "model_calls",
    "retrieval_logs",
    "embedding_models",
    "embeddings",
    "memories_fts",
    "unfinished_operations",
    "newer_marks",
    "turn_sources",
    "turns_fts",
    "vaults",
    "vault_notes",
    "memory_documents",
    "sync_replicas",
    "sync_places",
    "sync_shares",
    "sync_changes",
    "sync_numbers",
    "sync_vector",
    "sync_subjects",
    "sync_sets",
    "sync_projects",
    "sync_awaited",
    "sync_rewritten",
    "memories.n",
    "memories.row_hash",
    "evidence.quote_hash",
}
TABLES = {"aliases": "project_aliases", "links": "memory_links", "stream": "memory_events"}


def test_every_table_and_column_is_exported_or_derived(tmp_path: Path) -> None:
    db = open_store(tmp_path / "a.db", create=True)
    tables = {row["name"] for row in db.all("upkeep.objects") if row["type"] == "table"}
    exported_tables = {TABLES.get(section.name, section.name) for section in SECTIONS}
    assert tables - exported_tables == {name for name in DERIVED if "." not in name}
    for section in SECTIONS:
        table = TABLES.get(section.name, section.name)
        columns = {row["name"] for row in columns_of(db, table)} - {checksums.COLUMN}
        assert columns - set(section.columns) == {
            name.partition(".")[2] for name in DERIVED if name.startswith(table + ".")
        }, table


def columns_of(db: Database, table: str) -> list:
    return list(db._conn.execute(f"PRAGMA table_info({table})"))


def test_rows_are_read_in_the_order_of_their_keys(tmp_path: Path) -> None:
    db = furnished(tmp_path / "a.db")
    for section in SECTIONS:
        keys = [
            tuple(row[column] for column in section.key)
            for row in exchange.list_rows(db, section.name)
        ]
        assert keys == sorted(keys)


def test_an_original_that_was_not_kept_takes_no_room_in_the_file(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in exported(furnished(tmp_path / "a.db")).splitlines()]
    assert sorted("raw" in row for row in rows if row.get("section") == "sources") == [False, True]


def test_access_counts_survive(tmp_path: Path) -> None:
    copy = open_store(tmp_path / "b.db", create=True)
    take(copy, exported(furnished(tmp_path / "a.db")))
    assert max(each.access_count for each in records.select_records(copy, Filter())) == 3
