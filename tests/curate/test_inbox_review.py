"""Answers to many things in the inbox at once, and what helps to decide."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import CandidateDecision

RULE = "Always glaze the inner wall of the tide kiln twice"


def put_candidate(bench: Bench, content: str = RULE) -> str:
    """What an agent writes about the operator, which waits in the inbox."""
    return bench.put(content, "profile", by=bench.agent).id


def test_a_candidate_is_found_by_its_id_once(bench: Bench) -> None:
    record_id = put_candidate(bench)
    found = bench.operator.inbox.find_candidates([record_id, record_id])
    assert [view.memory.id for view in found] == [record_id]


def test_a_record_that_does_not_wait_is_no_candidate(bench: Bench) -> None:
    active = bench.put("The kiln is oval")
    with pytest.raises(RefusedByPolicy, match="is not in the inbox: it is active"):
        bench.operator.inbox.find_candidates([active.id])


def test_an_id_on_both_sides_is_refused_before_anything_is_done(bench: Bench) -> None:
    first, second = put_candidate(bench), put_candidate(bench, "Never fire the oval kiln at night")
    with pytest.raises(UsageError, match="cannot be approved and rejected at once"):
        bench.operator.inbox.decide(approve=[first, second], reject=[first])
    assert len(bench.all("inbox")) == 2


def test_rejections_are_done_before_approvals(bench: Bench) -> None:
    first, second = put_candidate(bench), put_candidate(bench, "Never fire the oval kiln at night")
    reports = bench.operator.inbox.decide(approve=[first], reject=[second], reason="a joke")
    assert [report.verb for report in reports] == ["rejected", "approved"]


def test_a_dry_run_of_decisions_writes_nothing(bench: Bench) -> None:
    record_id = put_candidate(bench)
    decision = CandidateDecision(record_id, "approve", changes={"title": "Glaze twice"})
    reports = bench.operator.inbox.apply_decisions([decision], dry_run=True)
    assert [report.verb for report in reports] == ["edited", "approved"]
    assert all(report.dry_run for report in reports)
    assert bench.one("inbox").title != "Glaze twice"


def test_the_nearest_record_is_the_most_similar_one(bench: Bench) -> None:
    similar = bench.put("Glaze the inner wall of the tide kiln twice")
    bench.put("The kiln stands beside the harbour wall")
    candidate = bench.operator.records.show(put_candidate(bench))
    nearest = bench.operator.inbox.find_nearest(candidate)
    assert nearest is not None and nearest.memory.id == similar.id


def test_a_record_that_is_not_similar_is_not_the_nearest(bench: Bench) -> None:
    bench.put("The kiln stands beside the harbour wall")
    candidate = bench.operator.records.show(put_candidate(bench))
    assert bench.operator.inbox.find_nearest(candidate) is None
