"""What a store keeps of changes that travel: their graph, their numbers, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from memctl.core.errors import StoreDamaged
from memctl.store import sync_appending, sync_changes, sync_group
from memctl.store.database import Database
from memctl.store.migrate import open_store

AT = "2026-03-04T05:06:07.000Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Database]:
    opened = open_store(tmp_path / "memory.db", create=True)
    yield opened
    opened.close()


def put(
    db: Database,
    name: str,
    *parents: str,
    subject: str = "S",
    state: str = "taken",
    stamp: int = 1,
) -> int | None:
    with db.write():
        return sync_changes.insert_change(
            db,
            id=name,
            replica="R",
            member="ada",
            subject=subject,
            stamp=stamp,
            parents=parents,
            body=name.encode() * 20,
            state=state,
        )


def number(db: Database, n: int | None, at: int, *, stream: str = "own:ada") -> bool:
    assert n is not None
    with db.write():
        return sync_changes.note_number(db, stream, "R", at, n)


def heads(db: Database) -> set[str]:
    return {*sync_changes.list_heads(db, "S")}


def test_a_change_is_kept_once_and_says_what_it_said(store: Database) -> None:
    first = put(store, "a")
    assert first and put(store, "a") is None
    kept = sync_changes.find_change(store, "a")
    assert kept and kept.body == b"a" * 20 and kept.n == first and kept.is_head


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")])
def test_heads_are_the_same_in_whatever_order_changes_come(
    store: Database, order: Sequence[str]
) -> None:
    parents = {"a": (), "b": ("a",), "c": ("a",)}
    for name in order:
        put(store, name, *parents[name])
    assert heads(store) == {"b", "c"}
    put(store, "d", "b", "c")
    assert heads(store) == {"d"}


def test_a_change_that_waits_is_no_head_until_its_parents_have_come(store: Database) -> None:
    put(store, "b", "a", state="waiting")
    put(store, "c", "b", state="waiting")
    assert heads(store) == set() and sync_changes.list_ready(store, 9) == []
    put(store, "a")
    assert heads(store) == {"a"}
    names = []
    with store.write():
        while ready := sync_changes.list_ready(store, 9):
            for each in ready:
                names.append(each.id)
                sync_changes.let_count(store, each)
    assert names == ["b", "c"] and heads(store) == {"c"}
    assert sync_changes.count_waiting(store) == 0


def test_the_vector_stops_before_a_gap_and_goes_on_once_it_is_filled(store: Database) -> None:
    ns = {name: put(store, name) for name in "abcd"}
    assert number(store, ns["a"], 1) and not number(store, ns["b"], 1)
    number(store, ns["c"], 3)
    number(store, ns["d"], 4)
    assert sync_changes.read_vector(store) == {("own:ada", "R"): 1}
    assert sync_changes.get_highest(store, "own:ada", "R") == 4
    number(store, ns["b"], 2)
    assert sync_changes.read_vector(store) == {("own:ada", "R"): 4}
    found = sync_changes.list_range(store, "own:ada", "R", 2, 3)
    assert [(each.number, each.id) for each in found] == [(2, "b"), (3, "c")]


def test_numbers_that_come_before_the_first_one_do_not_count_as_here(store: Database) -> None:
    number(store, put(store, "b"), 2)
    assert sync_changes.get_contiguous(store, "own:ada", "R") == 0
    number(store, put(store, "a"), 1)
    assert sync_changes.get_contiguous(store, "own:ada", "R") == 2


def test_a_change_may_stand_in_several_streams(store: Database) -> None:
    n = put(store, "a")
    assert n
    with store.write():
        sync_changes.put_subject(store, "S", "project:P", "ada")
        assert sync_changes.number_change(store, "own:ada", "R", n) == 1
        unnumbered = partial(sync_appending.list_unnumbered, store, "S", "ada")
        assert unnumbered(["own:ada", "project:P"]) == {"project:P": [n]}
        sync_changes.number_change(store, "project:P", "R", n)
        assert unnumbered(["own:ada", "project:P"]) == {}
    streams = [each.stream for each in sync_changes.list_numberings(store, n)]
    assert streams == ["own:ada", "project:P"]


def test_nothing_is_left_of_what_scrubbed_changes_said(store: Database) -> None:
    put(store, "a")
    put(store, "b", "a")
    put(store, "c", subject="other")
    with store.write():
        assert sync_changes.scrub_subject(store, "S") == 2
        assert sync_changes.scrub_subject(store, "S") == 0
    bodies = {each.id: each.body for each in sync_changes.list_after(store, 0, 9)}
    assert bodies == {"a": None, "b": None, "c": b"c" * 20} and heads(store) == {"b"}


def test_a_damaged_body_is_told_of(store: Database) -> None:
    packed = sync_changes.pack_body(b"words" * 9)
    assert sync_changes.unpack_body(packed) == b"words" * 9
    for damaged in (packed[:-6], b"", b"x" + packed):
        with pytest.raises(StoreDamaged):
            sync_changes.unpack_body(damaged)


def test_whose_a_subject_is_and_where_it_travels(store: Database) -> None:
    with store.write():
        assert sync_changes.put_subject(store, "S", "own:ada", "ada")
        assert not sync_changes.put_subject(store, "S", "own:ada", "ada")
        sync_changes.put_subject(store, "S", "project:P", "ada")
    assert sync_changes.find_subject(store, "S") == ("ada", ("own:ada", "project:P"))
    assert sync_changes.find_subject(store, "T") == (None, ())
    assert sync_changes.find_subjects(store, ["S", "T"]) == {"S": ("ada", ("own:ada", "project:P"))}
    assert list(sync_changes.iterate_subjects(store, "own:ada", size=1)) == [("S", "ada")]


def test_a_place_tells_since_when_it_fails(store: Database) -> None:
    later = AT.replace("05:06", "06:06")
    with store.write():
        sync_group.put_place(store, "/sync", "folder", is_encrypted=True, at=AT)
        sync_group.note_done(store, "/sync", {"sent": 3}, AT)
        sync_group.note_failed(store, "/sync", "not there", AT)
        sync_group.note_failed(store, "/sync", "not there", later)
    (place,) = sync_group.list_places(store)
    assert place.is_encrypted and place.done_at == AT and place.tried_at == later
    assert place.failing_since == AT and place.error == "not there"
    with store.write():
        sync_group.note_done(store, "/sync", {}, later)
    found = sync_group.find_place(store, "/sync")
    assert found and found.error is None and found.failing_since is None


def test_replicas_shares_and_sets_are_kept(store: Database) -> None:
    share = sync_group.StoredShare("P", "group", ("decision",), with_turns=True)
    with store.write():
        sync_group.put_replica(store, "R", "ada", is_own=True, card="{}", at=AT)
        sync_group.set_removal(store, "R", "{...}")
        sync_group.put_share(store, share, AT)
        sync_group.put_place(store, "/sync", "folder", is_encrypted=False, at=AT)
        for problem in ("breaks off", None):
            sync_group.put_set(
                store,
                "/sync",
                stream="own:ada",
                replica="R",
                first=1,
                last=4,
                digest="d",
                at=AT,
                problem=problem,
            )
    assert sync_group.list_shares(store) == {"P": share}
    (replica,) = sync_group.list_replicas(store)
    assert replica.is_own and replica.removal == "{...}"
    (seen,) = sync_group.list_sets(store, "/sync")
    assert seen.problem is None and (seen.first, seen.last) == (1, 4)
    with store.write():
        assert sync_group.drop_place(store, "/sync") and not sync_group.drop_place(store, "/sync")
    assert sync_group.list_sets(store, "/sync") == []
