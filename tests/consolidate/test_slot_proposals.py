"""What a sure reading of a pair leads to, by who said what and when."""

from __future__ import annotations

import pytest

from memctl.consolidate.slot_proposals import LEAST_TO_PROPOSE, propose_replacement
from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID
from memctl.records.statement import Statement

OLDER = Statement(
    id="old",
    content="Ship the nightly build via TestFlight",
    trust=OPERATOR_SAID,
    status="active",
    observed_at="2026-03-01T09:00:00Z",
)
NEWER = replace(
    OLDER,
    id="new",
    content="Testers get nightlies from Firebase now",
    observed_at="2026-03-02T09:00:00Z",
)
NAMING = replace(
    NEWER, content="Testers get nightlies from Firebase now, not via TestFlight any more"
)


def decide(newer: Statement, *older: Statement, score: float = 0.99) -> tuple[str, str | None]:
    step = propose_replacement(newer, older, lambda _older, _newer: score)
    return (step.action, step.target) if step else ("nothing", None)


def test_it_proposes_and_retires_only_what_is_named() -> None:
    assert decide(NEWER, OLDER) == ("propose", "old")
    assert decide(NAMING, OLDER) == ("supersede", "old")
    assert decide(NAMING, OLDER, score=LEAST_TO_PROPOSE) == ("propose", "old")
    assert decide(NAMING, replace(OLDER, pinned=True)) == ("propose", "old")


def test_what_waits_in_the_inbox_only_stands_against_it() -> None:
    action, _ = decide(replace(NAMING, status="inbox"), OLDER)
    assert action == "contradict"


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (replace(NEWER, trust=AGENT_CLAIMED), OLDER),
        (replace(NEWER, content="Testers get nightlies from Firebase"), OLDER),
        (replace(NEWER, observed_at="2026-02-01T09:00:00Z"), OLDER),
        (replace(NEWER, observed_at=OLDER.observed_at), OLDER),
        (NEWER, replace(OLDER, status="archived")),
        (NEWER, replace(OLDER, project_id="another", scope="project")),
        (NEWER, replace(OLDER, type="episode")),
        (NEWER, replace(OLDER, content="Testers are five people")),
    ],
    ids="agent no-change earlier same-time gone elsewhere episode one-thing".split(),
)
def test_nothing_follows_where_it_cannot_be_a_change(newer: Statement, older: Statement) -> None:
    assert decide(newer, older) == ("nothing", None)


def test_nothing_follows_where_a_record_was_not_read() -> None:
    assert propose_replacement(NEWER, [OLDER], lambda _older, _newer: None) is None


def test_only_the_nearest_is_proposed() -> None:
    scores = {"old": 0.9, "nearer": 0.95, "far": 0.2}
    others = [replace(OLDER, id=each) for each in scores]
    step = propose_replacement(NEWER, others, lambda older, _newer: scores[older.id])
    assert step is not None and (step.action, step.target) == ("propose", "nearer")
