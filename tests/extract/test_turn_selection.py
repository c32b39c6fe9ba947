"""What is read of a very long talk."""

from __future__ import annotations

from extract_samples import chat, human, session

from memctl.extract import extract, turn_selection

IDLE = "it rained on the boats again and the nets were wet all the way up to the old pier"


def test_a_talk_of_usual_length_is_read_whole() -> None:
    turns = session(*(human(IDLE) for _ in range(50))).turns
    assert turn_selection.select_turns(turns, list(range(50))) == list(range(50))


def test_of_a_very_long_talk_the_telling_turns_are_read_each_with_the_one_before_it() -> None:
    lines = [("ann", f"{IDLE} {IDLE} {n}") for n in range(2500)]
    lines[1500] = ("bob", "We decided to keep the old parser because the new one drops rows.")
    kept = [c for c in extract(chat(*lines)) if c.type == "decision"]
    assert [c.evidence[0].turn for c in kept] == [1500]
    chosen = turn_selection.select_turns(chat(*lines).turns, list(range(2500)))
    assert {1499, 1500} <= set(chosen)
    assert len(chosen) < 2500


def test_of_megabytes_of_dense_talk_no_more_is_read_than_of_a_long_one() -> None:
    line = "We should use table {} for the ports, not the list, because it is shared. " * 4
    turns = chat(
        *(("ann" if n % 2 else "bob", line.format(n, n, n, n)) for n in range(2_000))
    ).turns
    chosen = turn_selection.select_turns(turns, list(range(len(turns))))
    longest = max(len(turn.text) for turn in turns)
    chars = sum(len(turns[index].text) for index in chosen)
    assert turn_selection.READ_CHARS <= chars <= turn_selection.READ_CHARS + 2 * longest
