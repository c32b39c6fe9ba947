"""Index entries without a record are dropped in short transactions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from invented import House

from memctl.store import chunks, lexical, records, upkeep


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A store with a record, and three entries of records that are not there."""
    opened = House(tmp_path)
    memory = opened.add("The kiln is oil fired")
    with opened.db.write():
        for number in (1001, 1002, 1003):
            lexical.put_entry(opened.db, number, memory, [])
    yield opened
    opened.db.close()


def test_each_chunk_drops_some_entries_and_lets_others_write(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(
        chunks, "pause_between_chunks", lambda: left.append(len(upkeep.find_surplus(house.db)))
    )
    assert (upkeep.drop_surplus(house.db), left) == (3, [2, 1])
    assert lexical.count_indexed(house.db) == 1


def test_an_entry_whose_record_was_written_meanwhile_stays(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = records.find_number(house.db, house.add("The roof leaks").id)
    monkeypatch.setattr(upkeep, "find_surplus", lambda _db: [known, 1001, 1002, 1003])
    upkeep.drop_surplus(house.db)
    assert lexical.count_indexed(house.db) == 2
