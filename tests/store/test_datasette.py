"""contrib/datasette: every canned query runs on a store of today, and changes nothing."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from memctl.core.model import NewMemory, Place
from memctl.engine.memory_engine import MemoryEngine

FOLDER = Path(__file__).resolve().parents[2] / "contrib" / "datasette"
QUERIES = json.loads((FOLDER / "metadata.json").read_text())["databases"]["memory"]["queries"]


@pytest.fixture
def copy(db: Path, tmp_path: Path) -> sqlite3.Connection:
    with MemoryEngine.open(db, actor="operator") as engine:
        for content in ("We use spaces in Go files", "We use tabs in Go files"):
            engine.ingest([NewMemory("project", content, scope="global")], place=Place())
        engine.maintain()
        engine.search("go files")
        engine.write_logs()
        engine.upkeep.backup(tmp_path / "memory.db")
    return sqlite3.connect(f"file:{tmp_path / 'memory.db'}?immutable=1", uri=True)


@pytest.mark.parametrize("name", QUERIES)
def test_a_canned_query_runs_and_reads_alone(name: str, copy: sqlite3.Connection) -> None:
    query = QUERIES[name]
    named = re.findall(r"(?<!:):([a-z_]+)", query["sql"])
    assert sorted(set(named)) == sorted(query.get("params", []))
    assert query["title"] and query["sql"].startswith("SELECT ") and ";" not in query["sql"]
    values = {"word": "spaces", "id": copy.execute("SELECT id FROM memories").fetchone()[0]}
    rows = copy.execute(query["sql"], values).fetchall()
    empty = {"inbox", "rules", "sessions", "replaced", "evidence_of"}
    assert rows or name in empty


def test_the_page_names_every_file_that_it_needs() -> None:
    text = (FOLDER / "README.md").read_text()
    assert "--immutable" in text and "contrib/datasette/metadata.json" in text
