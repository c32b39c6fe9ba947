"""What is asked for once is no memory, and what only words make lasting."""

from __future__ import annotations

import pytest
from extract_samples import agent, found, human

from memctl.extract.one_off import is_one_off


@pytest.mark.parametrize(
    "words",
    [
        "Reply with only the function name that divides by zero on an empty cart.",
        "Return only the JSON for that endpoint.",
        "In this commit, never touch the lock file.",
        "For now, always return 42.",
        "We're on main now.",
        "We are on the release branch at the moment.",
        "Only answer yes or no: is the test green?",
        "Just this once, skip the hooks.",
        "for this PR always keep the old names",
        "If we moved to R2 we'd save money.",
        "if the cache lived in memory it would be faster",
    ],
)
def test_a_request_for_this_once_is_no_memory(words: str) -> None:
    assert found(human(words), agent("OK.")) == []


@pytest.mark.parametrize(
    "words",
    [
        "From now on reply with only the function name.",
        "Always reply with only the code.",
        "We're on Postgres 16 since the move, never on MySQL.",
        "In this repo, never touch the lock file.",
        "For every change in this file, run the generator by default.",
        "If the tests fail, we must never merge.",
        "If it touches money, write a test first.",
    ],
)
def test_what_holds_from_now_on_is_none_of_these(words: str) -> None:
    assert not is_one_off(words.lower())
