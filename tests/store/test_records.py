"""A record, its index entry and its line in the stream change together."""

from __future__ import annotations

from pathlib import Path

import pytest

from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.model import (
    OWNERS,
    RELATIONS,
    SCOPES,
    SOURCE_KINDS,
    STATUSES,
    TYPES,
    Filter,
    Memory,
)
from memctl.store import context_records, event_log, lexical, records
from memctl.store.database import Database, IntegrityError
from memctl.store.migrate import open_store
from tests.exchange.houses import DAY, add, change, memory


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_store(tmp_path / "memory.db", create=True)


def numbered(n: int) -> str:
    return f"01TEST{n:020d}"


def test_a_record_comes_back_as_it_was(db: Database) -> None:
    full = memory(
        "All of it",
        rationale="because",
        alternatives=("a", "b"),
        subject="it",
        agent_id="x",
        session_id="s",
        protected=True,
        always_load=True,
        valid_from=DAY.format(1),
        valid_until=DAY.format(9),
        source_ref="r",
        evidence_ref="e",
        status_reason="why",
        decay_rate=0.25,
    )
    add(db, full)
    assert records.get_record(db, full.id) == full


def test_a_new_record_is_indexed_and_begins_its_history(db: Database) -> None:
    (known,) = add(db, memory("The bridge opens at noon"))
    assert lexical.score_record(db, ["bridge"], records.find_number(db, known)) > 0
    (event,) = event_log.list_of_memory(db, known)
    assert event.before is None and event.after == records.extract_history_fields(
        records.get_record(db, known)
    )


def test_a_change_keeps_what_was_and_moves_the_index(db: Database) -> None:
    (known,) = add(db, memory("The bridge opens at noon"))
    change(
        db,
        known,
        DAY.format(2),
        content="The ferry leaves at noon",
        title="Ferry",
        summary="Ferry at noon",
    )
    number = records.find_number(db, known)
    assert (
        lexical.score_record(db, ["bridge"], number)
        == 0
        < lexical.score_record(db, ["ferry"], number)
    )
    last = event_log.list_of_memory(db, known)[-1]
    assert (
        last.before["content"] == "The bridge opens at noon"
        and last.after["content"] == "The ferry leaves at noon"
    )
    assert "kind" not in last.before
    assert (
        event_log.replay_fields(db, known, DAY.format(1))["content"] == "The bridge opens at noon"
    )


def test_a_change_that_changes_nothing_leaves_no_line(db: Database) -> None:
    (known,) = add(db, memory("Still"))
    change(db, known, DAY.format(5))
    assert len(event_log.list_of_memory(db, known)) == 1 and records.get_record(
        db, known
    ).updated_at == DAY.format(1)


def test_reading_is_counted_without_history(db: Database) -> None:
    (known,) = add(db, memory("Read me"))
    with db.write():
        records.count_access(db, [known, "0" * 26], DAY.format(3))
    found = records.get_record(db, known)
    assert (found.access_count, found.last_accessed_at) == (1, DAY.format(3))
    assert len(event_log.list_of_memory(db, known)) == 1
    change(db, known, DAY.format(4), title="Other")
    assert records.get_record(db, known).access_count == 1


def test_the_hash_covers_everything_but_the_counters() -> None:
    plain = memory("Hashed")
    assert records.compute_row_hash(
        replace(plain, access_count=9, last_accessed_at="x")
    ) == records.compute_row_hash(plain)
    other = {"trust": 5, "protected": True, "confidence": 0.1, "alternatives": ("x",)}
    texts = [
        name
        for name, kind in Memory.__annotations__.items()
        if "str" in str(kind) and name != "last_accessed_at"
    ]
    for name in [*texts, *other]:
        assert records.compute_row_hash(
            replace(plain, **{name: other.get(name, "other")})
        ) != records.compute_row_hash(plain), name


def test_a_short_prefix_finds_its_record_and_an_ambiguous_one_names_them(db: Database) -> None:
    first, second = numbered(1), numbered(2)
    add(db, memory("One", id=first), memory("Two", id=second))
    assert records.resolve_record(db, first.lower()).id == first
    assert context_records.shorten_ids(db, [first])[first] == first
    with pytest.raises(NotFound, match=f"{first}, {second}"):
        records.resolve_record(db, "01TEST")
    for text in ("", "9", "%", "01TEST%"):
        with pytest.raises(NotFound):
            records.resolve_record(db, text)


def test_filters_narrow_and_combine(db: Database) -> None:
    add(
        db,
        memory("a", kind="fix", confidence=0.9, updated_at=DAY.format(1)),
        memory("b", status="inbox", confidence=0.5, updated_at=DAY.format(2)),
        memory(
            "c",
            type="episode",
            owner="agent",
            scope="agent",
            agent_id="x",
            updated_at=DAY.format(3),
        ),
    )

    def found(**wanted: object) -> str:
        return "".join(each.content for each in records.select_records(db, Filter(**wanted)))

    assert found() == "cba"
    assert (
        found(statuses=("inbox",)) == "b"
        and found(kinds=("fix",)) == "a"
        and found(types=("episode", "profile")) == "c"
    )
    assert (
        found(agent_id="x") == "c"
        and found(min_confidence=0.8) == "a"
        and found(max_confidence=0.6) == "b"
    )
    assert (
        found(since=DAY.format(2), before=DAY.format(3)) == "b"
        and found(statuses=("active",), kinds=("fact",)) == "c"
    )
    assert [each.content for each in records.select_records(db, Filter(), limit=1, offset=1)] == [
        "b"
    ]


def test_rebuilding_the_index_gives_the_same_answers(db: Database) -> None:
    (known,) = add(db, memory("The bridge opens at noon"))
    before = lexical.score_record(db, ["bridge"], records.find_number(db, known))
    with db.write():
        assert records.rebuild_index(db) == 1
    assert lexical.score_record(db, ["bridge"], records.find_number(db, known)) == before


VOCABULARIES = {
    "type": TYPES,
    "scope": SCOPES,
    "status": STATUSES,
    "owner": OWNERS,
    "source_kind": SOURCE_KINDS,
}


@pytest.mark.parametrize("column", VOCABULARIES)
def test_the_schema_knows_exactly_the_words_of_the_model(db: Database, column: str) -> None:
    place = {"agent_id": "x", "session_id": "s"}
    for word in VOCABULARIES[column]:
        if word not in ("project", "repo") or column != "scope":
            add(db, memory(f"{column} {word}", **{**place, column: word}))
    with pytest.raises(IntegrityError):
        add(db, memory("other", **{**place, column: "other"}))


def test_the_schema_knows_exactly_the_relations_of_the_model(db: Database) -> None:
    text = next(row["sql"] for row in db.all("upkeep.objects") if row["name"] == "memory_links")
    assert f"relation IN ({', '.join(map(repr, RELATIONS))})" in text


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": ""},
        {"trust": 0},
        {"confidence": 1.1},
        {"scope": "project"},
        {"scope": "agent"},
        {"scope": "session"},
        {"decay_rate": -1.0},
    ],
)
def test_the_schema_refuses_what_cannot_be(db: Database, wrong: dict[str, object]) -> None:
    with pytest.raises(IntegrityError):
        add(db, memory(**{"content": "x", **wrong}))
    assert db.all("records.everything") == [] and db.all("event_log.everything") == []
