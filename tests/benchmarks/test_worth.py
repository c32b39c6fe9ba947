"""What the learning of worth reads, fits, and says of what it did not see."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.worth_data import covers, list_rows, read_invented, read_labels, read_sessions
from benchmarks.worth_fit import calibrate, choose_folds, cross, fit, list_taken, make_table

RULE = "We never call the weather service from tests."
TASK = "Add a page for lot"


def write_sessions(folder: Path, count: int) -> Path:
    """Sessions of four people, each with a rule that is worth keeping and a task that is not."""
    sessions, labels = [], []
    for n in range(count):
        turns = [
            {"role": "human", "kind": "text", "text": f"{TASK} {n}."},
            {"role": "assistant", "kind": "text", "text": "Done."},
            {"role": "human", "kind": "text", "text": f"{RULE} It bills us {n} times."},
        ]
        sessions.append({"sid": f"s{n}", "repo": "a/b", "cwd": f"/home/p{n % 4}/b", "turns": turns})
        memory = {"start": 0, "end": len(RULE), "importance": 3}
        labels.append({"session": f"s{n}", "turn": 0, "memories": [], "negative": {}})
        labels.append({"session": f"s{n}", "turn": 2, "memories": [memory]})
    for name, entries in (("sessions", sessions), ("labels", labels)):
        lines = "\n".join(map(json.dumps, entries))
        (folder / f"{name}.jsonl").write_text(lines + "\n", encoding="utf-8")
    return folder


def test_the_people_of_sessions_are_told_apart_by_their_homes(tmp_path: Path) -> None:
    people = {person for person, _ in read_sessions(write_sessions(tmp_path, 8))}
    assert people == {f"a/b:p{n}" for n in range(4)}


def test_each_sentence_is_a_row_and_only_what_was_labelled_is_worth_keeping(tmp_path: Path) -> None:
    folder = write_sessions(tmp_path, 2)
    rows = [r for r in list_rows(folder, read_labels(folder), None, None) if not r.is_invented]
    worthy = {row.text for row in rows if row.importance}
    assert worthy == {RULE}
    assert {row.text for row in rows} > {RULE, f"{TASK} 0.", f"{TASK} 1."}


def test_a_memory_is_covered_by_half_of_the_shorter() -> None:
    assert covers(0, 10, (5, 100, 3))
    assert not covers(0, 10, (6, 100, 3))


def test_invented_sessions_say_what_is_worth_keeping() -> None:
    kept, whole = [], []
    for transcript, known in read_invented():
        assert all(transcript.turns[n].role == "human" for n in known)
        assert not any("{" in turn.text or "}" in turn.text for turn in transcript.turns)
        for n, one in known.items():
            text = transcript.turns[n].text
            kept += [text[start:end] for start, end, _ in one.memories]
            whole += [text for start, end, _ in one.memories if end - start < len(text)]
    assert "We use Kea for DHCP." in kept
    # A fact in braces stands beside a task that is not worth keeping.
    assert "search runs on Meilisearch in the same pod" in kept
    assert "please speed up the search on lots. search runs on Meilisearch in the same pod" in whole


def test_folds_keep_groups_whole() -> None:
    groups = ["a", "b", "a", "c", "d", "e", "f", "b"]
    folds = choose_folds(groups)
    assert len({(group, fold) for group, fold in zip(groups, folds, strict=True)}) == 6


def test_what_is_learned_of_some_people_ranks_the_words_of_others(tmp_path: Path) -> None:
    folder = write_sessions(tmp_path, 20)
    labels = read_labels(folder)
    rows = list_rows(folder, labels, None, None)
    names, table = make_table(rows)
    nothing = np.zeros((len(rows), 0))
    held_out = cross(rows, table, nothing, [row.person or row.session for row in rows])
    taken = list_taken(rows, held_out, labels)
    best = [key for _, key, _ in taken[:20]]
    assert {turn for _, turn in best} == {2}
    assert all(hits == {0} for _, _, hits in taken[:20])
    slope, _ = calibrate(taken)
    assert slope > 0
    assert fit(names, table, nothing, rows).apply(table, nothing).shape == (len(rows),)
