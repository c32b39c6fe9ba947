"""The natural history: its data are well formed, its verdicts are right, a small one is lived."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import natural_history, told_values
from benchmarks.natural_data import FOLDER, HALVES, ROUNDS, NaturalSlot, SaidLine, load
from benchmarks.told_values import Told

FILES = sorted(FOLDER.glob("*.txt"))
# Two questions whose answers change in words that the plainest rule sees.
SMALL = """\
# A comment.
#slot kiln (hardware)
? Which kiln do we fire in?
1 rules a | The kiln is the Rohde.
2 chat a | the kiln is the Rohde, as always
3 rules b | The kiln is the Nabertherm now, not the Rohde.
4 rules b | The kiln is the Nabertherm.
5 rules b | Remember that the kiln is the Nabertherm.
=2 The kiln stands in the cellar.

#slot glaze (hardware)
? Which glaze do we use?
1 rules a | The glaze is celadon.
2 rules a | We glaze with celadon.
3 rules a | Celadon is our glaze.
4 chat a | celadon, always
5 rules a | The glaze stays celadon.
"""


@pytest.fixture
def small(tmp_path: Path) -> list[NaturalSlot]:
    (tmp_path / "worked.txt").write_text(SMALL)
    return load(tmp_path / "worked.txt")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_half_has_thirty_questions_whose_answers_change(path: Path) -> None:
    slots = load(path)
    assert path.stem in HALVES
    assert len({slot.name for slot in slots}) == len(slots) == 30
    assert all(slot.has_changed(ROUNDS) for slot in slots)
    assert all(len(slot.beside) == len(slot.questions) == 2 for slot in slots)
    assert min(Counter(slot.domain for slot in slots).values()) >= 3


def test_no_line_is_said_twice() -> None:
    said = Counter(
        line.text.lower()
        for path in FILES
        for slot in load(path)
        for line in (*slot.lines, *slot.beside)
    )
    assert [text for text, times in said.items() if times > 1] == []


def test_a_slot_has_the_value_of_its_last_line(small: list[NaturalSlot]) -> None:
    kiln, glaze = small
    assert [kiln.at(round_) for round_ in range(1, 6)] == ["a", "a", "b", "b", "b"]
    assert [kiln.has_changed(round_) for round_ in (2, 3, 5)] == [False, True, True]
    assert not glaze.has_changed(5)
    assert kiln.beside == [
        SaidLine("kiln, beside 1", "", 2, "beside", "The kiln stands in the cellar.")
    ]


@pytest.mark.parametrize(
    "line", ["6 chat a | too late", "2 shout a | how?", "1 chat a said", "=x when?"]
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(f"#slot kiln (hardware)\n{line}\n")
    with pytest.raises(ValueError, match=r"odd\.txt:2"):
        load(path)


def test_what_is_first_counts_and_not_what_stands_below_it() -> None:
    verdict = told_values.judge([Told("1", ("new",)), Told("2", ("old",))], "new")
    assert (verdict.is_first, verdict.is_alone, verdict.is_only_stale) == (True, False, False)


def test_records_about_other_things_do_not_count() -> None:
    assert told_values.judge([Told("1", ()), Told("2", ("new",))], "new").is_first
    assert told_values.judge([Told("1", ())], "new").is_missing


def test_a_record_that_states_two_values_is_not_the_current_one() -> None:
    assert not told_values.judge([Told("1", ("new", "old"))], "new").is_first


def test_a_mark_counts_where_it_names_the_value_of_today() -> None:
    marked = told_values.judge([Told("1", ("old",), ("new",))], "new")
    astray = told_values.judge([Told("1", ("old",), ("older",))], "new")
    assert (marked.is_marked, marked.is_only_stale) == (True, False)
    assert (astray.is_marked, astray.is_only_stale) == (False, True)


def test_marks_are_read_from_what_the_commands_print() -> None:
    item = {"newer": [{"id": "01A"}], "contradicted_by": ["01B"], "text": "x (disputed by [01C])"}
    assert told_values.list_newer(item) == ("01A",)
    assert told_values.list_named(item) == ("01A", "01B", "01C")
    assert told_values.list_named({"text": "no [01C] is named here"}) == ()


def test_a_small_history_is_lived_and_told(
    small: list[NaturalSlot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")
    report = natural_history.live(small, 1)
    assert report["search: n"] == 3
    assert report["changes"] == report["changes found"] == 1
    assert report["search: current first"] == 1
    assert report["wrong retirements"] == report["wrong contradictions"] == 0
    assert json.loads(json.dumps(report))["stale records in force"] == 0
    assert (
        "| search: current first | 1.000 | >= 0.6 |" in natural_history.lines({"worked": report})[0]
    )
