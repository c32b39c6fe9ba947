"""A damaged index harms no record: searches answer, writes are kept, maintenance makes it anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl import MemoryEngine, NewMemory, Query
from memctl.maintain import doctor
from memctl.store import derived_tables, lexical_repair, vector_index

# A single entry that is gone leaves a sound index: only a comparison with the records tells, which
# maintenance and doctor make.
ONE_ENTRY = "DELETE FROM memories_fts WHERE rowid = 1"
TEXT_HARMS = (
    "DROP TABLE memories_fts",
    "DELETE FROM memories_fts",
    "DELETE FROM memories_fts_data",
    "DELETE FROM memories_fts_data WHERE id > 10",
    "DELETE FROM memories_fts_docsize",
    "DELETE FROM memories_fts_idx",
    "DELETE FROM memories_fts_config",
    ONE_ENTRY,
    "DROP TABLE memories_fts_data",
    "DROP TABLE memories_fts_docsize",
    "DROP TABLE memories_fts_idx",
    "DROP TABLE memories_fts_content",
    "DROP TABLE memories_fts_config",
    "UPDATE memories_fts_data SET block = zeroblob(length(block))",
    "UPDATE memories_fts_data SET block = unhex(replace(hex(zeroblob(length(block))), '00', 'FF'))",
    "UPDATE memories_fts_data SET block = unhex(replace(hex(zeroblob(length(block))), '00', '7B'))",
)
VECTOR_HARMS = (
    "DROP TABLE memories_vec_rowids",
    "DROP TABLE memories_vec_chunks",
    "DROP TABLE memories_vec_vector_chunks00",
    "DELETE FROM memories_vec_rowids",
    "DELETE FROM memories_vec_chunks",
    "DELETE FROM memories_vec_vector_chunks00",
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(tmp_path / "memory.db", actor="operator") as opened:
        texts = ("The tide gauge stands at the pier", "The kiln is fired with gas")
        opened.ingest([NewMemory("project", text, scope="global") for text in texts])
        opened.maintain()
        yield opened


def search(engine: MemoryEngine, words: str) -> tuple[list[str], tuple[str, ...]]:
    report = engine.search(Query(words))
    return [hit.record.memory.content for hit in report.items], report.flags


def harm(engine: MemoryEngine, statement: str) -> None:
    db = engine.open_to_write()
    vector_index.load_extension(db)
    db._conn.execute(statement)
    engine.close()


@pytest.mark.parametrize("statement", TEXT_HARMS)
def test_words_are_found_kept_and_indexed_again(engine: MemoryEngine, statement: str) -> None:
    harm(engine, statement)
    engine.close()
    report = engine.ingest([NewMemory("project", "Bread is baked on Monday", scope="global")])
    assert report.items
    assert not engine.maintain().problems
    engine.close()
    db = engine.open_to_read()
    assert lexical_repair.is_sound(db) and derived_tables.list_replaced(db) == []
    for words in ("tide gauge", "kiln gas", "bread Monday"):
        found, flags = search(engine, words)
        assert len(found) == 1 and "text_index_damaged" not in flags
    assert doctor.doctor(engine.config, repair=False).healthy


@pytest.mark.parametrize("statement", TEXT_HARMS)
def test_doctor_makes_it_anew(engine: MemoryEngine, statement: str) -> None:
    harm(engine, statement)
    if "_idx" in statement and "DELETE" in statement:
        return  # The one part without which this small index is whole.
    assert not doctor.doctor(engine.config, repair=False).healthy
    assert doctor.doctor(engine.config, repair=True).healthy


def test_a_search_says_that_it_went_without_the_index(engine: MemoryEngine) -> None:
    harm(engine, "DROP TABLE memories_fts")
    assert "text_index_damaged" in search(engine, "tide gauge")[1]


@pytest.mark.parametrize("model", ["none", None])
@pytest.mark.parametrize("statement", [each for each in TEXT_HARMS if each != ONE_ENTRY])
def test_words_are_found_meanwhile_with_and_without_vectors(
    engine: MemoryEngine, statement: str, model: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    harm(engine, statement)
    if model is not None:
        monkeypatch.setitem(engine.config.values, "embedding.model", model)  # type: ignore[index]
    assert search(engine, "tide gauge")[0] == ["The tide gauge stands at the pier"]


@pytest.mark.needs("extension")
@pytest.mark.needs("weights")
@pytest.mark.parametrize("statement", VECTOR_HARMS)
def test_the_vector_index_is_made_anew(engine: MemoryEngine, statement: str) -> None:
    harm(engine, statement)
    assert search(engine, "tide gauge")[0] == ["The tide gauge stands at the pier"]
    engine.ingest([NewMemory("project", "Bread is baked on Monday", scope="global")])
    engine.close()
    assert not engine.maintain().problems
    db = engine.open_to_read()
    model = int(db.value("meta.get", key="embedding_model"))
    assert vector_index.has_table(db) and vector_index.is_sound(db, model)
    assert derived_tables.list_replaced(db) == []
