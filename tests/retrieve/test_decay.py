"""What time, use and votes do to a record: bounded, gentle, and never to what must last."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memctl.core import timestamps
from memctl.core.model import NO_SIGNALS, FeedbackSignals, Memory
from memctl.retrieve import decay

NOW = "2026-06-01T00:00:00.000Z"
RATES = {"project": 0.005, "episode": 0.006, "profile": 0.5, "decision": 0.5}
TRUST = {1: 0.76, 2: 0.88, 3: 0.94, 4: 0.97, 5: 1.0}
days = st.floats(0, 5000)
votes = st.integers(0, 1000)


def ago(number: float) -> str:
    return timestamps.add_seconds(NOW, seconds=-86400 * number)


def record(**changed: Any) -> Memory:
    plain: dict[str, Any] = {
        "id": "M1",
        "type": "project",
        "kind": "fact",
        "scope": "project",
        "status": "active",
        "title": "t",
        "content": "words",
        "summary": "s",
        "owner": "shared",
        "source_kind": "manual",
        "confidence": 0.9,
        "trust": 3,
        "observed_at": ago(400),
        "fingerprint": "f",
        "created_at": NOW,
        "updated_at": NOW,
        "project_id": "P",
    }
    return Memory(**plain | changed)


@given(days, days)
def test_what_is_younger_is_never_less_fresh(a: float, b: float) -> None:
    young, old = sorted((a, b))
    assert decay.compute_decay(record(observed_at=ago(young)), NOW, RATES) >= decay.compute_decay(
        record(observed_at=ago(old)), NOW, RATES
    )


def test_the_formula_is_the_one_that_is_written_down() -> None:
    assert (
        abs(
            decay.compute_decay(record(observed_at=ago(210)), NOW, RATES)
            - math.exp(-0.005 * 210**0.8)
        )
        < 1e-9
    )
    assert (
        abs(
            decay.compute_confidence(record(observed_at=ago(210)), NOW, RATES)
            - 0.9 * math.exp(-0.005 * 210**0.8)
        )
        < 1e-9
    )


def test_what_lasts_does_not_fade_whatever_its_rate() -> None:
    kept = [
        record(type="profile"),
        record(type="decision", decay_rate=0.5),
        record(protected=True),
        record(always_load=True),
    ]
    assert [decay.compute_decay(memory, NOW, RATES) for memory in kept] == [1.0] * 4


def test_a_record_s_own_rate_goes_before_that_of_its_type() -> None:
    assert decay.compute_decay(record(type="artifact"), NOW, RATES) == 1.0
    assert decay.compute_decay(record(decay_rate=0.02), NOW, RATES) < decay.compute_decay(
        record(), NOW, RATES
    )


def test_a_confirmation_or_a_use_makes_a_record_as_sure_as_it_was() -> None:
    assert decay.compute_decay(record(confirmed_at=NOW), NOW, RATES) == 1.0
    assert decay.compute_decay(record(last_accessed_at=NOW), NOW, RATES) == 1.0


def test_what_happened_after_the_moment_that_is_asked_for_does_not_count() -> None:
    plain = decay.compute_decay(record(), NOW, RATES)
    later = timestamps.add_seconds(NOW, seconds=60)
    assert decay.compute_decay(record(last_accessed_at=later), NOW, RATES) == plain
    assert decay.compute_decay(
        record(last_accessed_at=later), NOW, RATES, last_use=ago(10)
    ) == decay.compute_decay(record(last_accessed_at=ago(10)), NOW, RATES)


@given(days, st.integers(0, 10**6))
def test_heat_stays_within_its_bounds_and_cools(age: float, uses: int) -> None:
    warm = decay.compute_usage(record(access_count=uses, last_accessed_at=ago(age)), NOW)
    assert (
        0
        <= decay.compute_usage(record(access_count=uses, last_accessed_at=ago(age + 1)), NOW)
        <= warm
        < 1
    )


def test_what_was_never_used_is_cold() -> None:
    assert decay.compute_usage(record(), NOW) == 0.0


@given(votes, votes, votes, votes, st.integers(1, 5))
def test_votes_move_a_factor_within_bounds_and_in_their_direction(
    a: int, b: int, c: int, d: int, trust: int
) -> None:
    factor = decay.compute_feedback_factor(FeedbackSignals(0.0, a, b, c, d), trust, TRUST)
    assert 0.7 < factor < 1.3
    assert (
        decay.compute_feedback_factor(FeedbackSignals(0.0, a + 1, b, c, d), trust, TRUST)
        >= factor
        >= decay.compute_feedback_factor(FeedbackSignals(0.0, a, b + 1, c, d), trust, TRUST)
    )
    assert (
        decay.compute_feedback_factor(FeedbackSignals(0.0, a, b, c, d + 1), trust, TRUST) <= factor
    )


@given(votes)
def test_a_thousand_votes_of_agents_weigh_less_than_one_of_the_operator(many: int) -> None:
    for trust in TRUST:
        drawn = decay.compute_feedback_factor(
            FeedbackSignals(operator_good=1, agents_bad=many), trust, TRUST
        )
        assert drawn >= 1.0 or trust < 3
        assert (
            decay.compute_feedback_factor(
                FeedbackSignals(operator_bad=1, agents_good=many), trust, TRUST
            )
            < 1.0
        )


def test_without_votes_nothing_moves() -> None:
    assert [decay.compute_feedback_factor(NO_SIGNALS, trust, TRUST) for trust in TRUST] == [1.0] * 5
