"""Quotes are held against their sources anew; history, links and past retrievals are shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from invented import AT, House

from memctl.core import clock
from memctl.core.errors import NotFound
from memctl.core.model import Evidence, Memory, Source, Turn
from memctl.results.explanations import MemoryExplanation, RetrievalExplanation
from memctl.retrieve import explain
from memctl.store import evidence, records, sources, spool, tombstones

SAID = "Please keep the kiln below nine hundred degrees."


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """An empty store with the project `mill`."""
    opened = House(tmp_path)
    yield opened
    opened.db.close()


def quoting(
    house: House, quote: str, turn: int | None, start: int | None, turns: list[str]
) -> Memory:
    """A record that rests on a quote at some place of a captured session."""
    said = [Turn(seq, "human", "text", text) for seq, text in enumerate(turns)]
    source = Source(
        clock.new_id(),
        "conversation",
        "invented",
        "claude-code",
        "s-1",
        10,
        "h",
        len(said),
        "t",
        5,
        AT,
        AT,
    )
    memory = house.made("Kiln stays below 900 degrees")
    end = None if start is None else start + len(quote)
    item = Evidence(
        clock.new_id(), memory.id, quote, "human", 5, AT, AT, source.id, turn, start, end
    )
    with house.db.write():
        sources.insert_source(house.db, source)
        sources.add_turns(house.db, source.id, said, AT)
        records.insert_record(house.db, memory, actor="maintain", cause="test")
        evidence.insert_evidence(house.db, [item])
    return memory


def about(house: House, some_id: str) -> MemoryExplanation:
    found = explain.explain(house.db, house.config, some_id)
    assert isinstance(found, MemoryExplanation)
    return found


@pytest.mark.parametrize(
    ("turn", "start", "turns", "state"),
    [
        (1, 16, ["hello", SAID], "intact"),
        (1, 3, ["hello", SAID], "moved"),
        (0, 16, ["hello", SAID], "moved"),
        (7, 16, ["hello", SAID], "moved"),
        (1, 16, ["hello", "Please keep the kiln warm."], "changed"),
        (7, 16, ["hello"], "missing"),
    ],
)
def test_a_quote_is_looked_for_where_it_was_and_then_elsewhere(
    house: House, turn: int, start: int, turns: list[str], state: str
) -> None:
    memory = quoting(house, SAID[16:30], turn, start, turns)
    (check,) = about(house, memory.id).evidence
    assert check.state == state and check.source is not None
    if state in ("intact", "moved"):
        where = check.evidence
        assert (where.turn, turns[1][where.span_start : where.span_end]) == (1, where.quote)


def test_a_manual_statement_has_no_source(house: House) -> None:
    (check,) = about(house, house.add("By hand").id).evidence
    assert (check.state, check.source) == ("manual", None)


def test_a_gone_source_is_missing() -> None:
    item = Evidence("E", "M", "words", "human", 5, AT, AT, "S", 0, 0, 5)
    assert explain.check_evidence(item, None, []).state == "missing"


def test_the_history_is_told_from_the_beginning(house: House) -> None:
    memory = house.add("Kiln fact", status="inbox")
    house.change(memory, "2026-04-01T00:00:00.000Z", status="active")
    assert [event.verb for event in about(house, memory.id).history] == ["created", "changed"]


def test_linked_records_are_shown_with_the_link(house: House) -> None:
    old, new = house.add("Old", status="superseded"), house.add("New")
    house.link(new, "supersedes", old)
    told = about(house, old.id)
    assert told.record.superseded_by == new.id and set(told.linked) == {new.id}


def test_a_tombstone_is_told_with_its_reason(house: House) -> None:
    memory = house.add("Wrong", status="archived")
    with house.db.write():
        tombstones.add_tombstone(
            house.db,
            memory_id=memory.id,
            fingerprint="f",
            verdict="forgotten",
            quote=None,
            reason="not so",
            actor="operator",
            at=AT,
        )
    assert about(house, memory.id).tombstone == "forgotten: not so"


def test_a_retrieval_is_explained_with_its_records(house: House) -> None:
    best, other = house.add("Kiln bricks"), house.add("Kiln")
    report = house.search("kiln bricks", limit=1)
    spool.flush_logs(house.db, house.config)
    told = explain.explain(house.db, house.config, report.retrieval_id)
    assert isinstance(told, RetrievalExplanation)
    assert told.retrieval["returned"] == [best.id] and list(told.records) == [best.id, other.id]


def test_a_short_prefix_is_enough_and_an_unknown_one_is_not_found(house: House) -> None:
    memory = house.add("Kiln")
    assert about(house, memory.id[:20]).record.memory.id == memory.id
    with pytest.raises(NotFound):
        explain.explain(house.db, house.config, "ZZZZZZ")
