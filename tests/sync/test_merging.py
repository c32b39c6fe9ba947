"""What the changes of a subject come to: the same for whoever has the same set, nothing lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.sync.change import Change
from memctl.sync.copies import REASON, compute_copy_id, derive_copies
from memctl.sync.merging import ChangeGraph, break_circles, merge_subject
from tests.sync.changes import RECORD, Replica, edit, gather, histories


def begin(*names: str) -> list[Replica]:
    world = [Replica(name, at) for name, at in zip(names, (900_000, 5, 400), strict=False)]
    first = world[0].make(("created", {}))
    for each in world[1:]:
        each.take([first])
    return world


def meet(*world: Replica) -> None:
    everything = gather(world)
    for each in world:
        each.take(everything)


def words(state: Any) -> str:
    return str(state.fields["content"])


@given(histories(with_purge=True), st.randoms(use_true_random=False))
def test_order_repetition_and_portions_do_not_matter(world: list[Replica], chance: Any) -> None:
    changes = gather(world)
    expected, copies = merge_subject(changes), derive_copies(ChangeGraph(changes), RECORD)
    mixed = [*changes, *chance.sample(changes, chance.randrange(len(changes) + 1))]
    chance.shuffle(mixed)
    assert merge_subject(mixed) == expected
    assert derive_copies(ChangeGraph(mixed), RECORD) == copies
    held: dict[str, Change] = {}
    while mixed:
        portion = [mixed.pop() for _ in range(chance.randint(1, len(mixed)))]
        held |= {each.id: each for each in portion}
        merge_subject(held.values())
    assert merge_subject(held.values()) == expected


@given(histories())
def test_a_change_overrules_what_it_had_seen_whatever_the_clocks_say(world: list[Replica]) -> None:
    one = world[-1]
    meet(*world)
    one.clock = 0
    one.make(edit("the last word"))
    one.make(("status", {"status": "inbox", "status_reason": "again"}))
    one.make(("pin", {"protected": False}))
    assert words(one.state) == "the last word"
    fields = one.state.fields or {}
    assert (fields["status"], fields["protected"]) == ("inbox", False)


@given(histories())
def test_no_words_are_lost(world: list[Replica]) -> None:
    graph = ChangeGraph(gather(world))
    state = merge_subject(graph.changes)
    copied = {
        event.after["content"]
        for each in derive_copies(graph, RECORD)
        for event in each.events
        if event.after and "content" in event.after
    }
    writers = graph.list_writers(("record", "statement"))
    for number in writers:
        content = (graph.read_written(("record", "statement"), number) or {})["content"]
        was_overtaken = any(graph.before[later] >> number & 1 for later in writers)
        assert content == words(state) or content in copied or was_overtaken


@given(histories(), st.randoms(use_true_random=False))
def test_copies_only_grow(world: list[Replica], chance: Any) -> None:
    everything = sorted(gather(world), key=lambda each: each.order)
    # What a replica has is always complete: no change without those it follows.
    some = [each for each in world if len(each.has) < len(everything)] or world
    part = [*chance.choice(some).has.values()]
    derived = {each.id for each in derive_copies(ChangeGraph(part), RECORD)}
    assert derived <= {each.id for each in derive_copies(ChangeGraph(everything), RECORD)}


@given(histories())
def test_one_history_without_forks_is_what_its_events_say_one_after_the_other(
    world: list[Replica],
) -> None:
    only = Replica("Z", 5)
    for each in gather(world):
        event = each.events[0]
        told: Any = (event.verb, event.after)
        if event.topic == "mention":
            told = (event.verb, (event.topic, event.item, event.after))
        only.make(told, event.actor)
    fields: dict[str, Any] = {}
    for each in sorted(only.has.values(), key=lambda change: change.order):
        if each.events[0].topic == "record":
            fields |= each.events[0].after or {}
    assert only.state.fields == fields
    assert only.derive() == []


@given(histories(with_purge=True))
def test_a_purge_is_final(world: list[Replica]) -> None:
    world[0].make(("", None), purge=True)
    late = world[-1].make(edit("written without knowing of it"))
    for changes in (gather(world), [*gather(world), late]):
        state = merge_subject(changes)
        assert state.is_purged and state.fields is None and not state.rows
        assert derive_copies(ChangeGraph(changes), RECORD) == []


def test_words_of_two_machines_are_both_there() -> None:
    a, b = begin("A", "B")
    a.clock += 50
    late, early = a.make(edit("by the late clock")), b.make(edit("by the early clock"))
    meet(a, b)
    assert words(a.state) == words(b.state) == "by the late clock"
    (copy,) = a.derive()
    record, evidence, link = copy.events
    assert record.after and record.after["content"] == "by the early clock"
    assert record.after["id"] == copy.subject < RECORD
    assert evidence.after and evidence.after["quote"] == "by the early clock"
    assert link.after and (link.after["to_id"], link.after["reason"]) == (RECORD, REASON)
    assert early.stamp < late.stamp


def test_equal_words_of_two_machines_are_no_conflict() -> None:
    a, b = begin("A", "B")
    a.make(edit("the same"))
    b.make(edit("the same"))
    meet(a, b)
    assert words(a.state) == "the same" and a.derive() == []


def test_a_person_goes_before_maintenance_whatever_the_clock_says() -> None:
    a, b = begin("A", "B")
    a.make(edit("by maintenance"), "maintain")
    b.make(edit("by a person"))
    meet(a, b)
    assert words(a.state) == "by a person"
    assert [each.events[0].after["content"] for each in a.derive() if each.events[0].after] == [
        "by maintenance"
    ]


def test_words_of_a_record_that_was_rejected_at_once_do_not_come_back_as_a_copy() -> None:
    a, b, c = begin("A", "B", "C")
    a.make(edit("red"))
    b.make(edit("green"))
    c.make(("rejected", {"status": "archived", "status_reason": "rejected"}))
    meet(a, b, c)
    copy, end = a.derive()
    assert merge_subject([copy]).fields["status"] == "active"  # type: ignore[index]
    assert merge_subject([copy, end]).fields["status"] == "archived"  # type: ignore[index]
    assert (a.state.fields or {})["status"] == "archived"


def test_two_that_lost_with_the_same_words_are_one_copy() -> None:
    a, b, c = begin("A", "B", "C")
    a.clock += 50
    a.make(edit("the late one"))
    b.make(edit("the same"))
    c.make(edit("the same"))
    meet(a, b, c)
    roots = a.derive()
    assert len(roots) == 2 and len({each.subject for each in roots}) == 1
    assert compute_copy_id(RECORD, roots[0].events[0].after or {}) == roots[0].subject


@pytest.mark.parametrize(
    ("one", "other", "wins"),
    [
        (("status", "archived"), ("status", "active"), "archived"),
        (("status", "superseded"), ("status", "active"), "superseded"),
        (("status", "inbox"), ("status", "active"), "active"),
        (("status", "archived"), ("status", "superseded"), "archived"),
    ],
)
def test_who_takes_a_record_out_of_use_has_it_their_way(
    one: tuple[str, str], other: tuple[str, str], wins: str
) -> None:
    a, b = begin("A", "B")
    for replica, (verb, status) in ((a, one), (b, other)):
        replica.make((verb, {"status": status, "status_reason": status}))
    meet(a, b)
    assert (a.state.fields or {})["status"] == wins
    assert (a.state.fields or {})["status_reason"] == wins


def test_a_tag_that_was_given_anew_is_kept_and_a_name_that_was_taken_off_is_not() -> None:
    a, b = begin("A", "B")
    tag, name = f"{RECORD}|concept|#a|#a", f"{RECORD}|person|Ada|Ada"
    a.make(("tag", ("mention", tag, {})))
    a.make(("name", ("mention", name, {})))
    meet(a, b)
    for item in (tag, name):
        a.make(("taken off", ("mention", item, None)))
        b.make(("given", ("mention", item, {})))
    meet(a, b)
    assert a.state.rows["mention", tag] == {} and a.state.rows["mention", name] is None


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_nothing_supersedes_itself_once_circles_are_broken(
    pairs: Sequence[tuple[int, int]],
) -> None:
    links = {(str(newer), str(older)) for newer, older in pairs if newer != older}
    dropped = break_circles(links)
    assert dropped <= links and break_circles(links - dropped) == set()
    assert break_circles(sorted(links, reverse=True)) == dropped


def test_of_a_pair_that_superseded_each_other_the_later_record_stays() -> None:
    assert break_circles([("A", "B"), ("B", "A"), ("C", "A")]) == {("A", "B")}
