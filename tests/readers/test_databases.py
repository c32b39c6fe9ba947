"""Readers of agents' databases: every session with its turns, and nothing from other tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memctl.core.errors import UnknownFormat
from memctl.core.model import Transcript
from memctl.readers import DATABASE_READERS, load_reader
from memctl.readers.base import Input
from memctl.readers.detect import detect_database_reader
from memctl.store import foreign_databases

Rows = Mapping[str, Iterable[Mapping[str, Any]]]

OPENCODE: Rows = {
    "project": [{"id": "p1", "worktree": "/w/harbor"}],
    "session": [
        {
            "id": "ses_1",
            "project_id": "p1",
            "parent_id": None,
            "directory": "/w/harbor",
            "title": "Ferry",
            "time_created": 1772355600000,
        },
        {
            "id": "ses_2",
            "project_id": "p1",
            "parent_id": "ses_1",
            "directory": "/w/harbor",
            "title": "Helper",
            "time_created": 1772355600500,
        },
        {
            "id": "ses_3",
            "project_id": "p1",
            "parent_id": None,
            "directory": "/w/harbor",
            "title": "Empty",
            "time_created": 1772355600900,
        },
    ],
    "message": [
        {
            "id": "msg_1",
            "session_id": "ses_1",
            "data": {"role": "user", "time": {"created": 1772355601000}},
        },
        {
            "id": "msg_2",
            "session_id": "ses_1",
            "data": {"role": "assistant", "time": {"created": 1772355602000}},
        },
        {
            "id": "msg_3",
            "session_id": "ses_2",
            "data": {"role": "user", "time": {"created": 1772355603000}},
        },
    ],
    "part": [
        {
            "id": "prt_1",
            "message_id": "msg_1",
            "session_id": "ses_1",
            "data": {"type": "text", "text": "When does the ferry go?"},
        },
        {
            "id": "prt_2",
            "message_id": "msg_2",
            "session_id": "ses_1",
            "data": {"type": "text", "text": "At eight."},
        },
        {
            "id": "prt_3",
            "message_id": "msg_3",
            "session_id": "ses_2",
            "data": {"type": "text", "text": "Look the time up"},
        },
    ],
}
GOOSE: Rows = {
    "sessions": [
        {"id": "g-1", "name": "Gulls", "working_dir": "/w/harbor", "session_type": "user"},
        {"id": "g-2", "name": "Helper", "working_dir": "/w/harbor", "session_type": "sub_agent"},
    ],
    "messages": [
        {
            "id": 1,
            "session_id": "g-1",
            "role": "user",
            "created_timestamp": 1772355600,
            "content_json": [{"type": "text", "text": "Count the gulls"}],
        },
        {
            "id": 2,
            "session_id": "g-1",
            "role": "assistant",
            "created_timestamp": 1772355601,
            "content_json": [{"type": "text", "text": "Seventeen."}],
        },
        {
            "id": 3,
            "session_id": "g-2",
            "role": "user",
            "created_timestamp": 1772355602,
            "content_json": [{"type": "text", "text": "Look north"}],
        },
    ],
}
HERMES: Rows = {
    "sessions": [
        {
            "id": "h-1",
            "source": "cli",
            "title": "Anchor",
            "started_at": 1772355600.0,
            "parent_session_id": None,
        }
    ],
    "messages": [
        {
            "id": 1,
            "session_id": "h-1",
            "role": "user",
            "content": "Weigh the anchor",
            "tool_calls": None,
            "tool_name": None,
            "timestamp": 1772355601.0,
        },
        {
            "id": 2,
            "session_id": "h-1",
            "role": "assistant",
            "content": "I ask.",
            "tool_name": None,
            "timestamp": 1772355602.0,
            "tool_calls": [{"id": "c1", "function": {"name": "scales", "arguments": "{}"}}],
        },
        {
            "id": 3,
            "session_id": "h-1",
            "role": "tool",
            "content": "90 kg",
            "tool_calls": None,
            "tool_name": "scales",
            "timestamp": 1772355603.0,
        },
    ],
}


NEWER_CALL = {
    "type": "tool",
    "id": "c1",
    "name": "bash",
    "state": {
        "status": "completed",
        "input": {"command": "ls"},
        "content": [{"type": "text", "text": "times"}],
    },
}


def make_database(path: Path, tables: Rows) -> Path:
    """A database with these rows; objects and lists are stored as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        for table, rows in tables.items():
            for row in rows:
                names = ", ".join(f'"{name}"' for name in row)
                db.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({names})')
                values = [
                    json.dumps(value) if isinstance(value, (dict, list)) else value
                    for value in row.values()
                ]
                db.execute(
                    f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(values))})',
                    values,
                )
        db.commit()
    return path


def read_all(path: Path, session: str | None = None) -> list[Transcript]:
    with foreign_databases.open_tables(path) as tables:
        source = Input(path=path, tables=tables, session=session)
        return list(detect_database_reader(source).read(source))


def list_texts(transcript: Transcript) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in transcript.turns]


def test_opencodes_sessions_are_read_and_a_helpers_prompt_is_nobodys(tmp_path: Path) -> None:
    one, two = read_all(make_database(tmp_path / "opencode.db", OPENCODE))
    assert (one.agent, one.session_id, one.cwd, one.title) == (
        "opencode",
        "ses_1",
        "/w/harbor",
        "Ferry",
    )
    assert list_texts(one) == [("human", "When does the ferry go?"), ("assistant", "At eight.")]
    assert (two.parent_session_id, list_texts(two)) == ("ses_1", [("system", "Look the time up")])
    assert one.turns[0].ts == "2026-03-01T09:00:01.000Z"


def test_a_forks_database_is_told_by_its_name(tmp_path: Path) -> None:
    assert {
        transcript.agent for transcript in read_all(make_database(tmp_path / "kilo.db", OPENCODE))
    } == {"kilo"}


def test_what_was_reverted_in_a_database_is_gone(tmp_path: Path) -> None:
    reverted = [
        {**row, "revert": {"messageID": "msg_2"} if row["id"] == "ses_1" else None}
        for row in OPENCODE["session"]
    ]
    one, _ = read_all(make_database(tmp_path / "opencode.db", {**OPENCODE, "session": reverted}))
    assert list_texts(one) == [("human", "When does the ferry go?")]


def test_a_session_that_stands_in_the_newer_table_only_is_read_from_there(tmp_path: Path) -> None:
    told: list[tuple[str, dict[str, Any]]] = [
        ("user", {"text": "When does the ferry go?"}),
        ("synthetic", {"text": "The plan was read."}),
        ("shell", {"command": "cat times", "output": "8"}),
        (
            "assistant",
            {
                "content": [
                    {"type": "reasoning", "text": "hm"},
                    {"type": "text", "text": "At eight."},
                    NEWER_CALL,
                ]
            },
        ),
        ("compaction", {"summary": "The ferry goes at eight."}),
    ]
    rows = [
        {"id": f"e{n}", "session_id": "ses_3", "type": kind, "time_created": n, "data": data}
        for n, (kind, data) in enumerate(told)
    ]
    *_, three = read_all(
        make_database(tmp_path / "opencode.db", {**OPENCODE, "session_message": rows})
    )
    assert list_texts(three) == [
        ("human", "When does the ferry go?"),
        ("human", "!cat times"),
        ("assistant", "At eight."),
        ("assistant", "ls"),
        ("tool", "times"),
        ("summary", "The ferry goes at eight."),
    ]


def test_gooses_sessions_are_read(tmp_path: Path) -> None:
    one, two = read_all(make_database(tmp_path / "sessions.db", GOOSE))
    assert (one.agent, one.session_id, one.cwd, one.title) == ("goose", "g-1", "/w/harbor", "Gulls")
    assert list_texts(one) == [("human", "Count the gulls"), ("assistant", "Seventeen.")]
    assert list_texts(two) == [("system", "Look north")]


@pytest.mark.parametrize("kind", ["scheduled", "hidden"])
def test_what_goose_started_by_itself_was_asked_by_nobody(tmp_path: Path, kind: str) -> None:
    one, _ = read_all(
        make_database(
            tmp_path / "sessions.db",
            {**GOOSE, "sessions": [{**row, "session_type": kind} for row in GOOSE["sessions"]]},
        )
    )
    assert list_texts(one)[0] == ("system", "Count the gulls")


def test_hermes_sessions_are_read(tmp_path: Path) -> None:
    (one,) = read_all(make_database(tmp_path / "state.db", HERMES))
    assert (one.agent, one.session_id, one.title) == ("hermes", "h-1", "Anchor")
    assert list_texts(one) == [
        ("human", "Weigh the anchor"),
        ("assistant", "I ask."),
        ("assistant", "scales"),
        ("tool", "90 kg"),
    ]


def test_what_hermes_rewound_is_gone_and_what_a_compaction_copied_counts_once(
    tmp_path: Path,
) -> None:
    told = [
        ("Weigh the anchor", 1, 0, 1),
        ("Weigh the crab", 2, 0, 0),
        ("Weigh the anchor", 1, 1, 0),
        ("Weigh the anchor", 9, 1, 0),
    ]
    rows = [
        {
            "id": n,
            "session_id": "h-1",
            "role": "user",
            "content": text,
            "tool_calls": None,
            "tool_name": None,
            "timestamp": at,
        }
        | {"active": active, "compacted": compacted}
        for n, (text, at, active, compacted) in enumerate(told)
    ]
    (one,) = read_all(
        make_database(
            tmp_path / "state.db", {"sessions": [{"id": "h-1", "started_at": 1}], "messages": rows}
        )
    )
    assert list_texts(one) == [("human", "Weigh the anchor"), ("human", "Weigh the anchor")], (
        "the same words at another time are said again"
    )


def test_what_hermes_asks_a_helper_is_nobodys(tmp_path: Path) -> None:
    helpers = [
        {**row, "model_config": {"_delegate_from": "h-0"}, "parent_session_id": "h-0"}
        for row in HERMES["sessions"]
    ]
    (one,) = read_all(make_database(tmp_path / "state.db", {**HERMES, "sessions": helpers}))
    assert (one.parent_session_id, list_texts(one)[0]) == ("h-0", ("system", "Weigh the anchor"))


@pytest.mark.parametrize(
    ("rows", "session"), [(OPENCODE, "ses_2"), (GOOSE, "g-2"), (HERMES, "h-1")]
)
def test_one_session_may_be_asked_for(tmp_path: Path, rows: Rows, session: str) -> None:
    path = make_database(tmp_path / "their.db", rows)
    assert [transcript.session_id for transcript in read_all(path, session)] == [session]
    assert read_all(path, "nothing") == []


@pytest.mark.parametrize("name", DATABASE_READERS)
def test_no_reader_of_databases_claims_bytes_or_tables_that_it_does_not_know(
    tmp_path: Path, name: str
) -> None:
    reader: Any = load_reader(name)
    assert reader.sniff(b'{"role": "user", "content": "x"}', "x.jsonl") == 0.0
    with foreign_databases.open_tables(
        make_database(
            tmp_path / "other.db", {"notes": [{"id": 1}], "messages": [{"id": 1, "body": "x"}]}
        )
    ) as tables:
        assert reader.knows(tables) < 0.3


def test_a_database_of_nobody_is_refused_with_its_tables(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="its tables: notes"):
        read_all(make_database(tmp_path / "other.db", {"notes": [{"id": 1}]}))


@pytest.mark.parametrize("rows", [OPENCODE, GOOSE, HERMES])
def test_values_of_every_wrong_type_never_raise(tmp_path: Path, rows: Rows) -> None:
    for number, wrong in enumerate(
        [None, -1, 1.5, "x", b"\xff\x00", "[]", '{"role": []}', "null", '"x"']
    ):
        broken = {
            table: [dict.fromkeys(row, wrong) | {"id": row["id"]} for row in rows]
            for table, rows in rows.items()
        }
        read_all(make_database(tmp_path / f"broken{number}.db", broken))
