"""Cursor's databases are read in their own order, without what was rewound, and not changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from contract import EXAMPLES, ODD_VALUES, OWN_CONTEXT
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.frozen import replace
from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.cursor_db import READER
from memctl.readers.detect import detect_database_reader
from memctl.store.foreign_databases import open_tables

BOATYARD = "/home/ada/boatyard"
Row = tuple[str, Any]


@contextmanager
def open_database(path: Path, **tables: list[Row]) -> Iterator[Input]:
    """A database of tables of two columns, opened as capture opens it."""
    columns = {"blobs": "id TEXT, data BLOB"}
    with closing(sqlite3.connect(path)) as db:
        for name, rows in tables.items():
            db.execute(f"CREATE TABLE {name} ({columns.get(name, 'key TEXT, value BLOB')})")
            db.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        db.commit()
    with open_tables(path) as opened:
        yield Input(path=path, tables=opened)


def list_texts(transcript: Transcript) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in transcript.turns]


def encode_field(number: int, value: bytes) -> bytes:
    """A field of a protocol buffer that has a length."""
    return bytes([number << 3 | 2, len(value)]) + value


def open_store(path: Path, messages: list[dict[str, Any]], root: bytes, **about: Any) -> Any:
    """A `store.db` whose blobs are the messages, under ids that count up, and a root."""
    blobs = [
        (make_blob_id(number).hex(), json.dumps(message).encode())
        for number, message in enumerate(messages)
    ]
    about = {
        "agentId": "a1",
        "name": "The boat",
        "createdAt": 1775124000000,
        "latestRootBlobId": "ff" * 32,
    } | about
    return open_database(
        path, meta=[("0", json.dumps(about).encode().hex())], blobs=[*blobs, ("ff" * 32, root)]
    )


def make_blob_id(number: int) -> bytes:
    return number.to_bytes(32, "big")


MESSAGES: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Tarring."},
            {
                "type": "tool-call",
                "toolCallId": "k",
                "toolName": "Shell",
                "args": {"command": "tar"},
            },
        ],
    },
    {
        "role": "tool",
        "content": [
            {"type": "tool-result", "toolCallId": "k", "toolName": "Shell", "result": "tarred"}
        ],
    },
    {"role": "user", "content": "<user_info>\nWorkspace Path: /home/ada/boatyard\n</user_info>"},
    {
        "role": "user",
        "content": [{"type": "text", "text": "<user_query>\nTar the keel\n</user_query>"}],
    },
    {"role": "user", "content": "<user_query>This was rewound</user_query>"},
    {"role": "system", "content": "You are an agent."},
]
TOLD = [
    ("human", "Tar the keel"),
    ("assistant", "Tarring."),
    ("assistant", "tar"),
    ("tool", "tarred"),
    ("system", "The boat"),
]


def test_the_messages_of_a_store_come_in_the_order_of_its_root(tmp_path: Path) -> None:
    root = b"".join(encode_field(1, make_blob_id(number)) for number in (5, 2, 3, 0, 1))
    with open_store(tmp_path / "store.db", MESSAGES, root) as source:
        assert detect_database_reader(source) is READER
        (found,) = READER.read(source)
    assert list_texts(found) == TOLD
    assert (found.session_id, found.title, found.cwd, found.started_at) == (
        "a1",
        "The boat",
        BOATYARD,
        "2026-04-02T10:00:00.000Z",
    )


def test_a_root_may_name_its_messages_through_other_blobs_and_itself_without_end(
    tmp_path: Path,
) -> None:
    inner = b"".join(encode_field(1, make_blob_id(number)) for number in (3, 0, 1))
    with open_store(
        tmp_path / "store.db",
        MESSAGES,
        encode_field(8, make_blob_id(100))
        + encode_field(1, b"\xff" * 32)
        + encode_field(9, BOATYARD.encode()),
    ) as source:
        pass
    with closing(sqlite3.connect(tmp_path / "store.db")) as db:
        db.execute(
            "INSERT INTO blobs VALUES (?, ?)",
            (make_blob_id(100).hex(), b"\x10\x05" + inner + encode_field(1, b"\xff" * 32)),
        )
        db.commit()
    with open_tables(tmp_path / "store.db") as tables:
        (found,) = READER.read(replace(source, tables=tables))
    assert list_texts(found) == TOLD
    assert found.cwd == BOATYARD


def test_without_a_root_the_messages_come_as_they_were_written(tmp_path: Path) -> None:
    with open_store(
        tmp_path / "store.db", MESSAGES[3:4] + MESSAGES[:1], b"\xff", latestRootBlobId=""
    ) as source:
        (found,) = READER.read(source)
    assert list_texts(found)[:2] == [("human", "Tar the keel"), ("assistant", "Tarring.")]


def test_a_store_without_messages_has_a_title_and_nothing_else(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.db", [], b"") as source:
        assert [list_texts(found) for found in READER.read(source)] == [[("system", "The boat")]]


def test_what_stands_beside_a_store_says_that_a_sub_agent_worked_there(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text(
        json.dumps({"title": "Tarring", "cwd": BOATYARD, "isSubagent": True})
    )
    with open_store(
        tmp_path / "store.db", MESSAGES[3:4], encode_field(1, make_blob_id(0))
    ) as source:
        (found,) = READER.read(replace(source, session=tmp_path.name))
    assert (list_texts(found), found.cwd) == (
        [("system", "Tar the keel"), ("system", "Tarring")],
        BOATYARD,
    )


def make_composer(composer_id: str, bubbles: list[str], **more: Any) -> Row:
    headers = [{"bubbleId": bubble, "type": 1} for bubble in bubbles]
    return f"composerData:{composer_id}", json.dumps(
        {"composerId": composer_id, "name": "Keel", "fullConversationHeadersOnly": headers, **more}
    )


def make_bubble(composer: str, name: str, kind: int, text: str, **more: Any) -> Row:
    return f"bubbleId:{composer}:{name}", json.dumps({"type": kind, "text": text, **more}).encode()


TOOL = {
    "name": "run_terminal_cmd",
    "toolCallId": "k",
    "status": "completed",
    "rawArgs": '{"command": "tar"}',
    "result": '{"output": "tarred"}',
}
EDITOR: list[Row] = [
    make_composer(
        "c1",
        ["b2", "b1", "gone"],
        workspaceIdentifier={"uri": {"fsPath": BOATYARD}},
        createdAt=1775124000000,
    ),
    make_bubble("c1", "b1", 2, "Tarring.", toolFormerData=TOOL, thinking={"text": "hm"}),
    make_bubble("c1", "b2", 1, "Tar the keel", createdAt="2026-04-02T10:00:01.000Z"),
    make_bubble("c1", "b3", 1, "This was rewound"),
    make_composer("c2", ["b1"], subagentInfo={"parentComposerId": "c1"}),
    make_bubble("c2", "b1", 1, "Look at the rudder"),
    (
        "composerData:c3",
        json.dumps(
            {
                "conversation": [
                    {"type": 1, "text": "Inline"},
                    {"type": 2, "text": "Yes."},
                    {"type": 7},
                ]
            }
        ),
    ),
    ("composerData:c4", None),
    ("composerDatb", "x"),
]


def test_the_bubbles_of_a_composer_come_in_its_order_without_the_rewound(tmp_path: Path) -> None:
    with open_database(tmp_path / "state.vscdb", cursorDiskKV=EDITOR) as source:
        assert detect_database_reader(source) is READER
        found = {each.session_id: each for each in READER.read(source)}
    assert list(found) == ["c1", "c2", "c3", "c4"]
    assert list_texts(found["c1"]) == [("human", "Tar the keel"), *TOLD[1:4], ("system", "Keel")]
    assert (found["c1"].cwd, found["c1"].started_at) == (BOATYARD, "2026-04-02T10:00:01.000Z")
    assert found["c1"].turns[3].ok is True
    assert list_texts(found["c3"]) == [("human", "Inline"), ("assistant", "Yes.")]
    assert found["c3"].unknown == {"bubble": 1}


def test_in_a_composer_that_serves_another_no_human_speaks(tmp_path: Path) -> None:
    with open_database(tmp_path / "state.vscdb", cursorDiskKV=EDITOR) as source:
        (found,) = READER.read(replace(source, session="c2"))
    assert found.parent_session_id == "c1"
    assert list_texts(found)[0] == ("system", "Look at the rudder")


def test_the_database_of_a_folder_holds_what_older_versions_kept_there(tmp_path: Path) -> None:
    tabs = {
        "tabs": [
            {
                "tabId": "t1",
                "chatTitle": "Oars",
                "bubbles": [
                    {"type": "user", "text": "Carve oars"},
                    {"type": "ai", "rawText": "Two."},
                ],
            }
        ]
    }
    composers = {
        "allComposers": [
            {"composerId": "c9", "conversation": [{"type": 1, "text": "Sand them"}]},
            {"composerId": "c1"},
        ]
    }
    rows = [
        ("workbench.panel.aichat.view.aichat.chatdata", json.dumps(tabs)),
        ("composer.composerData", json.dumps(composers)),
    ]
    (tmp_path / "workspace.json").write_text(json.dumps({"folder": f"file://{BOATYARD}"}))
    with open_database(tmp_path / "state.vscdb", ItemTable=rows) as source:
        found = list(READER.read(source))
    assert [(each.session_id, each.cwd) for each in found] == [("c9", BOATYARD), ("t1", BOATYARD)]
    assert list_texts(found[1]) == [
        ("human", "Carve oars"),
        ("assistant", "Two."),
        ("system", "Oars"),
    ]


def test_one_session_that_is_asked_for_is_the_only_one(tmp_path: Path) -> None:
    with open_database(tmp_path / "state.vscdb", cursorDiskKV=EDITOR) as source:
        assert [each.session_id for each in READER.read(replace(source, session="c3"))] == ["c3"]
    with open_store(tmp_path / "store.db", [], b"") as source:
        assert list(READER.read(replace(source, session="other"))) == []


def test_our_own_context_does_not_come_back_out_of_a_database(tmp_path: Path) -> None:
    rows = [make_composer("c1", ["b1"]), make_bubble("c1", "b1", 1, f"{OWN_CONTEXT}\nTar the keel")]
    with open_database(tmp_path / "state.vscdb", cursorDiskKV=rows) as source:
        assert [list_texts(found)[0] for found in READER.read(source)] == [
            ("human", "Tar the keel")
        ]


@pytest.mark.parametrize(
    "blob",
    [b"\x0a", b"\x0a\xff\xff\xff\xff\x7f", b"\xff" * 40, b"\x09", b"\x08\x80", b"{", b"\x0b"],
)
def test_a_broken_root_never_raises(tmp_path: Path, blob: bytes) -> None:
    with open_store(tmp_path / "store.db", MESSAGES[3:4], blob) as source:
        list(READER.read(source))


def test_values_of_the_wrong_type_never_raise(tmp_path_factory: pytest.TempPathFactory) -> None:
    @EXAMPLES
    @given(
        st.sampled_from(ODD_VALUES),
        st.sampled_from(ODD_VALUES),
        st.sampled_from([1, 2, "user", None]),
    )
    def try_one(one: Any, two: Any, kind: Any) -> None:
        rows = [
            make_composer(
                "c1",
                ["b1"],
                name=one,
                createdAt=two,
                workspaceIdentifier=one,
                subagentInfo=two,
                activeBranch=one,
            ),
            (
                "bubbleId:c1:b1",
                json.dumps(
                    {
                        "type": kind,
                        "text": one,
                        "toolFormerData": {"name": "x", "result": two, "rawArgs": one},
                        "createdAt": two,
                    }
                ),
            ),
            ("composerData:c2", json.dumps(one)),
            (
                "composerData:c3",
                json.dumps({"conversation": one, "fullConversationHeadersOnly": [two]}),
            ),
        ]
        path = tmp_path_factory.mktemp("odd") / "state.vscdb"
        with open_database(
            path,
            cursorDiskKV=rows,
            ItemTable=[("composer.composerData", json.dumps({"allComposers": one}))],
        ) as source:
            assert all(isinstance(found.session_id, str) for found in READER.read(source))

    try_one()
