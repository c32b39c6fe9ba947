"""Proposals of maintenance: asked once, settled by the operator alone, each settling one
operation.
"""

from __future__ import annotations

from typing import Any

import pytest
from bench import Bench

from memctl.core.errors import NotFound, RefusedByPolicy
from memctl.core.model import NewMemory
from memctl.curate import proposal_decisions
from memctl.records import proposals
from memctl.store import checksums, event_log, records
from memctl.store import proposals as stored


@pytest.fixture
def fact(bench: Bench) -> str:
    """The id of an active fact."""
    return (
        bench.operator.ingest([NewMemory(type="project", content="The depot is painted green")])
        .items[0]
        .record.memory.id
    )


def ask(bench: Bench, about: str, **more: Any) -> str | None:
    return proposals.offer_proposal(
        bench.db, "archive", about, reason="not used for 300 days", actor="maintain", **more
    )


def test_the_same_is_asked_only_once(bench: Bench, fact: str) -> None:
    assert ask(bench, fact)
    assert ask(bench, fact) is None
    assert len(proposals.list_open(bench.db)) == 1


def test_an_accepted_proposal_archives_the_record_as_one_operation(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact)
    report = bench.operator.inbox.accept_proposals([asked[:12] if asked else ""])
    assert [view.memory.status for view in report.changed] == ["archived"]
    assert [one.state for one in report.proposals] == ["accepted"]
    events = [
        event
        for event in event_log.list_of_memory(bench.db, fact, whole=True)
        if event.cause == f"proposal {asked}"
    ]
    assert {event.topic for event in events} == {"record", "proposal"}
    assert len({event.operation for event in events}) == 1


def test_what_was_declined_stays_and_is_not_asked_again_before_its_time(
    bench: Bench, fact: str
) -> None:
    asked = ask(bench, fact)
    bench.operator.inbox.decline_proposals([asked or ""])
    assert records.get_record(bench.db, fact).status == "active"
    assert ask(bench, fact) is None
    assert ask(bench, fact, again_after="2000-01-01") is None
    assert ask(bench, fact, again_after="2999-01-01")


def test_what_was_withdrawn_may_be_asked_again(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact)
    proposals.withdraw_proposal(
        bench.db, stored.get_proposal(bench.db, asked or ""), actor="maintain"
    )
    assert not proposals.list_open(bench.db)
    assert ask(bench, fact)


def test_only_the_operator_settles(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact) or ""
    with pytest.raises(RefusedByPolicy):
        bench.agent.inbox.accept_proposals([asked])
    with pytest.raises(RefusedByPolicy):
        bench.agent.inbox.decline_proposals([asked])
    assert [one.id for one in proposals.list_open(bench.db)] == [asked]


def test_a_settled_proposal_cannot_be_settled_again(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact) or ""
    bench.operator.inbox.decline_proposals([asked])
    with pytest.raises(RefusedByPolicy):
        bench.operator.inbox.accept_proposals([asked])
    with pytest.raises(NotFound):
        bench.operator.inbox.accept_proposals(["01NOTHING"])


def test_what_cannot_be_done_any_more_is_refused_and_stays_open(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact) or ""
    bench.operator.forget([fact])
    report = bench.operator.inbox.accept_proposals([asked])
    assert not report.changed and [refusal.id for refusal in report.refused] == [asked]
    assert [one.id for one in proposals.list_open(bench.db)] == [asked]


def test_a_dry_run_settles_nothing(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact) or ""
    assert bench.operator.inbox.accept_proposals([asked], dry_run=True).dry_run
    assert [one.id for one in proposals.list_open(bench.db)] == [asked]


def test_the_stream_holds_the_whole_row_and_then_what_changed(bench: Bench, fact: str) -> None:
    asked = ask(bench, fact) or ""
    bench.operator.inbox.decline_proposals([asked])
    made, settled = (
        event
        for event in event_log.list_of_memory(bench.db, fact, whole=True)
        if event.topic == "proposal"
    )
    assert made.item == settled.item == asked and made.before is None
    columns = {
        column: value
        for column, value in dict(bench.db.one("proposals.by_id", id=asked) or {}).items()
        if column not in ("title", checksums.COLUMN)
    }
    assert {**(made.after or {}), **(settled.after or {})} == columns


def test_every_kind_has_a_handler(bench: Bench) -> None:
    assert set(proposal_decisions.HANDLERS) == {
        "archive",
        "mute",
        "merge_entities",
        "resolve",
    }


def test_the_inbox_shows_proposals_only_unfiltered(bench: Bench, fact: str) -> None:
    from memctl.core.model import Filter

    ask(bench, fact)
    assert [one.about for one in bench.operator.inbox.list().proposals] == [fact]
    assert not bench.operator.inbox.list(Filter(types=("project",))).proposals


def test_undoing_what_a_proposal_did_brings_record_and_question_back(
    bench: Bench, fact: str
) -> None:
    asked = ask(bench, fact) or ""
    bench.operator.inbox.accept_proposals([asked])
    done = next(
        event
        for event in reversed(event_log.list_of_memory(bench.db, fact))
        if event.verb == "archived"
    )
    bench.operator.revert(str(done.seq))
    assert records.get_record(bench.db, fact).status == "active"
    assert [one.id for one in proposals.list_open(bench.db)] == [asked]
