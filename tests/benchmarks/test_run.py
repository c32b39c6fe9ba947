"""A small invented set goes the whole way: written, ranked by every system, told as a table and
as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import kept, ours, run, updates
from benchmarks.baselines import BASELINES
from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Given
from benchmarks.updates import Case

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    Document("d1", "Ine: I bought a loom for weaving.", "2024-05-08", "8 May, 2024", "S1"),
    Document("d2", "Bram: The kiln is fired on Fridays.", "2024-05-09", "9 May, 2024", "S1"),
    Document("d3", "Ine: We sailed to the island.", "2024-06-03", "3 June, 2024", "S2"),
)
QUESTIONS = (
    Question("q1", "What did Ine buy to weave?", "single", {"d1": 1.0}),
    Question("q2", "When are kilns fired?", "temporal", {"d2": 1.0}),
    Question("q3", "Who is the mayor?", "abstention"),
)
SET = Haystack("craft", DOCUMENTS, QUESTIONS)


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without vectors a run takes no time; one test asks for them."""
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ours.Store]:
    with ours.opened(tmp_path) as opened:
        opened.add(SET)
        yield opened


def test_every_system_answers_every_question_that_has_gold() -> None:
    found = run.answers(Given("craft", [SET]))
    assert set(found.answered) == {*BASELINES, *ours.WORDS}
    assert all(len(kept) == 2 for kept in found.answered.values())
    assert found.rankings["memctl, words only"] == {"craft/q1": ["d1", "d3"], "craft/q2": ["d2"]}
    assert (found.unscored, found.documents) == ({"abstention": 1}, 3)


def test_haystacks_that_stand_apart_know_nothing_of_each_other() -> None:
    other = Haystack(
        "other",
        (Document("e1", "A loom, a loom, a loom."),),
        (Question("q1", "loom weaving", "single", {"e1": 1.0}),),
    )
    found = run.answers(Given("both", [SET, other], apart=True))
    assert found.rankings["memctl, words only"]["other/q1"] == ["e1"]


def test_what_another_haystack_gives_takes_a_place_and_counts_for_nothing(tmp_path: Path) -> None:
    (asked, *_), words = QUESTIONS, "What Ine did buy to weave: weaving, weave, buy, Ine"
    strange = Haystack("other", (Document("d1", words),), ())
    with ours.opened(tmp_path) as opened:
        opened.add(Haystack("craft", DOCUMENTS[1:], QUESTIONS))
        opened.add(strange)
        assert opened.rank(Haystack("craft", DOCUMENTS[1:], QUESTIONS), asked, {})[0] == "other/d1"


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("question", ["", "?", "the", 'c++ OR "x', "NEAR(a b)", "\u2603"])
def test_no_question_is_too_odd_for_a_baseline(name: str, question: str) -> None:
    assert isinstance(BASELINES[name](DOCUMENTS)(question), list)


def test_a_baseline_finds_what_holds_the_words() -> None:
    assert BASELINES["grep"](DOCUMENTS)("THE KILN")[0] == "d2"
    assert BASELINES["plain FTS5"](DOCUMENTS)("fired kiln") == ["d2"]
    assert BASELINES["tuned FTS5"](DOCUMENTS)("firing of kilns") == ["d2"]
    assert BASELINES["tuned FTS5"](DOCUMENTS)("3 June") == ["d3"]


def test_a_run_is_told_as_tables_and_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = run.arguments("a set")
    out, rankings = tmp_path / "out.json", tmp_path / "rankings.json"
    given = parser.parse_args(["--data", "x", "--json", str(out), "--rankings", str(rankings)])
    run.measure([Given("craft", [SET], leave_out=("temporal",))], given)
    said = capsys.readouterr().out
    assert "## craft: 3 documents, 2 questions scored, 1 not" in said
    assert "| tuned FTS5 | 1.000 |" in said
    means = json.loads(out.read_text())["sets"][0]["systems"]["memctl, words only"]["means"]
    assert (means["all"]["n"], means["without temporal"]["n"]) == (2, 1)
    assert json.loads(rankings.read_text())["craft"]["grep"]["craft/q2"][0] == "d2"


def test_a_set_without_gold_is_said_to_have_none() -> None:
    report = run.report(Given("empty", []), run.answers(Given("empty", [])))
    assert run.lines(report) == ["\n## empty: no question can be scored"]


def test_what_is_superseded_comes_only_when_asked_for_and_behind(store: ours.Store) -> None:
    old = Document("old", "The loom stands in the hall.", "2024-01-01")
    new = Document("new", "The loom stands in the attic.", "2024-02-01")
    moved = Haystack(
        "moved", (old, new), (Question("q", "Where does the loom stand?", "update", {"new": 1.0}),)
    )
    store.add(moved)
    store.supersede(moved, "new", "old")
    assert store.rank(moved, moved.questions[0], {}) == ["new"]
    assert store.rank(moved, moved.questions[0], {}, include=("superseded",)) == ["new", "old"]


def test_a_store_with_a_model_has_vectors_and_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMCTL_EMBEDDING_MODEL")
    cache = tmp_path / "kept.db"
    with ours.opened(tmp_path, cache) as opened:
        opened.add(SET)
        opened.embed()
        assert opened.systems == ours.WORDS | ours.HYBRID | ours.NEIGHBOURS
        assert opened.rank(SET, Question("q", "travelling by boat", "single"), {})[0] == "d3"
        model = ours.semantic.find_serving_model(opened.db)
        assert model is not None
        known = kept.Kept(cache)
        hashes = [ours.semantic.compute_text_hash(memory) for memory in opened._written.values()]
        assert set(known.find(model.fingerprint, hashes)) == set(hashes)
        assert known.find("another model", hashes) == {}
        known.close()


def test_turns_are_written_with_their_place_in_the_conversation(tmp_path: Path) -> None:
    turns = tuple(
        Document(f"t{turn}", f"loom number {turn}", None, talk="S1", turn=turn)
        for turn in (0, 1, 4)
    )
    with ours.opened(tmp_path) as opened:
        opened.add(Haystack("talk", turns, ()))
        ids = [memory.id for memory in opened._written.values()]
        places = ours.evidence.list_locations(opened.db, ids)
    assert sorted(turn for _, _, turn in places) == [0, 1, 4]
    assert len({source for _, source, _ in places}) == 1


def test_a_session_in_parts_stands_where_its_best_part_stands() -> None:
    parts = tuple(
        Document(f"S{n}#{m}", text, part_of=f"S{n}")
        for n in (1, 2)
        for m, text in enumerate(("a loom", "a kiln"))
    )
    assert Haystack("parts", parts, ()).found(["S2#1", "S1#0", "S2#0"]) == ["S2", "S1"]


CASES = (Case("Q1", "S1/0/0", "S2/0/1"), Case("Which tool weaves?", "S1/0/1", "S2/0/0"))
SAID = {
    ("S2", "2025-02-01"): "The tool that weaves is jacquard now. It runs on 9090.",
    ("S1", "2025-01-01"): "The loom runs on port 8080. The tool that weaves is dobby.",
}
SESSIONS = [
    {"sessionId": name, "metadata": {"date": date}, "messages": [{"content": text}]}
    for (name, date), text in SAID.items()
]
ASKED = [{"questionId": "Q1", "question": "On which port does the loom run?"}]


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    (tmp_path / "sessions.json").write_text(json.dumps(SESSIONS))
    (tmp_path / "questions.json").write_text(json.dumps(ASKED))
    return tmp_path


def test_update_cases_are_read_by_their_ids_alone(sessions: Path) -> None:
    found = updates.load(sessions, CASES)
    assert [document.id for document in found.documents] == ["S1/0/0", "S1/0/1", "S2/0/0", "S2/0/1"]
    assert [question.text for question in found.questions] == [
        "On which port does the loom run?",
        "Which tool weaves?",
    ]
    with pytest.raises(KeyError):
        updates.load(sessions, [Case("Q1", "S1/0/0", "S9/0/0")])


def test_a_case_is_won_where_the_newer_comes_first(sessions: Path) -> None:
    haystack = updates.load(sessions, CASES)
    found = updates.measured(
        haystack,
        CASES,
        lambda question: ["S2/0/1", "x", "S1/0/0"] if "port" in question.text else ["S1/0/1"],
    )
    assert (found["newer_first"], found["both_in_10"], found["newer_in_10"]) == (0.5, 0.5, 0.5)
    assert found["older_first"] == 0.5
    assert found["ranks"][0] == {"question": "Q1", "older": 3, "newer": 1}


def test_a_linked_update_hides_the_older_and_tells_it_behind(sessions: Path) -> None:
    found = updates.linked(updates.load(sessions, CASES), CASES, None)
    assert found["memctl, words only"]["ranks"][1] == {
        "question": "Which tool weaves?",
        "older": None,
        "newer": 1,
    }
    assert found["memctl, words only, with superseded"]["ranks"][1] == {
        "question": "Which tool weaves?",
        "older": 2,
        "newer": 1,
    }


@pytest.mark.parametrize("script", ["locomo", "longmemeval", "devmembench", "qrels", "updates"])
def test_every_benchmark_says_what_it_needs(script: str) -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / f"{script}.py", "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "--data" in ran.stdout


def test_a_set_is_measured_from_its_file_to_the_table(tmp_path: Path) -> None:
    data = {
        "documents": {"d1": "A loom weaves", "d2": "A kiln burns"},
        "queries": {"q1": "weaving looms"},
        "qrels": {"q1": {"d1": 1}},
    }
    path = tmp_path / "craft.json"
    path.write_text(json.dumps(data))
    command = [sys.executable, ROOT / "benchmarks" / "qrels.py", "--data", path]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "## craft: 2 documents, 1 questions scored, 0 not" in ran.stdout
    assert "| memctl, words only | 1.000 |" in ran.stdout
