"""What a plan over many records remembers of the full-text index."""

from __future__ import annotations

import pytest

from memctl.store import lexical
from memctl.store.word_index import WordIndex
from tests.bench import Bench

KEY = "g0"


def test_a_word_that_nobody_holds_is_not_asked_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.put("The crane lifts four tons", scope="global")
    index = WordIndex(bench.db)
    index.foresee([("crane", KEY), ("barges", KEY), ("4711", KEY)])
    asked = []
    list_holding = lexical.list_holding

    def note(db: object, term: str, *given: object) -> list[int]:
        asked.append(term)
        return list_holding(db, term, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(lexical, "list_holding", note)
    sharing = index.find_sharing(("crane", "barges", "4711"), KEY)
    assert asked == ["crane"]
    assert sharing.numbers == lexical.list_holding(bench.db, "crane", KEY, 9)


def test_a_word_that_nobody_held_is_found_once_somebody_does(bench: Bench) -> None:
    index = WordIndex(bench.db)
    index.foresee([("barges", KEY), ("crane-lift", KEY)])
    memory = bench.put("The barge has a crane-lift", scope="global")
    [n] = lexical.list_holding(bench.db, "barge", KEY, 9)
    index.add(n, memory)
    assert index.find_sharing(("barges",), KEY).numbers == [n]
    assert index.find_sharing(("crane-lift",), KEY).numbers == [n]


def test_without_an_index_nothing_is_foreseen(bench: Bench) -> None:
    index = WordIndex(bench.db)
    bench.db._conn.execute("DROP TABLE memories_fts")
    index.foresee([("barges", KEY)])
    assert bench.db.damaged_indexes == {"text"}
