"""The index says who may see what, and how frequent a word is, at a cost that does not grow with the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from invented import House

from memctl.store import lexical, records


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """An empty store with the project `mill`."""
    opened = House(tmp_path)
    yield opened
    opened.db.close()


def test_frequencies_are_exact_in_a_small_store(house: House) -> None:
    for n in range(5):
        house.add(f"kiln {'brick' if n % 2 else 'door'}")
    assert lexical.frequencies(house.db, ["kiln", "brick", "zeppelin"]) == {"kiln": 5, "brick": 2, "zeppelin": 0}
    assert lexical.frequencies(house.db, []) == {} and lexical.size(house.db) == 5


def test_in_a_large_store_frequent_words_are_estimated_and_rare_ones_counted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_SAMPLE", 10)
    monkeypatch.setattr(lexical, "_RARE_IN_SAMPLE", 5)
    house.add("sluice")
    for n in range(19):
        house.add(f"kiln {n}")
    assert lexical.frequencies(house.db, ["kiln", "sluice"]) == {"kiln": 20, "sluice": 1}


def test_the_place_of_a_record_is_no_word_of_it_and_has_no_weight(house: House) -> None:
    memory = house.add("kiln")
    n = records.number_of(house.db, memory.id)
    scope = lexical.Scope(projects=(house.mill.id,))
    assert lexical.here(house.db, ["kiln"], scope, 5)[n] == pytest.approx(lexical.score_of(house.db, ["kiln"], n))
    assert lexical.here(house.db, [lexical.place_word(memory)], scope, 5) == {}


def test_a_record_that_moves_is_found_in_its_new_place_only(house: House) -> None:
    other = house.project("bakery")
    memory = house.add("kiln")
    house.change(memory, "2026-04-01T00:00:00.000Z", project_id=other.id)
    assert lexical.here(house.db, ["kiln"], lexical.Scope(projects=(house.mill.id,)), 5) == {}
    assert len(lexical.here(house.db, ["kiln"], lexical.Scope(projects=(other.id,)), 5)) == 1


def test_reindexing_leaves_one_entry(house: House) -> None:
    memory = house.add("kiln")
    n = records.number_of(house.db, memory.id)
    with house.db.write():
        lexical.put(house.db, n, memory)
    assert lexical.size(house.db) == 1 and lexical.texts(house.db, [n])[n]["title"] == "kiln"


def test_an_episode_is_found_by_what_was_done_in_it_not_by_the_words_it_is_told_in(house: House) -> None:
    story = "Asked: paint the kiln. Then: use blue. Done: The kiln is painted. Files: kiln.py. Ended: with the operator's words."
    house.add(story, type="episode", kind="summary", title="Paint the kiln", summary=story, subject="session 7")
    scope = lexical.Scope(projects=(house.mill.id,))
    assert lexical.here(house.db, ["painted"], scope, 5) and lexical.here(house.db, ["blue"], scope, 5)
    for frame in ("asked", "ended", "operator", "summary", "session", "done", "files"):
        assert lexical.here(house.db, [frame], scope, 5) == {}


def test_a_record_is_found_however_many_better_matches_do_not_pass_the_filters(house: House) -> None:
    for _ in range(30):
        house.add("kiln", status="archived")
    kept = [house.add(f"kiln {'brick ' * n}") for n in (1, 2, 3)]
    scope = lexical.Scope(projects=(house.mill.id,))
    assert list(lexical.here(house.db, ["kiln"], scope, 2)) == [records.number_of(house.db, memory.id) for memory in kept[:2]]
    assert len(lexical.here(house.db, ["kiln"], scope, 5)) == 3
