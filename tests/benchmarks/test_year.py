"""The simulated year itself: it is the same every time, its transcripts are read back as they
were said, its verdicts are right.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import vectors_wanted, year, year_files, year_pairs, year_probe, year_words
from benchmarks.year_facts import DECISIONS, LIKINGS, SLOTS, STABLE
from benchmarks.year_files import AGENTS, Said
from benchmarks.year_probe import Reading
from benchmarks.year_run import Life, days, moved
from benchmarks.year_world import Fact, Reign, Stated, world
from memctl.core import clock
from memctl.core.model import NewMemory
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


def test_a_run_without_vectors_is_refused_unless_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["year.py", "--days", "2", "--sessions", "1"])
    with pytest.raises(SystemExit, match="--without-vectors"):
        year.main()
    vectors_wanted.require_vectors(True)


def test_weights_that_are_missing_are_no_vectors_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "nobody-has-this-model")
    with pytest.raises(SystemExit, match="--without-vectors"):
        vectors_wanted.require_vectors(False)


def test_what_stands_beside_a_slot_leaves_the_rest_of_the_year_as_it_was() -> None:
    with_, without = (world(1, "B", days=60, sessions=40, beside=n) for n in (12, 0))
    beside = [fact for key, fact in with_.facts.items() if key not in without.facts]
    assert len(beside) == 36
    assert all(len(fact.reigns) == 1 for fact in beside)
    assert {key: with_.facts[key] for key in without.facts} == without.facts


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    """An empty life in which three facts have been told, one of which has changed since."""
    with moved() as moment:
        life = Life(tmp_path / "home", world(1, "A", days=8, sessions=8, slots=2), moment)
        life.world.facts.clear()  # type: ignore[attr-defined]
        life.world.facts.update(  # type: ignore[attr-defined]
            {
                (0, "glaze"): Fact((0, "glaze"), (Reign(0, "red"), Reign(3, "blue")), ("?",), "v"),
                (0, "lid"): Fact((0, "lid"), (Reign(0, "oak"),), ("?",), "v"),
            }
        )
        life.said[""] = [
            Stated("The glaze is red.", (0, "glaze"), "red", "first"),
            Stated("The glaze is blue.", (0, "glaze"), "blue", "explicit"),
            Stated("The lid is oak.", (0, "lid"), "oak", "first"),
            Stated("Oak is what the lid is of.", (0, "lid"), "oak", "again"),
        ]
        yield life


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("The glaze is red.", "The glaze is blue.", None),
        ("The lid is oak.", "Oak is what the lid is of.", None),
        ("The lid is oak.", "The glaze is blue.", "by another fact"),
        ("The glaze is blue.", "The glaze is red.", "by what no longer holds"),
        ("The lid is oak.", "Nice weather today.", "by what says no fact"),
    ],
)
def test_only_what_held_and_was_not_said_again_is_retired_in_vain(
    life: Life, older: str, newer: str, kind: str | None
) -> None:
    with life.engine() as engine:
        place = engine.place_to_write(life.folder(0))
        old, new = (
            engine.ingest([NewMemory("project", text, scope="project")], place=place)
            .items[0]
            .record.memory.id
            for text in (older, newer)
        )
        engine.records.link(new, "supersedes", old)
    life.look(5)
    life.look(6)
    assert [one.kind for one in life.wrongly_retired] == ([kind] if kind else [])


def test_an_operator_who_errs_errs_alike_on_the_same_words(life: Life) -> None:
    slips = [life._draw_slip(f"The lid is {n}.") for n in range(400)]
    assert slips == [life._draw_slip(f"the lid is {n}") for n in range(400)]
    assert 0.02 < sum(slip < 0.05 for slip in slips) / 400 < 0.09
    life.errs = False
    assert life._draw_slip("The lid is 1.") == 1.0


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
