"""One row that cannot be read stops no answer: it is left out, and told of once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl import MemoryEngine, NewMemory, Query
from memctl.core.errors import StoreDamaged
from memctl.core.model import Filter
from memctl.store import records

TEXTS = ("The tide gauge is at the pier", "The kiln is at the pier", "The shop is at the pier")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(tmp_path / "memory.db", actor="operator") as opened:
        opened.ingest([NewMemory("project", text, scope="global") for text in TEXTS])
        opened.maintain()
        db = opened.open_to_write()
        db._conn.execute("UPDATE memories SET content = cast(x'ff' AS text) WHERE n = 2")
        opened.close()
        yield opened


def told(engine: MemoryEngine) -> list[str]:
    return [str(warning) for warning in engine.list_warnings()]


def assert_told_once(engine: MemoryEngine) -> None:
    assert len(told(engine)) == 1 and "holds what is no text" in told(engine)[0]


def test_a_search_finds_the_others(engine: MemoryEngine) -> None:
    for _ in range(2):
        found = engine.search(Query("pier")).items
        assert {hit.record.memory.content for hit in found} == {TEXTS[0], TEXTS[2]}
    assert_told_once(engine)


def test_a_list_holds_the_others(engine: MemoryEngine) -> None:
    found = records.select_records(engine.open_to_read(), Filter(), only_readable=True)
    assert {memory.content for memory in found} == {TEXTS[0], TEXTS[2]}
    assert_told_once(engine)


def test_an_export_holds_the_others_and_names_it(engine: MemoryEngine) -> None:
    report = engine.export()
    lines = [json.loads(line) for line in (report.text or "").splitlines()]
    held = [line["content"] for line in lines if line.get("section") == "memories"]
    assert {*held} == {TEXTS[0], TEXTS[2]} and len(held) == 2
    assert any("holds what is no text" in problem for problem in report.problems)


def test_what_erases_does_not_overlook_it(engine: MemoryEngine) -> None:
    with pytest.raises(StoreDamaged):
        engine.upkeep.purge(match="The kiln is at the pier")


def test_text_is_read_strictly_again_afterwards(engine: MemoryEngine) -> None:
    engine.search(Query("pier"))
    with pytest.raises(StoreDamaged):
        records.list_by_numbers(engine.open_to_read(exactly=True), [1, 2, 3])
