"""A store made in bulk is the store that its own functions would have made, and a healthy one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import generate, inventing, scale, vectors
from memctl.maintain import doctor
from memctl.settings import config
from memctl.store import evidence, links, records, semantic
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import open_store

TABLES = (
    "projects",
    "project_aliases",
    "memories",
    "evidence",
    "memory_links",
    "memory_events",
    "memories_fts",
)
RECORDS = 120


def one_by_one(db: Database) -> None:
    """The same records through the store's own functions."""
    known = inventing.projects(3, 7)
    with db.write():
        for project in known:
            generate.insert_project(db, project)
        for item in inventing.items(known, RECORDS, 7):
            records.insert_record(db, item.memory, actor=generate.ACTOR, cause=generate.CAUSE)
            evidence.insert_evidence(db, [item.evidence])
            if item.link:
                links.insert_link(db, item.link)


def rows(path: Path, table: str) -> list[tuple[Any, ...]]:
    """All rows; of the stream only what it tells of records, and not which changes were made as
    one.
    """
    query = f"SELECT * FROM {table} ORDER BY 1, 2"
    if table == "memory_events":
        query = (
            "SELECT memory_id, verb, before, after, actor, cause, at FROM memory_events WHERE "
            "topic = 'record' ORDER BY seq"
        )
    connection = sqlite_library().connect(str(path))
    try:
        return list(connection.execute(query))
    finally:
        connection.close()


@pytest.fixture
def bulk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store written in bulk, in batches of which the last is not full."""
    monkeypatch.setattr(generate, "BATCH", 50)
    path = tmp_path / "bulk.db"
    db = open_store(path, create=True)
    generate.generate(db, RECORDS, 3)
    db.close()
    return path


def test_the_rows_are_those_that_the_store_would_write(tmp_path: Path, bulk: Path) -> None:
    path = tmp_path / "single.db"
    db = open_store(path, create=True)
    one_by_one(db)
    db.close()
    for table in TABLES:
        assert rows(bulk, table) == rows(path, table), table
    assert len(rows(bulk, "memories")) == RECORDS and rows(bulk, "memory_links")


def test_doctor_finds_it_healthy_also_with_vectors(
    tmp_path: Path, bulk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "find_embedder", absent)
    db = open_store(bulk, create=False)
    assert vectors.add(db, "made") == sum(
        row["status"] not in ("archived", "superseded") for row in db.all("records.everything")
    )
    db.close()
    report = doctor.doctor(
        config.load_config(bulk, env={"HOME": str(tmp_path), "MEMCTL_EMBEDDING_MODEL": "none"}),
        repair=False,
    )
    assert [finding for finding in report.checks if finding.state == "problem"] == []


def test_a_made_vector_lies_near_the_point_of_its_topic_and_is_packed_as_the_store_packs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = vectors.around({}, 7)
    items = [item.memory for item in inventing.items(inventing.projects(2, 7), 400, 7)]
    topics: dict[str, list[bytes]] = {}
    for memory, vector in zip(items, made(items), strict=True):
        topic = next((word for word in memory.content.split() if word in inventing.PARTS), "")
        topics.setdefault(topic, []).append(vector)
    (first, second, *_), (other, *_) = sorted(topics.values(), key=len, reverse=True)[:2]
    near, far = (
        semantic.CosineCache().between(first, second),
        semantic.CosineCache().between(first, other),
    )
    assert near and near > 0.2 and (far or 0.0) < 0.2
    assert len(first) == vectors.DIMENSIONS and max(map(abs, memoryview(first).cast("b"))) == 127


def test_the_same_arguments_give_the_same_records() -> None:
    known = inventing.projects(2, 3)
    assert list(inventing.items(known, 20, 3)) == list(
        inventing.items(inventing.projects(2, 3), 20, 3)
    )
    assert list(inventing.items(known, 20, 3)) != list(inventing.items(known, 20, 4))


def test_the_parts_of_a_store_add_up_to_its_file(bulk: Path) -> None:
    try:
        sizes = scale.sizes(bulk)
    except scale.NoStatistics:
        return
    assert sizes.pop("count") == RECORDS
    whole = sizes.pop("file")
    assert (
        sizes["full text"] and sizes["records"] and sizes["stream"] and sum(sizes.values()) <= whole
    )


def absent(*_: Any, **__: Any) -> Callable[..., Any]:
    """No model is installed."""
    from memctl.core.errors import EmbeddingUnavailable

    raise EmbeddingUnavailable("no_weights", "no weights")
