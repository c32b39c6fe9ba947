"""Rows that are undone go back to what they were, column by column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memctl.store import statements, tracked_rows
from memctl.store.migrate import open_store

TABLES = {
    "link": "memory_links",
    "entity": "entities",
    "alias": "entity_aliases",
    "tombstone": "tombstones",
    "outcome": "outcomes",
    "proposal": "proposals",
    "mute": "muted_rules",
}


@pytest.mark.parametrize("topic", tracked_rows.KEYS)
def test_every_column_of_a_row_is_set_to_what_it_was(tmp_path: Path, topic: str) -> None:
    db = open_store(tmp_path / "memory.db", create=True)
    columns = {row[1] for row in db._conn.execute(f"PRAGMA table_info({TABLES[topic]})")}
    db.close()
    statement = statements.get_statement(f"tracked_rows.put_{topic}")
    restored = set(re.findall(r"(\w+) = excluded\.\1", statement))
    assert restored == columns - {*tracked_rows.KEYS[topic], "checksum"}
