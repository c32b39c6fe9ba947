"""Stream, links, evidence, entities, tombstones, sources, queue, projects: what each topic of
the store keeps true.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.model import EntityRef, Job, Link, Turn
from memctl.store import (
    entities,
    entity_lookup,
    event_log,
    evidence,
    links,
    logs,
    meta,
    projects,
    queue,
    rows,
    sources,
    tombstones,
)
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange.houses import DAY, add, add_source, bury, memory

AT = DAY.format(1)


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_store(tmp_path / "memory.db", create=True)


def note(db: Database, memory_id: str = "m", **changed: object) -> None:
    with db.write():
        event_log.append_change(
            db,
            memory_id,
            "edited",
            None,
            {"x": 1},
            **{"actor": "operator", "cause": "test", "at": AT, **changed},
        )


# -- the stream ---------------------------------------------------------------


def test_each_line_of_the_stream_is_chained_to_the_one_before(db: Database) -> None:
    for _ in range(3):
        note(db)
    chains = [row["chain"] for row in db.all("event_log.everything")]
    assert len(set(chains)) == 3 and event_log.find_broken_links(db) == []


def test_a_changed_line_breaks_the_chain_there_and_only_there(db: Database) -> None:
    for _ in range(4):
        note(db)
    db.script(
        "DROP TRIGGER memory_events_no_update; UPDATE memory_events SET cause = 'forged' WHERE "
        "seq = 2"
    )
    assert event_log.find_broken_links(db) == [2]


def test_a_removed_line_breaks_the_chain_after_it(db: Database) -> None:
    for _ in range(4):
        note(db)
    db.script("DROP TRIGGER memory_events_no_delete; DELETE FROM memory_events WHERE seq = 2")
    assert event_log.find_broken_links(db) == [3]


def test_the_past_is_replayed_up_to_a_time(db: Database) -> None:
    (known,) = add(db, memory("Then"))
    note(db, known, at=DAY.format(3))
    assert event_log.replay_fields(db, known, "2026-01-01T00:00:00.000Z") is None
    assert (
        "x" not in event_log.replay_fields(db, known, DAY.format(2))
        and event_log.replay_fields(db, known, DAY.format(3))["x"] == 1
    )
    assert (
        event_log.find_by_number(db, 1).memory_id == known
        and event_log.find_by_number(db, 99) is None
    )
    assert [event.verb for event in event_log.list_recent(db, limit=1)] == ["edited"]


# -- links, evidence, entities ------------------------------------------------


def test_a_link_stands_once_and_is_seen_from_both_ends(db: Database) -> None:
    a, b = add(db, memory("A"), memory("B"))
    link = Link("L1", a, "contradicts", b, "operator", AT)
    with db.write():
        assert links.insert_link(db, link) is True
        assert links.insert_link(db, replace(link, id="L2")) is False
    assert (
        links.list_of_memory(db, a)
        == links.list_of_memory(db, b)
        == links.list_open_contradictions(db)
        == [link]
    )
    with db.write():
        assert (
            links.settle_contradictions(db, b, AT) == 1
            and links.settle_contradictions(db, b, AT) == 0
        )
        assert links.list_open_contradictions(db) == []
        assert (
            links.delete_link(db, a, "contradicts", b) is True
            and links.delete_link(db, a, "contradicts", b) is False
        )


def test_evidence_comes_strongest_first_and_is_found_by_its_words(db: Database) -> None:
    a, b = add(db, memory("A", trust=2), memory("B", trust=5), quote="same words")
    assert evidence.list_memories_quoting(db, "same words", None) == [
        a,
        b,
    ] or evidence.list_memories_quoting(db, "same words", None) == [b, a]
    assert evidence.list_memories_quoting(db, "same words", "elsewhere") == []
    with db.write():
        stronger = replace(evidence.list_of_memory(db, a)[0], id="0", trust=5, quote="said so")
        evidence.insert_evidence(db, [stronger])
    assert [proof.trust for proof in evidence.list_of_memory(db, a)] == [5, 2]
    with db.write():
        evidence.withdraw_evidence(db, a, [proof.id for proof in evidence.list_of_memory(db, a)])
    assert evidence.list_of_memory(db, a) == [] and len(evidence.list_of_memory(db, b)) == 1, (
        "it vouches for nothing"
    )
    with db.write():
        evidence.restore_evidence(db, a, ["0"])
    assert [proof.id for proof in evidence.list_of_memory(db, a)] == ["0"], (
        "it stayed, and may vouch again"
    )


def test_an_alias_stands_for_its_entity(db: Database) -> None:
    (known,) = add(db, memory("Ada wrote it"))
    with db.write():
        ada = entities.ensure_entity(db, "person", "Ada", AT)
        entities.add_alias(db, "Countess", ada, None, AT)
        assert (
            entities.ensure_entity(db, "person", "countess", AT) == ada
            and entities.ensure_entity(db, "person", "ADA", AT) == ada
        )
        assert entities.ensure_entity(db, "tool", "Ada", AT) != ada
        entities.attach_entities(
            db, known, [EntityRef("person", "Countess"), EntityRef("person", "Ada")], AT
        )
    assert entity_lookup.list_refs_by_memory(db, [known]) == {known: [EntityRef("person", "Ada")]}


# -- what must not come back --------------------------------------------------


def test_a_verdict_is_found_by_content_words_and_record(db: Database) -> None:
    (known,) = add(db, memory("Wrong"))
    assert tombstones.find_tombstone(db, memory("Wrong").fingerprint, ["quoted"]) is None
    bury(db, known, "rejected", quote="quoted")
    for found in (
        tombstones.find_tombstone(db, memory("Wrong").fingerprint, []),
        tombstones.find_tombstone(db, "?", ["quoted"]),
        tombstones.find_of_memory(db, known),
    ):
        assert found is not None and found["verdict"] == "rejected"
    assert tombstones.find_tombstone(db, "?", ["other"]) is None
    with db.write():
        assert tombstones.lift_tombstone(db, known) == 1
    assert tombstones.find_of_memory(db, known) is None


def test_a_tombstone_has_no_content(db: Database) -> None:
    (known,) = add(db, memory("Wrong"))
    bury(db, known, quote="quoted words")
    assert not any("quoted words" in str(value) for value in db.all("tombstones.everything")[0])


# -- sources ------------------------------------------------------------------

TURNS = st.lists(
    st.builds(
        Turn,
        seq=st.integers(0, 99),
        role=st.sampled_from(["human", "assistant", "tool"]),
        kind=st.just("text"),
        text=st.text(),
        ts=st.none() | st.text(max_size=5),
        ok=st.none() | st.booleans(),
        data=st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    ),
    max_size=5,
)


@given(TURNS)
def test_turns_come_back_as_they_were_packed(turns: list[Turn]) -> None:
    assert sources.unpack_turns(sources.pack_turns(turns)) == turns


def test_a_source_grows_by_parts(db: Database) -> None:
    turns = tuple(Turn(n, "human", "text", str(n)) for n in range(5))
    with db.write():
        source = add_source(db, "s", turns=turns[:2], raw=b"original")
        sources.add_turns(db, source.id, turns[2:], AT)
        longer = replace(
            source, turn_count=5, size_bytes=200, updated_at=DAY.format(2), unknown={"odd": 2}
        )
        sources.grow_source(db, longer)
    assert tuple(sources.read_turns(db, source.id)) == turns
    assert (
        sources.get_source(db, source.id) == longer
        and sources.read_original(db, source.id) == b"original"
    )
    assert (
        sources.list_of_session(db, "testpilot", "s")
        == sources.list_by_hash(db, "c0ffee")
        == [longer]
    )
    assert sources.resolve_source(db, source.id[:20].lower()) == longer


def test_the_same_words_have_the_same_hash_whatever_else_differs() -> None:
    turn = Turn(0, "human", "text", "hello")
    assert sources.compute_turns_hash([turn]) == sources.compute_turns_hash(
        [replace(turn, seq=9, ts="later", line=3)]
    )
    assert sources.compute_turns_hash([turn]) != sources.compute_turns_hash(
        [replace(turn, text="hullo")]
    )


# -- the queue ----------------------------------------------------------------


def job(name: str = "J", **changed: object) -> Job:
    return Job(
        **{
            "id": name * 26,
            "trigger": "t",
            "actor": "a",
            "state": "queued",
            "attempts": 0,
            "not_before": AT,
            "created_at": AT,
            "updated_at": AT,
            **changed,
        }
    )


def lease(db: Database, owner: str, now: str = DAY.format(2), seconds: int = 60) -> Job | None:
    with db.write():
        return queue.lease_job(db, owner=owner, now=now, seconds=seconds)


def test_a_job_has_one_holder_at_a_time(db: Database) -> None:
    with db.write():
        queue.add_job(db, job())
    assert lease(db, "one").attempts == 1
    assert lease(db, "two") is None
    assert lease(db, "two", now=DAY.format(3)).attempts == 2, "a lease that ran out is taken over"


def test_a_job_is_not_due_before_its_time(db: Database) -> None:
    with db.write():
        queue.add_job(db, job(not_before=DAY.format(5)))
    assert lease(db, "one") is None and lease(db, "one", now=DAY.format(5)) is not None


def test_only_its_holder_ends_a_job(db: Database) -> None:
    with db.write():
        queue.add_job(db, job())
    held = lease(db, "one")
    ended = {"now": DAY.format(2), "outcome": {"proposed": 1}, "processor": "x", "version": "1"}
    with db.write():
        queue.finish_job(db, held, owner="two", **ended)
    assert queue.count_by_state(db) == {"leased": 1}
    with db.write():
        queue.finish_job(db, held, owner="one", **ended)
    assert queue.count_by_state(db) == {"done": 1} and queue.list_recent(db, limit=1)[
        0
    ].outcome == {"proposed": 1}


def test_a_failing_job_waits_longer_each_time_then_dies_and_is_kept(db: Database) -> None:
    with db.write():
        queue.add_job(db, job())
    now, due = DAY.format(2), []
    for _ in range(3):
        held = lease(db, "one", now="2026-12-01T00:00:00.000Z")
        with db.write():
            state = queue.fail_job(db, held, owner="one", now=now, error="no", max_attempts=3)
        due.append(queue.list_recent(db, limit=1)[0].not_before)
    assert (
        state == "dead"
        and due == sorted(set(due))
        and lease(db, "one", now="2999-01-01T00:00:00.000Z") is None
    )
    with db.write():
        assert queue.retry_all(db, now) == 1
    assert lease(db, "one").attempts == 1


# -- projects, logs, notes ----------------------------------------------------


def test_a_project_is_found_by_name_alias_and_id(db: Database) -> None:
    with db.write():
        project = projects.insert(db, "Orrery", "/src", AT)
        assert projects.add_alias(db, project.id, "name", "planets", AT) is True
        other = projects.insert(db, "Sundial", None, AT)
        assert projects.add_alias(db, other.id, "name", "planets", AT) is False, (
            "an alias that is taken stays where it is"
        )
    for text in ("orrery", "Planets", project.id[:20].lower()):
        assert projects.named(db, text).id == project.id
    with pytest.raises(NotFound):
        projects.named(db, "nothing")
    with db.write():
        projects.adopt(db, project.id, other.id, AT)
    assert projects.named(db, "planets").id == other.id and [
        each.id for each in projects.everything(db)
    ] == [other.id]


def test_a_link_of_projects_goes_both_ways(db: Database) -> None:
    with db.write():
        a, b = (projects.insert(db, name, None, AT).id for name in "AB")
        projects.link(db, a, b, None, AT)
    assert (projects.linked(db, a), projects.linked(db, b)) == ([b], [a])
    with db.write():
        assert projects.unlink(db, b, a) is True and projects.unlink(db, b, a) is False


def test_logs_are_pruned_by_age(db: Database) -> None:
    entry = {
        "command": "search",
        "query": "q",
        "filters": {},
        "candidates": [],
        "returned": [],
        "actor": "a",
        "flags": [],
        "duration_ms": 1.0,
    }
    with db.write():
        for n in (1, 2):
            logs.insert_log(db, {**entry, "id": str(n) * 26, "at": DAY.format(n)})
        assert logs.prune_logs(db, DAY.format(2)) == 1
    assert logs.resolve_log(db, "2" * 6)["at"] == DAY.format(2)
    with pytest.raises(NotFound):
        logs.resolve_log(db, "1")


def test_a_note_is_overwritten(db: Database) -> None:
    with db.write():
        meta.put_note(db, "k", "1")
        meta.put_note(db, "k", "2")
    assert (meta.get_note(db, "k"), meta.get_note(db, "other")) == ("2", None)


# -- rows ---------------------------------------------------------------------


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3)))
def test_equal_values_have_equal_text(value: dict) -> None:
    assert rows.to_canonical_json(value) == rows.to_canonical_json(dict(reversed(value.items())))


def test_only_what_differs_is_called_changed() -> None:
    assert rows.compute_changes({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}) == (
        {"b": 2, "c": None},
        {"b": 3, "c": 4},
    )
