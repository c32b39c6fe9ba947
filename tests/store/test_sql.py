"""Every statement compiles against the schema, and the hot ones keep to their indexes whatever
the store holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memctl.store import checksums, semantic, statements, vector_index
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import open_store

STATEMENTS = [
    f"{topic}.{name}" for topic in statements.list_topics() for name in statements.load_topic(topic)
]
# The statements that a hook, a context or a search runs, and the index by which each reaches its
# records.
HOT = {
    "feedback_signals.gone": "citations_missing",
    "feedback_signals.tally": "outcomes_memory",
    "entities.records": "memory_entities_entity",
    "entities.mentions": "memory_entities_entity",
    "records.get": "sqlite_autoindex_memories_1",
    "records.by_ids": "sqlite_autoindex_memories_1",
    "records.by_numbers": "INTEGER PRIMARY KEY",
    "records.by_prefix": "sqlite_autoindex_memories_1",
    "chains.below": "sqlite_autoindex_memories_1",
    "context_records.newest": "memories_newest",
    "context_records.newest_of_kind": "memories_newest_kind",
    "context_records.disputed": "memories_place",
    "context_records.always": "memories_always",
    "context_records.neighbours": "sqlite_autoindex_memories_1",
    "lexical.best": "VIRTUAL TABLE INDEX",
    "lexical.one": "VIRTUAL TABLE INDEX",
    "lexical.texts": "VIRTUAL TABLE INDEX",
    "lexical.newest": "SEARCH memories_fts_docsize",
    "lexical.document_frequencies": "VIRTUAL TABLE INDEX",
    "evidence.of_memories": "evidence_memory",
    "evidence.places": "evidence_memory",
    "links.of_memories": "memory_links_to",
    "entities.of_memories": "PRIMARY KEY",
    "event_log.of_memory": "memory_events_memory",
    "logs.given_to": "retrieval_logs_session",
    "logs.is_hooked": "retrieval_logs_session",
    "logs.unused_in_session": "sqlite_autoindex_memories_1",
    "logs.unused_in_day": "sqlite_autoindex_memories_1",
    "context_records.newer_of": "sqlite_autoindex_memories_1",
    "context_records.changed_since_told": "sqlite_autoindex_memories_1",
    "evidence.has_files": "sources_session",
    "evidence.in_files": "evidence_memory",
    "records.touch": "sqlite_autoindex_memories_1",
    "semantic.vectors": "PRIMARY KEY",
    "semantic.any": "PRIMARY KEY",
    "semantic.unindexed": "embeddings_unindexed",
    "vector_index.nearest": "VIRTUAL TABLE INDEX",
    "queue.lease": "ingestion_events_due",
    "sources.by_session": "sources_session",
}


# Statements that only compile where another came before.
NOT_ALONE = {
    "vector_index.create",  # the fixture has the table
    "lexical_repair.create",
    "turn_index.create",
    "derived_tables.unlink",  # after unlock_schema
    "lexical.held_words",  # after open_words
    # in a store of schema 2 with a draft of what records mention
    "upgrade.draft_index",
    "upgrade.draft_inserts",
    "upgrade.draft_deletes",
    "upgrade.draft_updates",
    "upgrade.copy_piece",
    "upgrade.drop_draft_names",
    "upgrade.drop_draft_index",
    "upgrade.redefine",  # after unlock_schema
    "upgrade.rename_draft_index",
}


class Nulls(dict[str, Any]):
    """Parameters of which every one is NULL."""

    def __missing__(self, _key: str) -> None:
        return None


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A plain connection to an empty current store."""
    path = Path(tmp_path_factory.mktemp("sql")) / "memory.db"
    db: Database = open_store(path, create=True)
    connection = sqlite_library().connect(str(path))
    checksums.add_function(connection)
    if vector_index.load_extension(db):
        vector_index.make_table(db, semantic.Model(1, "any", 384, "any"))
        connection.enable_load_extension(True)
        connection.load_extension(vector_index.list_extension_paths()[0])
    yield connection
    connection.close()
    db.close()


def plan(store: Any, name: str) -> list[str]:
    return [
        row[3]
        for row in store.execute("EXPLAIN QUERY PLAN " + statements.get_statement(name), Nulls())
    ]


@pytest.mark.parametrize("name", sorted({*STATEMENTS} - NOT_ALONE))
def test_every_statement_compiles(store: Any, name: str) -> None:
    store.execute("EXPLAIN " + statements.get_statement(name), Nulls())


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_says_what_it_does(name: str) -> None:
    assert re.match(r"-- [A-Z].+\S", statements.get_statement(name))


@pytest.mark.parametrize(("name", "index"), HOT.items())
def test_hot_statements_keep_to_their_index(store: Any, name: str, index: str) -> None:
    steps = plan(store, name)
    assert any(index in step for step in steps), steps
    harmless = (
        "VIRTUAL TABLE",
        "CONSTANT ROW",
        f"USING INDEX {index}",
        "SCAN found",
        "SCAN below",
        "SCAN newest",
    )
    assert [
        step
        for step in steps
        if step.startswith("SCAN") and not any(mark in step for mark in harmless)
    ] == [], steps


def test_the_nearest_vectors_are_looked_for_in_one_partition(store: Any) -> None:
    (step,) = plan(store, "vector_index.nearest")
    (everywhere,) = plan(store, "vector_index.nearest_anywhere")
    assert step.split("INDEX ")[1].startswith(everywhere.split("INDEX ")[1]) and step != everywhere


@pytest.mark.parametrize("name", ["context_records.newest", "context_records.newest_of_kind"])
def test_the_newest_records_are_read_in_order_not_sorted(store: Any, name: str) -> None:
    assert not any("TEMP B-TREE" in step for step in plan(store, name))


def test_a_statement_named_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "twice.sql").write_text(
        "-- name: a\n-- One.\nSELECT 1;\n-- name: a\n-- Two.\nSELECT 2;\n", encoding="utf-8"
    )
    monkeypatch.setattr(statements, "find_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match="twice"):
        statements.load_topic("twice")
