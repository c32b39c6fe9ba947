"""The simulated year itself: it is the same every time, its transcripts are read back as they
were said, its verdicts are right.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import year, year_files, year_pairs, year_probe, year_words
from benchmarks.year_facts import DECISIONS, LIKINGS, SLOTS, STABLE
from benchmarks.year_files import AGENTS, Said
from benchmarks.year_probe import Reading
from benchmarks.year_run import Life, days, moved
from benchmarks.year_world import Fact, Reign, world
from memctl.core import clock
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader

AT = "2026-03-01T10:00:00.000Z"


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without vectors a run takes no time."""
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")


def test_a_seed_gives_the_same_year_and_another_seed_another() -> None:
    one, again, other = (world(seed, "A", days=40, sessions=20) for seed in (1, 1, 2))
    assert one == again
    assert one.facts != other.facts


def test_every_change_is_told_in_the_session_it_happens_in() -> None:
    for seed in range(3):
        year_ = world(seed, "A")
        told = {
            (stated.key, stated.value, session.day)
            for session in year_.sessions
            for stated in session.says
        }
        assert all(
            (fact.key, reign.value, reign.day) in told
            for fact in year_.facts.values()
            for reign in fact.reigns
        )


def test_facts_change_one_to_six_times() -> None:
    changes = [len(fact.reigns) - 1 for fact in world(1, "B").facts.values() if fact.slot]
    assert max(changes) == 6
    assert min(changes) >= 1


def test_the_families_share_no_wording() -> None:
    def wordings(family: str) -> set[str]:
        forms = (*year_words.CHANGES, "first", "again")
        skeletons = {
            text
            for slot in SLOTS
            for form in forms
            for text in year_words.skeletons(family, slot.shape, form)
        }
        fixed = {
            text for one in (*DECISIONS, *STABLE) for text in (one.a if family == "A" else one.b)
        }
        liked = {
            text
            for one in LIKINGS
            for value in (one.a if family == "A" else one.b)
            for text in value
        }
        return skeletons | fixed | liked

    assert not wordings("A") & wordings("B")
    assert min(len(wordings("A")), len(wordings("B"))) > 100


@pytest.mark.parametrize("agent", AGENTS)
def test_a_transcript_is_read_back_as_it_was_said(tmp_path: Path, agent: str) -> None:
    said = [
        Said("human", "The kiln is red.", AT),
        Said("tool", "kiln: blue", AT),
        Said("agent", "It is blue.", AT),
    ]
    path = year_files.write(tmp_path, agent, year_files.session_id(1, 1), tmp_path / "kiln", said)
    (transcript,) = detect_reader(Input(path=path)).read(Input(path=path))
    texts = {turn.text: turn.role for turn in transcript.turns}
    assert (
        transcript.agent,
        texts["The kiln is red."],
        texts["It is blue."],
        texts["kiln: blue"],
    ) == (agent, "human", "assistant", "tool")


def test_what_holds_is_the_last_thing_told() -> None:
    fact = Fact((0, "port"), (Reign(3, "1"), Reign(9, "2")), ("?",), "value")
    assert [fact.at(day) for day in (2, 3, 8, 9, 300)] == [None, "1", "1", "2", "2"]


def test_verdicts_look_at_everything_that_was_served() -> None:
    told = year_probe.verdict_of
    assert told(["new"], ["new"], "new") == "current"
    assert told(["new", "old"], ["new"], "new") == "stale"
    assert told([], ["new"], "new") == "not searched"
    assert told(["new"], [], "new") == "not given"
    assert told([], [], "new") == "missing"


def test_growth_along_a_line_is_told_from_growth_that_is_not() -> None:
    assert year.linear([_reading(n, 2 * n + 3) for n in range(6)]) == pytest.approx(1)
    assert year.linear([_reading(n, 2**n) for n in range(9)]) < 0.8


@pytest.mark.proof
def test_a_week_is_lived_and_read(tmp_path: Path) -> None:
    with moved() as moment:
        life = Life(tmp_path / "home", world(1, "A", days=8, sessions=8, slots=2), moment)
        assert list(days(life)) == list(range(8))
        reading = year_probe.read(life, 7)
        report = year.figures(life, [reading], year_probe.past(life, 8)) | {
            "undone": year_probe.undone(life)
        }
    assert reading.records > 0
    assert report["undone"]["living after"] == report["undone"]["told otherwise by the stream"] == 0
    assert report["undone"]["evidence after"] == report["undone"]["evidence before"]
    assert {probe.verdict for probe in reading.probes} <= {
        "current",
        "waiting",
        "stale",
        "missing",
        "not given",
        "not searched",
    }
    assert "A year, seed 1" in year.lines(report | {"seconds": 1.0, "of work": 1.0})[0]
    assert json.loads(json.dumps(report, default=str))["sessions"] == 8
    assert clock.now() > "2026"


def test_pairs_are_of_one_project_and_in_their_order() -> None:
    for kind, older, newer, before, after in year_pairs.sample(world(1, "A", days=60, sessions=40)):
        assert older.key is not None
        assert newer.key is not None
        assert (older.key[0], before <= after) == (newer.key[0], True)
        assert kind == (
            "strangers"
            if older.key != newer.key
            else "same"
            if older.value == newer.value
            else "changed"
        )


def _reading(known: int, kept: int) -> Reading:
    nothing = ((), 1.0, (), (), 0.0, (), 0)
    return Reading(known, *nothing, kept, kept, 0, 0, known)
