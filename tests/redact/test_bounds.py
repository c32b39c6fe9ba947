"""Hostile text costs a bounded multiple of what ordinary text costs, and twice the text costs
about twice: no wall clock is asked.
"""

from __future__ import annotations

import pytest

from benchmarks.redaction import HOSTILE, baseline, by_rule, hostile, ordinary, seconds
from memctl.redact.secret_replacer import SecretReplacer

SIZE = 120_000
REPLACER = SecretReplacer(lambda: bytes(32), (), is_deep=False)
# Measured are 5 for ordinary text and at most 50 for a hostile one (benchmarks/redaction.py); a
# nested repeat costs thousands.
MOST_ORDINARY, MOST_HOSTILE = 40, 300


@pytest.fixture(scope="module")
def unit() -> float:
    """Seconds of the baseline."""
    return baseline(SIZE)


def test_ordinary_text_costs_a_few_times_finding_its_words(unit: float) -> None:
    text = ordinary(SIZE)
    REPLACER.redact(text)
    assert seconds(lambda: REPLACER.redact(text)) < MOST_ORDINARY * unit


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_bounded_and_grows_no_faster_than_the_text(name: str, unit: float) -> None:
    text, twice = hostile(SIZE)[name], hostile(2 * SIZE)[name]
    REPLACER.redact(text)
    took = seconds(lambda: REPLACER.redact(text))
    assert took < MOST_HOSTILE * unit
    assert seconds(lambda: REPLACER.redact(twice)) < 4 * took + unit


def test_every_rule_is_bounded_by_itself(unit: float) -> None:
    slowest = by_rule(SIZE // 4)[0]
    assert slowest[0] < MOST_HOSTILE * unit, slowest


def test_there_are_more_than_ten_hostile_texts() -> None:
    assert len(HOSTILE) > 10
