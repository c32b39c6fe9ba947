"""Each public format is read as its makers meant it; what cannot be scored is counted."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import devmembench, locomo, longmemeval, qrels
from benchmarks.haystack import Haystack

TALK: dict[str, Any] = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ine",
        "speaker_b": "Bram",
        "session_2_date_time": "9:05 am on 3 June, 2024",
        "session_2": [
            {
                "speaker": "Bram",
                "dia_id": "D2:1",
                "text": "The kiln is hot.",
                "blip_caption": "a photo of a kiln",
            }
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2024",
        "session_1": [
            {"speaker": "Ine", "dia_id": "D1:1", "text": "I bought a loom."},
            {"speaker": "Bram", "dia_id": "D1:02", "text": "Nice!"},
        ],
        "session_3_date_time": "5:00 pm on 9 June, 2024",
    },
    "qa": [
        {"question": "What did Ine buy?", "answer": "a loom", "evidence": ["D1:1"], "category": 4},
        {
            "question": "What links loom and kiln?",
            "answer": "craft",
            "evidence": ["D1:1; D2:1", "D:1:2"],
            "category": 1,
        },
        {"question": "What would she like?", "answer": "?", "evidence": [], "category": 3},
        {
            "question": "What did Bram buy?",
            "adversarial_answer": "a loom",
            "evidence": ["D1:1", "D9:9"],
            "category": 5,
        },
    ],
}
CHAT: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "knowledge-update",
    "question": "Where is the loom now?",
    "answer": "in the attic",
    "question_date": "2024/06/10 (Mon) 08:30",
    "haystack_session_ids": ["s1", "answer_s2"],
    "haystack_dates": ["2024/05/08 (Wed) 13:56", "2024/06/03 (Mon) 09:05"],
    "haystack_sessions": [
        [{"role": "user", "content": "The loom is in the hall."}],
        [
            {"role": "user", "content": "I moved the loom to the attic.", "has_answer": True},
            {"role": "assistant", "content": "Noted."},
        ],
    ],
    "answer_session_ids": ["answer_s2"],
}


def written(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return written(tmp_path / "talk.json", [TALK])


def golds(haystack: Haystack) -> list[list[str]]:
    return [sorted(question.gold) for question in haystack.questions]


def test_a_turn_is_told_with_its_speaker_its_picture_and_its_date(talk: Path) -> None:
    (found,) = locomo.load(talk, "turn")
    assert [document.id for document in found.documents] == ["D1:1", "D1:2", "D2:1"]
    last = found.documents[-1]
    assert (last.text, last.day) == (
        "Bram: The kiln is hot. [picture: a photo of a kiln]",
        "2024-06-03T09:05:00",
    )
    assert (last.told, last.talk, last.turn) == ("3 June, 2024", "S2", 0)


def test_the_turns_of_a_session_are_one_document(talk: Path) -> None:
    (found,) = locomo.load(talk, "session")
    assert [(document.id, document.text.count("\n")) for document in found.documents] == [
        ("S1", 1),
        ("S2", 0),
    ]
    assert golds(found) == [["S1"], ["S1", "S2"], [], ["S1"]]


def test_evidence_is_read_however_it_was_typed_and_only_where_the_turn_exists(talk: Path) -> None:
    (found,) = locomo.load(talk, "turn")
    assert golds(found) == [["D1:1"], ["D1:1", "D1:2", "D2:1"], [], ["D1:1"]]
    assert len(found.scored()) == 3


def test_categories_are_named_as_the_authors_number_them(talk: Path) -> None:
    (found,) = locomo.load(talk, "turn")
    assert [question.category for question in found.questions] == [
        "single-hop",
        "multi-hop",
        "open-domain",
        "adversarial",
    ]


def test_a_session_without_a_readable_date_has_none() -> None:
    assert locomo.when("some day") == (None, "some day")


def test_questions_that_no_session_answers_have_no_gold(tmp_path: Path) -> None:
    sessions = [
        {
            "sessionId": "S2",
            "metadata": {"date": "2025-02-01"},
            "messages": [{"role": "user", "content": "Later."}],
        },
        {
            "sessionId": "S1",
            "metadata": {"date": "2025-01-01"},
            "messages": [{"role": "user", "content": "First."}],
        },
    ]
    questions = [
        {
            "questionId": "Q1",
            "questionType": "tech-stack",
            "question": "?",
            "haystackSessionIds": ["S1", "S2"],
        },
        {
            "questionId": "Q2",
            "questionType": "abstention",
            "question": "?",
            "haystackSessionIds": [],
        },
    ]
    written(tmp_path / "sessions.json", sessions)
    written(tmp_path / "questions.json", questions)
    (found,) = devmembench.load(tmp_path)
    assert [(document.id, document.text) for document in found.documents] == [
        ("S1", "user: First."),
        ("S2", "user: Later."),
    ]
    assert golds(found) == [["S1", "S2"], []]
    (parts,) = devmembench.load(tmp_path, "exchange")
    assert [(document.id, document.part_of) for document in parts.documents] == [
        ("S1#0", "S1"),
        ("S2#0", "S2"),
    ]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_file_of_questions_is_read_piece_by_piece(chunk: int) -> None:
    text = json.dumps([CHAT, {**CHAT, "question_id": "q2 \u2603 ]["}], indent=2)
    assert [item["question_id"] for item in longmemeval.items(io.StringIO(text), chunk)] == [
        "q1",
        "q2 \u2603 ][",
    ]


@pytest.mark.parametrize("text", ['{"a": 1}', '[{"a": 1}', '[{"a": ', ""])
def test_a_file_that_is_cut_short_is_no_smaller_benchmark(text: str) -> None:
    with pytest.raises(ValueError):
        list(longmemeval.items(io.StringIO(text), 4))


def test_sessions_and_turns_of_long_chats_have_their_own_gold(tmp_path: Path) -> None:
    path = written(tmp_path / "longmemeval_s.json", [CHAT])
    (sessions,), (turns,) = longmemeval.load(path, "session"), longmemeval.load(path, "turn")
    assert golds(sessions) == [["answer_s2"]]
    assert golds(turns) == [["answer_s2#1"]]
    assert [document.id for document in turns.documents] == ["s1#1", "answer_s2#1", "answer_s2#2"]
    assert sessions.documents[1].day == "2024-06-03T09:05:00"
    assert sessions.questions[0].asked == "2024-06-10T08:30:00"


def test_an_abstention_question_is_not_scored(tmp_path: Path) -> None:
    path = written(tmp_path / "longmemeval_s.json", [{**CHAT, "question_id": "q1_abs"}])
    (found,) = longmemeval.load(path, "session")
    assert (found.questions[0].category, found.scored()) == ("abstention", ())


def test_a_beir_folder_is_read_with_its_titles_and_grades(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    written(
        folder / "corpus.jsonl",
        '{"_id": "d1", "title": "Looms", "text": "They weave."}\n{"_id": "d2", "title": "", '
        '"text": "Kilns."}\n',
    )
    written(
        folder / "queries.jsonl",
        '{"_id": "q1", "text": "weaving"}\n{"_id": "q2", "text": "unjudged"}\n',
    )
    written(
        folder / "qrels" / "test.tsv",
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\tgone\t1\n",
    )
    found = qrels.beir(folder, "test")
    assert [document.text for document in found.documents] == ["Looms\nThey weave.", "Kilns."]
    assert [dict(question.gold) for question in found.questions] == [{"d1": 2.0}]


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_trec_judgements_have_four_columns(tmp_path: Path, separator: str) -> None:
    lines = [("q1", "0", "d1", "3"), ("q1", "0", "d2", "-1")]
    path = written(tmp_path / "judged.qrels", "\n".join(separator.join(line) for line in lines))
    documents, queries = (
        written(tmp_path / "d.tsv", "d1\tA loom\nd2\tA kiln\n"),
        written(tmp_path / "q.tsv", "q1\tloom\n"),
    )
    found = qrels.trec(path, documents, queries)
    assert dict(found.questions[0].gold) == {"d1": 3.0}


def test_one_json_file_can_hold_a_whole_set(tmp_path: Path) -> None:
    data = {"documents": {"d1": "A loom"}, "queries": {"q1": "loom"}, "qrels": {"q1": {"d1": 1}}}
    found = qrels.single(written(tmp_path / "set.json", data))
    assert golds(found) == [["d1"]]
