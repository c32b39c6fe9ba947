"""The reader of opencode keeps the contract of all readers."""

import json
from pathlib import Path

import pytest
from contract import ReaderContract

from memctl.readers import list_session_files
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader
from memctl.readers.opencode import READER


class TestOpenCode(ReaderContract):
    module = "opencode"


def make_tree(storage: Path, *, is_old: bool = False) -> Path:
    """A session of two messages as OpenCode kept it in files.

    Older versions put all of it below `session`.
    """
    base = storage / "session" if is_old else storage
    files = {
        storage / "session" / "p1" / "ses_1.json": {
            "id": "ses_1",
            "projectID": "p1",
            "directory": "/w/harbor",
            "title": "Ferry",
        },
        base / "message" / "ses_1" / "msg_2.json": {
            "id": "msg_2",
            "sessionID": "ses_1",
            "role": "assistant",
            "time": {"created": 2000},
        },
        base / "message" / "ses_1" / "msg_1.json": {
            "id": "msg_1",
            "sessionID": "ses_1",
            "role": "user",
            "time": {"created": 1000},
        },
    }
    parts = base / "part" / "ses_1" if is_old else base / "part"
    files[parts / "msg_1" / "prt_1.json"] = {
        "id": "prt_1",
        "type": "text",
        "text": "When does the ferry go?",
    }
    files[parts / "msg_2" / "prt_2.json"] = {"id": "prt_2", "type": "text", "text": "At eight."}
    for path, value in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return storage / "session" / "p1" / "ses_1.json"


@pytest.mark.parametrize("is_old", [False, True])
def test_a_session_in_a_tree_is_read_from_its_own_file(tmp_path: Path, is_old: bool) -> None:
    path = make_tree(tmp_path / "storage", is_old=is_old)
    (transcript,) = READER.read(Input(path=path))
    assert [(turn.role, turn.text) for turn in transcript.turns] == [
        ("human", "When does the ferry go?"),
        ("assistant", "At eight."),
    ]
    assert (transcript.session_id, transcript.cwd) == ("ses_1", "/w/harbor")
    assert len(list_session_files(path)) == 5, "capture looks at all files for a change"


def test_a_lone_piece_of_a_tree_is_refused_with_what_to_give_instead() -> None:
    for piece in (
        {"id": "m", "sessionID": "s", "role": "user"},
        {"id": "p", "type": "text", "text": "Hi", "time": {"start": 1}},
    ):
        given = Input(data=json.dumps(piece).encode())
        assert detect_reader(given).name == "opencode"
        assert [transcript.turns for transcript in READER.read(given)] == [()]
        assert "ses_ID.json" in next(iter(given.unknown))


def test_a_session_without_its_messages_says_where_they_belong(tmp_path: Path) -> None:
    alone = tmp_path / "ses_1.json"
    alone.write_text('{"id": "ses_1", "projectID": "p1", "directory": "/w/harbor"}')
    given = Input(path=alone)
    assert [transcript.turns for transcript in READER.read(given)] == [()]
    assert "message/ses_ID" in next(iter(given.unknown))


def test_parts_that_lie_in_one_folder_are_told_apart_by_their_message(tmp_path: Path) -> None:
    path = make_tree(tmp_path / "storage")
    for part, message in (
        (tmp_path / "storage/part/msg_1/prt_1.json", "msg_1"),
        (tmp_path / "storage/part/msg_2/prt_2.json", "msg_2"),
    ):
        told = json.loads(part.read_text()) | {"messageID": message}
        part.unlink()
        part.parent.rmdir()
        (tmp_path / "storage/part" / part.name).write_text(json.dumps(told))
    (transcript,) = READER.read(Input(path=path))
    assert [(turn.role, turn.text) for turn in transcript.turns] == [
        ("human", "When does the ferry go?"),
        ("assistant", "At eight."),
    ]
    assert len(list_session_files(path)) == 5


@pytest.mark.parametrize(
    ("revert", "left"),
    [
        ({"messageID": "m2"}, ["Ask the ferry"]),
        ({"messageID": "m2", "partID": "p3"}, ["Ask the ferry", "And the tide"]),
    ],
)
def test_what_was_reverted_is_gone(revert: dict[str, str], left: list[str]) -> None:
    def make_message(name: str, *parts: tuple[str, str]) -> dict[str, object]:
        told = [{"id": part, "type": "text", "text": text} for part, text in parts]
        return {"info": {"id": name, "role": "user"}, "parts": told}

    told = [
        make_message("m1", ("p1", "Ask the ferry")),
        make_message("m2", ("p2", "And the tide"), ("p3", "Or the moon")),
        make_message("m3", ("p4", "No")),
    ]
    export = {"info": {"id": "ses_1", "directory": "/w", "revert": revert}, "messages": told}
    (transcript,) = READER.read(Input(data=json.dumps(export).encode()))
    assert [turn.text for turn in transcript.turns] == left


def test_a_forks_tree_is_told_by_its_folder(tmp_path: Path) -> None:
    (transcript,) = READER.read(Input(path=make_tree(tmp_path / "kilo" / "storage")))
    assert transcript.agent == "kilo"
