"""Every memory of another tool comes with its kind and project; other files give nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memctl.capture.store_transcripts import COPIES
from memctl.core.model import AGENT_CLAIMED, Candidate
from memctl.extract import extract
from memctl.importers import IMPORTERS, KINDS, find_importer, get_importer
from memctl.importers.base import FORMAT_PREFIX, ImportedFile, ProjectMemories
from memctl.readers.base import Input
from memctl.store import foreign_databases

Rows = Mapping[str, Iterable[Mapping[str, Any]]]

CLAUDE_MEM: Rows = {
    "observations": [
        {
            "id": 1,
            "memory_session_id": "s",
            "project": "harbor",
            "type": "decision",
            "title": "SQLite for tides",
            "subtitle": "store",
            "narrative": "SQLite was chosen because one process writes.",
            "facts": "[]",
            "text": None,
            "concepts": "[]",
            "created_at_epoch": 1772355600000,
        },
        {
            "id": 2,
            "memory_session_id": "s",
            "project": "harbor",
            "type": "decision",
            "title": "Blue buoys",
            "subtitle": "",
            "narrative": "Buoys are blue.",
            "facts": None,
            "text": None,
            "concepts": None,
            "created_at_epoch": 1772355601000,
        },
        {
            "id": 3,
            "memory_session_id": "s",
            "project": "harbor",
            "type": "bugfix",
            "title": "Tide off by one hour",
            "subtitle": "",
            "narrative": "",
            "facts": json.dumps(["The zone was read as local.", "It is UTC."]),
            "text": None,
            "concepts": None,
            "created_at_epoch": 1772355602000,
        },
        {
            "id": 4,
            "memory_session_id": "t",
            "project": "gulls",
            "type": "discovery",
            "title": "Gulls sleep at noon",
            "subtitle": "",
            "narrative": "",
            "facts": "not json",
            "text": "Seen twice.",
            "concepts": None,
            "created_at_epoch": 1772355603000,
        },
        {
            "id": 6,
            "memory_session_id": "t",
            "project": "cliff",
            "merged_into_project": "gulls",
            "type": "change",
            "title": "Nests counted",
            "subtitle": "",
            "narrative": "There are nine.",
            "facts": None,
            "text": None,
            "concepts": None,
            "created_at_epoch": 1772355607000,
        },
        {
            "id": 5,
            "memory_session_id": "t",
            "project": "",
            "type": "discovery",
            "title": "Nobody's",
            "subtitle": "",
            "narrative": "x",
            "facts": None,
            "text": None,
            "concepts": None,
            "created_at_epoch": 1772355604000,
        },
    ],
    "session_summaries": [
        {
            "id": 1,
            "project": "harbor",
            "request": "r",
            "investigated": "i",
            "learned": "The office closes at four.",
            "completed": "c",
            "next_steps": "n",
            "notes": "",
            "created_at_epoch": 1772355605000,
        },
    ],
    "directives": [
        {
            "id": 1,
            "scope": "global",
            "project": None,
            "content": "Never use emojis",
            "status": "active",
            "created_at_epoch": 1772355606000,
        },
        {
            "id": 2,
            "scope": "project",
            "project": "harbor",
            "content": "Use metres for tides",
            "status": "active",
            "created_at_epoch": 1772355606000,
        },
        {
            "id": 3,
            "scope": "project",
            "project": "harbor",
            "content": "Use feet for tides",
            "status": "archived",
        },
    ],
}
ENGRAM: Rows = {
    "sessions": [{"id": "s1", "project": "harbor", "directory": "/w/harbor"}],
    "observations": [
        {
            "id": 1,
            "session_id": "s1",
            "type": "decision",
            "title": "One writer",
            "scope": "project",
            "project": "harbor",
            "content": "**What**: One writer\n**Why**: Two lose tides\n**Where**: store.py",
            "created_at": "2026-03-01 09:00:00",
        },
        {
            "id": 2,
            "session_id": "s1",
            "type": "preference",
            "title": "Short",
            "scope": "personal",
            "project": "harbor",
            "content": "I want short answers",
            "created_at": "2026-03-01 09:00:01",
        },
        {
            "id": 3,
            "session_id": "s1",
            "type": "bugfix",
            "title": "Fog",
            "scope": "project",
            "project": None,
            "content": "Fog broke the horn",
            "created_at": "2026-03-01 09:00:02",
        },
        {
            "id": 4,
            "session_id": "s1",
            "type": "discovery",
            "title": "Gone",
            "scope": "project",
            "project": "harbor",
            "content": "Gone words",
            "created_at": "2026-03-01 09:00:03",
            "deleted_at": "2026-03-02 09:00:00",
        },
        {
            "id": 5,
            "session_id": "s1",
            "type": "discovery",
            "title": "Old",
            "scope": "project",
            "project": "harbor",
            "content": "Old words",
            "created_at": "2020-03-01 09:00:03",
            "expires_at": "2020-04-01 09:00:00",
        },
        {
            "id": 6,
            "session_id": "s1",
            "type": "session_summary",
            "title": "Told",
            "scope": "project",
            "project": "harbor",
            "content": "Told",
            "created_at": "2026-03-01 09:00:04",
        },
    ],
}


def write_database(path: Path, rows: Rows) -> Path:
    """A database with these tables, their columns from the rows."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, many in rows.items():
            given = list(many)
            columns = sorted({column for row in given for column in row})
            connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            marks = ", ".join("?" * len(columns))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})",
                [[row.get(column) for column in columns] for row in given],
            )
    return path


def read_by_project(kind: str, path: Path) -> dict[str | None, ProjectMemories]:
    """What a file tells by project, recognised by itself."""
    source = Input(path=path)
    if source.is_database():
        with foreign_databases.open_tables(path) as tables:
            return _read_source(kind, path, Input(path=path, tables=tables))
    return _read_source(kind, path, source)


def _read_source(kind: str, path: Path, source: Input) -> dict[str | None, ProjectMemories]:
    importer = find_importer(path, source)
    assert importer is not None and importer.kind == kind
    told = list(importer.read(source, ImportedFile(path, path.parent)))
    assert all(
        each.transcript.format == FORMAT_PREFIX + kind and each.transcript.agent == kind
        for each in told
    )
    assert len({each.transcript.session_id for each in told}) == len(told)
    return {"?" if each.reason_unplaced else each.project: each for each in told}


def extract_candidates(told: ProjectMemories) -> list[Candidate]:
    found = extract(told.transcript)
    assert all(
        candidate.trust == AGENT_CLAIMED and candidate.type != "episode" for candidate in found
    )
    return found


def describe_candidates(told: ProjectMemories) -> list[tuple[str, str]]:
    return [
        (f"{candidate.type}/{candidate.kind}", candidate.content)
        for candidate in extract_candidates(told)
    ]


def test_capture_knows_which_kinds_are_copies_of_another_store() -> None:
    assert {FORMAT_PREFIX + importer.kind for importer in IMPORTERS if importer.is_export} == COPIES
    assert len(set(KINDS)) == len(KINDS)


def test_claude_mem_tells_project_by_project_what_it_keeps(tmp_path: Path) -> None:
    told = read_by_project("claude-mem", write_database(tmp_path / "claude-mem.db", CLAUDE_MEM))
    assert set(told) == {"harbor", "gulls", None, "?"}
    assert describe_candidates(told["harbor"]) == [
        ("decision/decision", "SQLite for tides: SQLite was chosen because one process writes."),
        ("project/fact", "Blue buoys: Buoys are blue."),
        ("task_hint/fix", "Tide off by one hour: The zone was read as local. It is UTC."),
        ("project/fact", "The office closes at four."),
        ("project/convention", "Use metres for tides"),
    ]
    assert extract_candidates(told["harbor"])[0].rationale == "one process writes"
    assert describe_candidates(told["gulls"]) == [
        ("project/fact", "Gulls sleep at noon: Seen twice."),
        ("project/fact", "Nests counted: There are nine."),
    ]
    assert describe_candidates(told[None]) == [("profile/constraint", "Never use emojis")]
    assert told["?"].reason_unplaced == "1 of its memories name no project"
    assert told["harbor"].transcript.turns[0].ts == "2026-03-01T09:00:00.000Z"


def test_engram_leaves_out_what_was_deleted_has_ended_or_only_tells(tmp_path: Path) -> None:
    told = read_by_project("engram", write_database(tmp_path / "engram.db", ENGRAM))
    assert describe_candidates(told["harbor"]) == [
        ("decision/decision", "**What**: One writer **Why**: Two lose tides **Where**: store.py"),
        ("task_hint/fix", "Fog broke the horn"),
    ]
    assert extract_candidates(told["harbor"])[0].rationale == "Two lose tides"
    assert describe_candidates(told[None]) == [("profile/preference", "I want short answers")]


def test_a_database_of_something_else_is_nobodys(tmp_path: Path) -> None:
    path = write_database(tmp_path / "other.db", {"observations": [{"id": 1, "bird": "gull"}]})
    with foreign_databases.open_tables(path) as tables:
        assert find_importer(path, Input(path=path, tables=tables)) is None


def test_a_graph_of_the_memory_server_gives_observations_and_relations(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    lines = [
        {
            "type": "entity",
            "name": "Harbor",
            "entityType": "project",
            "observations": ["Opens at six", "Never closes on Sundays"],
        },
        {
            "type": "entity",
            "name": "default_user",
            "entityType": "person",
            "observations": ["Prefers short answers"],
        },
        {"type": "relation", "from": "Harbor", "to": "North Sea", "relationType": "lies_at"},
        {"type": "other"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "not json\n")
    (told,) = read_by_project("mcp-memory", path).values()
    assert describe_candidates(told) == [
        ("project/fact", "Harbor: Opens at six"),
        ("project/constraint", "Harbor: Never closes on Sundays"),
        ("profile/preference", "Prefers short answers"),
        ("project/fact", "Harbor lies at North Sea"),
    ]
    assert (
        extract_candidates(told)[0].entities[0].name == "Harbor"
        and extract_candidates(told)[0].entities[0].kind == "project"
    )
    assert told.only_rooted and dict(told.transcript.unknown) == {
        "neither entity nor relation": 1,
        "bad line": 1,
    }


def test_mem0_sorts_by_the_project_in_the_metadata(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    results = [
        {
            "id": "2",
            "memory": "Tests run with pytest",
            "user_id": "ann",
            "metadata": {"project": "harbor"},
            "created_at": "2026-03-02",
        },
        {
            "id": "1",
            "memory": "Prefers tea over coffee",
            "user_id": "ann",
            "metadata": None,
            "created_at": "2026-03-01",
        },
        {"id": "3", "memory": "", "user_id": "ann"},
    ]
    path.write_text(json.dumps({"results": results}))
    told = read_by_project("mem0", path)
    assert describe_candidates(told["harbor"]) == [("project/fact", "Tests run with pytest")]
    assert describe_candidates(told[None]) == [("profile/preference", "Prefers tea over coffee")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "chatgpt-memories.txt",
            "Saved memories\n\n- Prefers tea over coffee\n2. [2026-03-01]. Lives near the "
            "harbour\n",
        ),
        ("memories.json", json.dumps(["Prefers tea over coffee", "Lives near the harbour"])),
        (
            "memory.json",
            json.dumps(
                {
                    "memories": [
                        {"content": "Prefers tea over coffee"},
                        {"memory": "Lives near the harbour"},
                        {"x": 1},
                    ]
                }
            ),
        ),
    ],
)
def test_saved_memories_of_a_chat_are_about_the_operator(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    (told,) = read_by_project("chatgpt", path).values()
    assert describe_candidates(told) == [
        ("profile/preference", "Prefers tea over coffee"),
        ("profile/fact", "Lives near the harbour"),
    ]
    assert told.project is None and told.transcript.cwd is None


def test_an_export_of_conversations_gives_the_newest_memories_in_it(tmp_path: Path) -> None:
    def conversation(at: float, words: str) -> dict[str, Any]:
        content = {"content_type": "model_editable_context", "model_set_context": words}
        return {
            "title": "t",
            "create_time": at,
            "mapping": {
                "a": {"message": {"create_time": at, "content": content}},
                "b": {"message": None},
            },
        }

    path = tmp_path / "conversations.json"
    path.write_text(
        json.dumps(
            [
                conversation(2.0, "1. [2026-03-01]. Prefers green tea"),
                conversation(1.0, "1. Prefers old tea"),
                "odd",
            ]
        )
    )
    (told,) = read_by_project("chatgpt", path).values()
    assert describe_candidates(told) == [("profile/preference", "Prefers green tea")]
    assert told.transcript.turns[0].ts == "2026-03-01T00:00:00.000Z"


def test_a_basic_memory_note_gives_observations_and_relations(tmp_path: Path) -> None:
    path = tmp_path / "tides.md"
    path.write_text(
        "---\ntitle: Tides\ntype: note\npermalink: notes/tides\n---\n\n# Tides\n\n## Observations\n"
        "- [fact] High at noon #moon #sun (seen twice)\n"
        "- [decision] Tables are kept in SQLite (one process writes)\n- [decision] Tables are "
        "blue\n- [preference] Prefers metres #unit\n"
        "- [ ] write more\n- [requirement] Every table has a date\n\n## Relations\n- depends_on "
        "[[Moon]]\n"
    )
    (told,) = read_by_project("basic-memory", path).values()
    assert describe_candidates(told) == [
        ("project/fact", "High at noon (seen twice)"),
        ("decision/decision", "Tables are kept in SQLite (one process writes)"),
        ("project/fact", "Tables are blue"),
        ("profile/preference", "Prefers metres"),
        ("project/constraint", "Every table has a date"),
        ("project/fact", "Tides depends on Moon"),
    ]
    assert extract_candidates(told)[1].rationale == "one process writes"


def memory_file(
    tmp_path: Path, text: str, *, cwd: str | None = "/w/harbor", name: str = "rule.md"
) -> Path:
    """A file in a memory folder of Claude Code, beside a session that ran in `cwd`."""
    folder = tmp_path / ".claude" / "projects" / "-w-harbor"
    path = folder / "memory" / name
    path.parent.mkdir(parents=True)
    if cwd:
        (folder / "one.jsonl").write_text(json.dumps({"type": "user", "cwd": cwd}) + "\n")
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("type_", "body", "kind"),
    [
        ("user", "Ann is a harbour master", "profile/fact"),
        (
            "feedback",
            "Never rewrite the tide table.\n\n**Why:** pilots print it.",
            "project/constraint",
        ),
        ("feedback", "Tables first, words later", "project/convention"),
        ("project", "The move to the new pier ends in May", "project/fact"),
        ("reference", "Tickets are in the board HARB", "artifact/pointer"),
    ],
)
def test_a_memory_file_is_one_memory_of_the_kind_that_it_says(
    tmp_path: Path, type_: str, body: str, kind: str
) -> None:
    path = memory_file(
        tmp_path, f"---\nname: tides\ndescription: About tides\ntype: {type_}\n---\n\n{body}\n"
    )
    (told,) = read_by_project("claude-memory", path).values()
    (candidate,) = extract_candidates(told)
    assert (f"{candidate.type}/{candidate.kind}", candidate.title) == (kind, "About tides")
    assert told.transcript.turns[0].text == body and told.transcript.cwd == "/w/harbor"
    assert candidate.rationale == ("pilots print it" if "Why" in body else None)


def test_an_index_of_links_holds_no_memory_and_plain_notes_do(tmp_path: Path) -> None:
    path = memory_file(
        tmp_path, "# Memory\n- [Rule](rule.md)\n- Builds run with `make all`\n", name="MEMORY.md"
    )
    (told,) = read_by_project("claude-memory", path).values()
    assert [text for _, text in describe_candidates(told)] == ["Builds run with `make all`"]


def test_a_memory_file_with_reason_and_use_is_one_memory_and_its_front_matter_counts(
    tmp_path: Path,
) -> None:
    path = memory_file(
        tmp_path,
        "---\nname: ebb-first\ndescription: Ebb before flood in every list\nmetadata:\n"
        "  node_type: memory\n  type: feedback\n  modified: 2026-05-04T06:07:08.000Z\n---\n\n"
        "Always list the ebb before the flood\n\n"
        "**Why:** the pilots read from the top.\n\n"
        "**How to apply:** sort by time; see [[tide-lists]].\n",
    )
    (told,) = read_by_project("claude-memory", path).values()
    (candidate,) = extract_candidates(told)
    assert (candidate.kind, candidate.title, candidate.observed_at) == (
        "constraint",
        "Ebb before flood in every list",
        "2026-05-04T06:07:08.000Z",
    )
    assert candidate.content == (
        "Always list the ebb before the flood. How to apply: sort by time; see tide-lists."
    )
    assert candidate.rationale == "the pilots read from the top"


def test_what_is_no_rule_keeps_its_reason_in_its_words(tmp_path: Path) -> None:
    path = memory_file(
        tmp_path,
        "---\nname: pier\ndescription: The pier moves\ntype: project\n---\n"
        "The pier moves in May.\n\n**Why:** the old one sinks.\n",
    )
    (told,) = read_by_project("claude-memory", path).values()
    (candidate,) = extract_candidates(told)
    assert candidate.content == "The pier moves in May. Why: the old one sinks."
    assert candidate.rationale is None


def test_a_line_of_the_index_is_the_memory_that_it_links_to(tmp_path: Path) -> None:
    index = "# Memory index\n\n- [Ebb first](ebb.md) \u2014 always list the ebb before the flood\n"
    path = memory_file(tmp_path, index, name="MEMORY.md")
    (told,) = read_by_project("claude-memory", path).values()
    assert describe_candidates(told) == []


CODEX_MEMORY = """# Task Group: /w/harbor tide tables

scope: Everything about printing tide tables.
applies_to: cwd=/w/harbor; reuse_rule=safe in this checkout

## Task 1: Print the table, success

### rollout_summary_files

- rollout_summaries/2026-05-04-tables.md (cwd=/w/harbor, updated_at=2026-05-04)

### keywords

- tides, printing, ebb

## User preferences

- when the table was printed, the user said: "ebb first" -> list the ebb before the flood
  in every table [Task 1][Task 2]

## Reusable knowledge

- The gauge reports in centimetres and the table in metres [Task 1]

## Failures and how to do differently

- Symptom: the print stops at noon. Cause: the gauge sleeps. Fix: wake it first [Task 1]

# Task Group: writing

scope: Prose of any kind.
applies_to: cwd=workflow; reuse_rule=anywhere

## User preferences

- Prefer short sentences [Task 1]
"""


def test_codex_memories_go_to_the_folder_of_their_group(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "memories" / "MEMORY.md"
    path.parent.mkdir(parents=True)
    path.write_text(CODEX_MEMORY)
    told = {
        each.transcript.cwd: [
            (f"{made.type}/{made.kind}", made.content) for made in extract_candidates(each)
        ]
        for each in get_importer("codex-memory").read(
            Input(path=path), ImportedFile(path, path.parent)
        )
    }
    assert told == {
        "/w/harbor": [
            (
                "project/convention",
                'when the table was printed, the user said: "ebb first" -> '
                "list the ebb before the flood in every table",
            ),
            ("project/fact", "The gauge reports in centimetres and the table in metres"),
            (
                "task_hint/fix",
                "Symptom: the print stops at noon. Cause: the gauge sleeps. Fix: wake it first",
            ),
        ],
        None: [("profile/preference", "Prefer short sentences")],
    }


def test_of_codex_summary_only_what_is_about_the_operator_is_read(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "memories" / "memory_summary.md"
    path.parent.mkdir(parents=True)
    path.write_text(
        "v1\n\n## User Profile\n\nThe user is a harbour master who prints tide tables.\n\n"
        "## User preferences\n\n- Prefer short sentences\n\n"
        "## What's in Memory\n\n### /w/harbor\n\n- tide tables: tides, printing\n"
    )
    found = find_importer(path, Input(path=path))
    assert found is not None and found.kind == "codex-memory"
    (told,) = read_by_project("codex-memory", path).values()
    assert [text for _, text in describe_candidates(told)] == [
        "The user is a harbour master who prints tide tables.",
        "Prefer short sentences",
    ]


def test_memories_of_which_no_session_says_where_are_not_placed(tmp_path: Path) -> None:
    (told,) = read_by_project(
        "claude-memory", memory_file(tmp_path, "- Builds run with `make all`\n", cwd=None)
    ).values()
    assert told.reason_unplaced


@pytest.mark.parametrize(
    "kind", [importer.kind for importer in IMPORTERS if not importer.is_database]
)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"{",
        b"[[[[",
        b"null",
        b'{"memories": 3}',
        b"[1, null, {}]",
        b"---\n---\n",
        b"\n" * 9,
    ],
)
def test_odd_content_is_no_error(kind: str, data: bytes) -> None:
    path = Path("/w/harbor/x")
    assert all(
        extract(told.transcript) == []
        for told in get_importer(kind).read(Input(data=data), ImportedFile(path, path.parent))
    )
