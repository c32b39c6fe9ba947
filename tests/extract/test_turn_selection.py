"""What is read of a very long talk."""

from __future__ import annotations

import time

from extract_samples import chat, human, session

from memctl.extract import extract_candidates, turn_selection

IDLE = "it rained on the boats again and the nets were wet all the way up to the old pier"


def test_a_talk_of_usual_length_is_read_whole() -> None:
    turns = session(*(human(IDLE) for _ in range(50))).turns
    assert turn_selection.select_turns(turns, list(range(50))) == list(range(50))


def test_of_a_very_long_talk_the_telling_turns_are_read_each_with_the_one_before_it() -> None:
    lines = [("ann", f"{IDLE} {n}") for n in range(8000)]
    lines[5000] = ("bob", "We decided to keep the old parser because the new one drops rows.")
    kept = [c for c in extract_candidates(chat(*lines)) if c.type == "decision"]
    assert [c.evidence[0].turn for c in kept] == [5000]
    chosen = turn_selection.select_turns(chat(*lines).turns, list(range(8000)))
    assert {4999, 5000} <= set(chosen)
    assert len(chosen) < 8000


def test_megabytes_of_dense_talk_are_read_in_little_time() -> None:
    lines = [
        (
            "ann" if n % 2 else "bob",
            f"We should use table {n} for the ports, not the list, because it is shared.",
        )
        for n in range(40_000)
    ]
    told = chat(*lines)
    started = time.process_time()
    assert len(extract_candidates(told)) > 1
    assert time.process_time() - started < 30
