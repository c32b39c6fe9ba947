"""The lines of a context: one record, said once, in as few words as hold it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memctl.core.model import Memory
from memctl.retrieve.bundle import list_forms

AT = "2026-01-02T03:04:05.678Z"
UTC = Memory(
    id="01" + "A" * 24,
    type="decision",
    kind="decision",
    scope="project",
    status="active",
    title="Times are stored in UTC",
    content="Times are stored in UTC",
    summary="Times are stored in UTC",
    owner="shared",
    source_kind="manual",
    confidence=0.9,
    trust=5,
    observed_at=AT,
    fingerprint="f",
    created_at=AT,
    updated_at=AT,
    rationale="local times repeat",
)


@pytest.mark.parametrize("level", [1, 2])
def test_a_reason_follows_as_a_sentence_of_its_own(level: int) -> None:
    assert list_forms(UTC, level)[0] == "Times are stored in UTC. Because: local times repeat"


@pytest.mark.parametrize("level", [1, 2])
def test_a_reason_that_the_statement_holds_is_not_said_twice(level: int) -> None:
    whole = "Times are stored in UTC, because local times repeat."
    assert list_forms(replace(UTC, content=whole, summary=whole), level)[0] == whole


def test_what_was_not_chosen_follows_as_a_sentence_of_its_own() -> None:
    said = list_forms(replace(UTC, alternatives=("local time", "epoch seconds")), 2)[0]
    assert (
        said == "Times are stored in UTC. Because: local times repeat. Not chosen: local time; "
        "epoch seconds."
    )
