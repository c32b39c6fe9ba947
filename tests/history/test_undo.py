"""Which changes go together when one is undone, and what rows come to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memctl.core.model import Event
from memctl.history import undo
from memctl.history.replay import Replay, replay_events


def event(
    seq: int,
    memory_id: str,
    before: Any,
    after: Any,
    *,
    operation: str | None = None,
    verb: str = "edited",
    **more: Any,
) -> Event:
    return Event(
        seq,
        memory_id,
        verb,
        before,
        after,
        "operator",
        "test",
        f"2026-03-01T00:00:{seq:02d}.000Z",
        operation=operation,
        **more,
    )


class Told:
    """A stream that is all in memory."""

    def __init__(
        self, events: Iterable[Event], children: dict[str, list[str]] | None = None
    ) -> None:
        self.events, self.children = list(events), children or {}

    def list_operation(self, one: Event) -> list[Event]:
        return [each for each in self.events if one.operation and each.operation == one.operation]

    def list_later(self, one: Event) -> list[Event]:
        return [each for each in self.events if each.memory_id == one.memory_id]

    def list_derived(self, memory_id: str) -> list[Event]:
        made = self.children.get(memory_id, [])
        return [each for each in self.events if each.memory_id in made and undo.is_creation(each)]


def numbers(
    events: list[Event], *chosen: int, children: dict[str, list[str]] | None = None
) -> list[int]:
    picked = [each for each in events if each.seq in chosen]
    return [undoing.event.seq for undoing in undo.gather_undoings(picked, Told(events, children))]


MADE = event(1, "A", None, {"content": "one", "status": "active"}, verb="created")


def test_what_was_made_as_one_is_undone_as_one() -> None:
    events = [
        MADE,
        event(2, "B", {"status": "active"}, {"status": "superseded"}, operation="x"),
        event(3, "A", {"kind": "a"}, {"kind": "b"}, operation="x"),
    ]
    assert numbers(events, 2) == [3, 2]


def test_a_later_change_to_the_same_words_goes_too_and_one_to_others_stays() -> None:
    events = [
        MADE,
        event(2, "A", {"content": "one"}, {"content": "two"}),
        event(3, "A", {"kind": "fact"}, {"kind": "idea"}),
        event(4, "A", {"content": "two"}, {"content": "three"}),
    ]
    assert numbers(events, 2) == [4, 2]
    assert numbers(events, 3) == [3]


def test_what_several_changes_move_one_after_the_other_is_not_built_upon() -> None:
    events = [
        MADE,
        event(2, "A", {"confidence": 0.5}, {"confidence": 0.6}),
        event(3, "A", {"confidence": 0.6}, {"confidence": 0.7}),
    ]
    assert numbers(events, 2) == [2]
    assert undo.undo_change({"confidence": 0.7}, events[1]) == {"confidence": 0.7}, (
        "what was set since by something that stays is left"
    )


def test_with_a_beginning_goes_all_that_came_of_it() -> None:
    events = [
        MADE,
        event(2, "A", {"status": "inbox"}, {"status": "active"}),
        event(3, "C", None, {"content": "drawn from it"}, verb="created"),
    ]
    assert numbers(events, 1, children={"A": ["C"]}) == [3, 2, 1]


def test_words_that_were_taken_out_for_good_do_not_come_back() -> None:
    events = [
        MADE,
        event(2, "A", None, {"content": "[REDACTED]"}, verb="redacted"),
        event(3, "A", None, None, verb="purged"),
    ]
    assert numbers(events, 2, 3) == []


def test_an_undone_beginning_is_archived_and_not_gone() -> None:
    row = undo.undo_change({"content": "one", "status": "active"}, MADE)
    assert row == {"content": "one", "status": "archived", "status_reason": undo.CREATION_UNDONE}


def test_a_row_that_ended_is_back_and_one_that_began_is_gone() -> None:
    ended, begun = (
        event(1, "A", {"id": "L"}, None, topic="link", item="L"),
        event(2, "A", None, {"id": "L"}, topic="link", item="L"),
    )
    assert undo.undo_change(None, ended) == {"id": "L"}
    assert undo.undo_change({"id": "L"}, begun) is None


FIELDS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), min_size=1)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """A record's life: a beginning, and changes that each say truly what was before."""
    state: dict[str, Any] = {"status": "active", "a": 0, "b": 0, "c": 0}
    events = [event(1, "A", None, dict(state), verb="created")]
    for seq, change in enumerate(draw(st.lists(FIELDS, max_size=8)), 2):
        events.append(
            event(
                seq,
                "A",
                {name: state[name] for name in change},
                dict(change),
                operation=draw(st.sampled_from([None, "x", "y"])),
            )
        )
        state |= change
    return events


def state_of(events: Iterable[Event]) -> dict[str, Any]:
    return replay_events(events).records["A"]


@given(histories(), st.integers(1, 9))
def test_undoing_leaves_what_the_other_changes_alone_would_have_made(
    events: list[Event], place: int
) -> None:
    chosen = events[min(place, len(events) - 1)] if len(events) > 1 else None
    if chosen is None:
        return
    gathered = undo.gather_undoings([chosen], Told(events))
    row: Any = dict(state_of(events))
    for undoing in gathered:
        row = undo.undo_change(row, undoing.event)
    gone = {undoing.event.seq for undoing in gathered}
    assert row == state_of(each for each in events if each.seq not in gone)


@given(histories())
def test_undoing_all_leaves_nothing_living(events: list[Event]) -> None:
    row: Any = dict(state_of(events))
    for undoing in undo.gather_undoings(events, Told(events)):
        row = undo.undo_change(row, undoing.event)
    assert row["status"] == "archived"


def test_a_purged_record_is_nothing_but_its_verdict_stays() -> None:
    verdict = {"fingerprint": "f", "memory_id": "A"}
    state = Replay()
    for each in (
        MADE,
        event(2, "A", None, verdict, topic="tombstone", item="f|A"),
        event(3, "A", None, {"ids": ["E"]}, topic="evidence", item="A"),
        event(4, "A", None, None, verb="purged"),
    ):
        state.apply(each)
    assert (state.records, state.evidence, list(state.rows)) == ({}, {}, [("tombstone", "f|A")])
