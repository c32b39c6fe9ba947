"""Contradictions are shown with what would settle them, and settled as one change that one
revert takes back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bench import Bench

from memctl.core.errors import NotFound, UsageError
from memctl.core.model import Memory, Place
from memctl.store import event_log, links, records, tombstones

MAIN, TRUNK, DEVELOP = (
    "The default branch is main",
    "The default branch is trunk",
    "The default branch is develop",
)
NOWHERE = Place()


def pair(bench: Bench, **given: Any) -> tuple[Memory, Memory]:
    """Two records of the operator that cannot both hold, the older first."""
    return bench.put(MAIN, observed_at="2026-01-05", **given), bench.put(
        TRUNK, observed_at="2026-02-05", **given
    )


def settle(
    bench: Bench,
    *ids: str,
    by: Any = None,
    reason: str | None = None,
    dry_run: bool = False,
    **how: Any,
) -> Any:
    return (by or bench.operator).conflicts.resolve(
        ids, NOWHERE, **how, reason=reason, dry_run=dry_run
    )


def states(bench: Bench, *memories: Memory) -> list[str]:
    return [bench.state(memory) for memory in memories]


# -- what is shown ------------------------------------------------------------


def test_both_sides_are_shown_with_their_words_their_trust_and_what_would_settle_it(
    bench: Bench,
) -> None:
    old, new = pair(bench)
    [conflict] = bench.operator.conflicts.list().items
    assert [
        (side.id, side.text, side.trust, side.observed_at[:10], side.evidence)
        for side in conflict.sides
    ] == [
        (old.id, MAIN, 5, "2026-01-05", 1),
        (new.id, TRUNK, 5, "2026-02-05", 1),
    ]
    assert (conflict.newer, conflict.reason) == (
        new.id,
        "the operator's newer word on the same subject",
    )
    assert (
        conflict.commands[0]
        == f"memctl resolve --supersede {conflict.sides[1].short} {conflict.sides[0].short}"
    )
    assert all(side.short in " ".join(conflict.commands) for side in conflict.sides)


def test_a_settled_contradiction_is_shown_only_when_asked_for(bench: Bench) -> None:
    old, new = pair(bench)
    settle(bench, old.id, new.id, keep=new.id)
    assert bench.operator.conflicts.list().items == ()
    [conflict] = bench.operator.conflicts.list(settled=True).items
    assert conflict.resolved_at and conflict.commands == ()


def test_only_the_contradictions_of_a_project_are_shown_when_one_is_named(bench: Bench) -> None:
    pair(bench)
    bench.operator.init(project=bench.home)
    place = bench.operator.place(bench.home)
    assert bench.operator.conflicts.list(place).items == ()
    assert len(bench.operator.conflicts.list().items) == 1


# -- how it is settled --------------------------------------------------------


def test_what_is_kept_takes_the_place_of_the_other_which_stays_readable(bench: Bench) -> None:
    old, new = pair(bench)
    report = settle(bench, old.id, new.id, keep=old.id[:14], reason="measured again")
    assert (report.way, [step.action for step in report.steps]) == ("keep", ["supersede"])
    assert states(bench, old, new) == ["active", "superseded"]
    shown = bench.operator.records.show(new.id)
    assert (shown.superseded_by, shown.memory.content, len(shown.evidence)) == (old.id, TRUNK, 1)
    assert [link.reason for link in shown.links if link.relation == "supersedes"] == [
        "measured again"
    ]
    bench.check()


def test_the_new_record_is_put_in_the_place_of_the_old_one_without_naming_the_pair_twice(
    bench: Bench,
) -> None:
    old, new = pair(bench)
    settle(bench, supersede=(new.id, old.id))
    assert states(bench, old, new) == ["superseded", "active"]
    bench.check()


def test_both_hold_at_other_times(bench: Bench) -> None:
    old, new = pair(bench)
    settle(
        bench,
        old.id,
        new.id,
        both=True,
        ends={old.id: "2026-02-01"},
        starts={new.id: "2026-02-01"},
        reason="renamed",
    )
    assert states(bench, old, new) == ["active", "active"]
    assert (
        (bench.get(old).valid_until or "")[:10]
        == (bench.get(new).valid_from or "")[:10]
        == "2026-02-01"
    )
    assert bench.operator.consolidate().steps == ()
    bench.check()


def test_both_hold_in_other_places(bench: Bench) -> None:
    bench.operator.init(project=bench.home)
    place = bench.operator.place(bench.home)
    old, new = pair(bench)
    bench.operator.conflicts.resolve((old.id, new.id), place, both=True, scopes={new.id: "project"})
    moved = bench.get(new)
    assert (moved.scope, moved.project_id, states(bench, old, new)) == (
        "project",
        place.project_id,
        ["active", "active"],
    )
    assert moved.fingerprint != new.fingerprint
    bench.check()


def test_what_was_dismissed_is_not_said_again_by_consolidation(bench: Bench) -> None:
    old, new = pair(bench)
    settle(bench, old.id, new.id, dismiss=True, reason="two services")
    assert states(bench, old, new) == ["active", "active"]
    assert bench.operator.consolidate().steps == ()
    [link] = links.list_of_memory(bench.db, old.id)
    assert links.is_dismissed(link) and "two services" in (link.reason or "")
    bench.check()


def test_a_candidate_that_is_kept_is_approved_and_one_that_is_not_is_rejected_for_good(
    bench: Bench,
) -> None:
    active = bench.put(MAIN)
    bench.take(("user", f"fact {TRUNK}"))
    # The candidate is the project's, the record is everyone's: they meet once both are.
    candidate = bench.one("inbox")
    with bench.db.write():
        moved = records.resolve_record(bench.db, active.id)
        bench.operator.records.link(candidate.id, "contradicts", moved.id)
    settle(bench, active.id, keep=candidate.id)
    assert states(bench, active, candidate) == ["superseded", "active"]
    bench.check()


def test_the_side_that_is_not_kept_never_comes_back_if_it_was_a_candidate(bench: Bench) -> None:
    bench.take(("user", f"fact {MAIN}"))
    known = bench.one("inbox")
    bench.operator.promote([known.id])
    bench.take(("assistant", f"claim {TRUNK}"), session="another")
    candidate = bench.one("inbox")
    settle(bench, known.id, candidate.id, keep=known.id)
    assert states(bench, known, candidate) == ["active", "archived"]
    assert tombstones.find_of_memory(bench.db, candidate.id)
    bench.take(("assistant", f"claim {TRUNK}"), session="a third")
    assert [memory for memory in bench.all("inbox") if memory.type != "episode"] == []
    bench.check()


def test_a_dry_run_shows_the_steps_and_writes_nothing(bench: Bench) -> None:
    old, new = pair(bench)
    before = len(event_log.list_recent(bench.db, limit=100))
    planned = settle(bench, old.id, new.id, keep=new.id, dry_run=True)
    assert len(event_log.list_recent(bench.db, limit=100)) == before and states(
        bench, old, new
    ) == [
        "contradicted",
        "contradicted",
    ]
    assert planned.steps == settle(bench, old.id, new.id, keep=new.id).steps


WAYS: list[Callable[[Memory, Memory], dict[str, Any]]] = [
    lambda old, new: {"keep": new.id},
    lambda old, new: {"keep": old.id},
    lambda old, new: {"supersede": (new.id, old.id)},
    lambda old, new: {"both": True, "ends": {old.id: "2026-02-01"}},
    lambda old, new: {"dismiss": True},
]


@pytest.mark.parametrize("how", WAYS, ids=range(len(WAYS)))
def test_one_revert_takes_the_whole_settlement_back(
    bench: Bench, how: Callable[[Memory, Memory], dict[str, Any]]
) -> None:
    old, new = pair(bench)
    before = {memory.id: records.extract_history_fields(bench.get(memory)) for memory in (old, new)}
    settle(bench, old.id, new.id, **how(old, new))
    last = max(
        event.seq
        for memory in (old, new)
        for event in event_log.list_of_memory(bench.db, memory.id, whole=True)
    )
    bench.operator.revert(str(last))
    for memory in (old, new):
        after = records.extract_history_fields(bench.get(memory))
        assert {key for key in after if after[key] != before[memory.id][key]} <= {"updated_at"}
    [conflict] = bench.operator.conflicts.list().items
    assert {side.id for side in conflict.sides} == {old.id, new.id}
    bench.check()


# -- what is refused ----------------------------------------------------------


@pytest.mark.parametrize("how", WAYS, ids=range(len(WAYS)))
def test_an_agent_settles_nothing_that_the_operator_said(
    bench: Bench, how: Callable[[Memory, Memory], dict[str, Any]]
) -> None:
    old, new = pair(bench)
    planned = settle(bench, old.id, new.id, by=bench.agent, dry_run=True, **how(old, new))
    assert planned.proposed and planned.proposal is None
    done = settle(bench, old.id, new.id, by=bench.agent, **how(old, new))
    assert states(bench, old, new) == ["contradicted", "contradicted"]
    [waiting] = bench.operator.inbox.list().proposals
    assert done.proposed and waiting.id == done.proposal
    bench.operator.inbox.accept_proposals([waiting.id])
    assert bench.operator.conflicts.list().items == ()
    bench.check()


def test_an_agent_settles_what_agents_claimed(bench: Bench) -> None:
    old, new = pair(bench, by=bench.agent)
    settle(bench, old.id, new.id, by=bench.agent, keep=new.id)
    assert states(bench, old, new) == ["superseded", "active"]
    bench.check()


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"keep": "A", "dismiss": True},
        {"keep": "A", "ends": {"A": "2026-01-01"}},
        {"keep": "01NOBODY"},
        {"keep": ""},
        {"both": True, "ends": {"A": "soon"}},
        {"both": True, "scopes": {"A": "galaxy"}},
        {"both": True, "scopes": {"A": "project"}},
        {"both": True, "scopes": {"A": "agent"}},
        {"both": True, "starts": {"A": "2026-02-01"}, "ends": {"A": "2026-01-01"}},
        {"supersede": ("A", "A")},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_a_usage_error(bench: Bench, how: dict[str, Any]) -> None:
    old, new = pair(bench)

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return dict.fromkeys([old.id], *value.values())
        return (
            tuple(map(named, value))
            if isinstance(value, tuple)
            else old.id
            if value == "A"
            else value
        )

    with pytest.raises(UsageError):
        settle(bench, old.id, new.id, **{name: named(value) for name, value in how.items()})
    assert states(bench, old, new) == ["contradicted", "contradicted"]


def test_records_that_do_not_contradict_each_other_are_not_settled(bench: Bench) -> None:
    old, new = pair(bench)
    other = bench.put("The kiln stands in the barn")
    with pytest.raises(NotFound, match="do not contradict"):
        settle(bench, old.id, other.id, keep=old.id)
    with pytest.raises(UsageError, match="0 open contradictions"):
        settle(bench, other.id, keep=other.id)
    settle(bench, old.id, new.id, dismiss=True)
    with pytest.raises(UsageError, match="resolved"):
        settle(bench, old.id, new.id, dismiss=True)


def test_of_several_contradictions_of_one_record_the_one_meant_must_be_named(bench: Bench) -> None:
    old, new = pair(bench)
    bench.put(DEVELOP)
    with pytest.raises(UsageError, match="2 open contradictions"):
        settle(bench, old.id, keep=old.id)
    [link] = [
        link
        for link in links.list_of_memory(bench.db, old.id)
        if new.id in (link.from_id, link.to_id)
    ]
    settle(bench, link.id, keep=old.id)
    assert states(bench, old, new) == ["contradicted", "superseded"]
    bench.check()
