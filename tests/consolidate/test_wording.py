"""Which of two wordings is the clearer, and which words announce that something changed."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.consolidate.wording import (
    announces_change,
    is_sentence,
    measure_clarity,
    share_subject,
)


@pytest.mark.parametrize(
    ("clear", "less"),
    [
        ("The request timeout is 30 seconds", "request timeout: 30s"),
        ("Run the linter before every commit in ci only", "Run the linter"),
        ("The exporter stores its reports in the shared folder", "reports in the shared folder"),
    ],
)
def test_a_whole_sentence_that_names_more_is_clearer(clear: str, less: str) -> None:
    assert measure_clarity(clear) > measure_clarity(less)


@given(st.text(max_size=200))
def test_every_text_has_a_clarity(text: str) -> None:
    named, whole, words = measure_clarity(text)
    assert named >= 0 and whole in (0, 1) and words >= 0 and whole == int(is_sentence(text))


CHANGES = [
    "From now on use pnpm",
    "We no longer use yarn",
    "Actually, it is 30 seconds",
    "Correction: port 9090",
    "Use pnpm instead of yarn",
    "We switched from black to yapf",
    "Update: the release is in June",
    "As of today the branch is trunk",
    "It is now trunk",
    "We don't use redis any more",
    "The worker moved to another host",
    "No, actually it's 8081",
    "We replaced webpack with vite",
    "Starting today we squash",
    "I was wrong about the port",
    "The branch was renamed to trunk",
]
NO_CHANGES = [
    "Use pnpm",
    "The default branch is main",
    "The port is 8080",
    "It actually works on both",
    "Nowhere is it documented",
    "The instead-flag is set",
    "Prefer composition over inheritance",
    "Updates are installed at night",
    "Snow is white",
]


@pytest.mark.parametrize("text", CHANGES)
def test_what_announces_a_change_is_seen(text: str) -> None:
    assert announces_change(text)


@pytest.mark.parametrize("text", NO_CHANGES)
def test_what_only_states_something_announces_nothing(text: str) -> None:
    assert not announces_change(text)


@pytest.mark.parametrize(
    "piece", ["as of ", "actually ", "no, ", "a ", "moved ", "update :", ". ", "switch over "]
)
def test_a_megabyte_of_hostile_text_is_looked_at_in_no_time(piece: str) -> None:
    begun = time.process_time()
    announces_change(piece * (1_000_000 // len(piece)))
    measure_clarity(piece * (1_000_000 // len(piece)))
    assert time.process_time() - begun < 0.5


def test_two_corrections_in_one_frame_have_no_subject_in_common() -> None:
    one = "Nope, mysql was the old ledger, today it's postgres (Corrects: “The ledger is mysql.”)"
    other = "Nope, Ada was the old harbour master, today it's Bo (Corrects: “Ask Ada about it.”)"
    again = "No, the ledger of the pier is postgres 16 today."
    assert not share_subject(one, other)
    assert share_subject("The ledger of the pier is mysql.", again)
