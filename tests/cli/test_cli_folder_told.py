"""A session that does not name its folder belongs to the one that its place and its tools tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
AT = "2026-05-04T10:00:00.000Z"
FILE = "/srv/my.lamps/src/paint.py"
Line = dict[str, Any]


def make_claude(session: str) -> list[Line]:
    call = {"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": FILE}}
    head = {"sessionId": session, "timestamp": AT}
    return [
        {**head, "type": "user", "uuid": "u", "message": {"role": "user", "content": "Paint."}},
        {
            **head,
            "type": "assistant",
            "uuid": "a",
            "parentUuid": "u",
            "message": {"role": "assistant", "content": [call]},
        },
    ]


def make_droid() -> list[Line]:
    call = {"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": FILE}}
    return [
        {"type": "session_start", "id": "d", "title": "Paint"},
        {
            "type": "message",
            "id": "1",
            "timestamp": AT,
            "message": {"role": "user", "content": "Go."},
        },
        {
            "type": "message",
            "id": "2",
            "timestamp": AT,
            "message": {"role": "assistant", "content": [call]},
        },
    ]


def make_qwen() -> list[Line]:
    head = {"sessionId": "q", "timestamp": AT}
    call = {"functionCall": {"id": "c", "name": "read_file", "args": {"absolute_path": FILE}}}
    return [
        {
            **head,
            "uuid": "1",
            "type": "user",
            "message": {"role": "user", "parts": [{"text": "Go."}]},
        },
        {
            **head,
            "uuid": "2",
            "parentUuid": "1",
            "type": "assistant",
            "message": {"role": "model", "parts": [call]},
        },
    ]


def make_pi() -> list[Line]:
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": FILE}}
    return [
        {"type": "session", "version": 3, "id": "p", "timestamp": AT},
        {
            "type": "message",
            "id": "1",
            "parentId": None,
            "timestamp": AT,
            "message": {"role": "user", "content": "Go."},
        },
        {
            "type": "message",
            "id": "2",
            "parentId": "1",
            "timestamp": AT,
            "message": {"role": "assistant", "content": [call]},
        },
    ]


def put(home: Path, place: str, lines: list[Line]) -> None:
    path = home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def find_projects(run: Run) -> list[str | None]:
    """The names of the projects of all that backfill captured."""
    assert run("init").code == 0
    done = run("backfill", "--json")
    assert (done.code, done.data["problems"]) == (0, [])
    return [item["project"]["name"] for item in run("project", "list", "--json").data["items"]]


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        (".claude/projects/-srv-my-lamps/s.jsonl", make_claude("s")),
        (".iflow/projects/-srv-my-lamps/session-i.jsonl", make_claude("session-i")),
        (".factory/sessions/-srv-my-lamps/d.jsonl", make_droid()),
        (".qwen/projects/-srv-my-lamps/chats/q.jsonl", make_qwen()),
        (".pi/agent/sessions/--srv-my-lamps--/1_p.jsonl", make_pi()),
    ],
)
def test_a_slug_and_a_path_that_a_tool_was_called_with_tell_the_folder(
    here: Run, home: Path, place: str, lines: list[Line]
) -> None:
    put(home, place, lines)
    assert find_projects(here) == ["my.lamps"]


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        (".claude/projects/-srv-boats/s.jsonl", make_claude("s")),
        (".factory/sessions/d.jsonl", make_droid()),
    ],
)
def test_where_place_and_tools_do_not_agree_the_folder_stays_unknown(
    here: Run, home: Path, place: str, lines: list[Line]
) -> None:
    put(home, place, lines)
    assert find_projects(here) == []


def make_gemini() -> list[Line]:
    message = {"id": "1", "timestamp": AT, "type": "user", "content": "Paint the lamps."}
    head = {"sessionId": "g", "projectHash": "ab", "startTime": AT, "lastUpdated": AT}
    return [{**head, "messages": [message]}]


@pytest.mark.parametrize("noted", ["projects.json", "tmp/lamps/.project_root"])
def test_gemini_notes_which_folder_a_name_stands_for(here: Run, home: Path, noted: str) -> None:
    put(home, ".gemini/tmp/lamps/chats/session-2026-05-04T10-00-12345678.json", make_gemini())
    path = home / ".gemini" / noted
    names = {"/srv/boats": "boats", "/srv/my.lamps": "lamps"}
    path.write_text(json.dumps({"projects": names}) if "json" in noted else "/srv/my.lamps\n")
    assert find_projects(here) == ["my.lamps"]


@pytest.mark.parametrize("key", ["session_id", "sessionId"])
def test_the_stream_of_droid_is_read_whichever_way_it_spells_its_session(
    here: Run, tmp_path: Path, key: str
) -> None:
    steps: list[Line] = [
        {"type": "system", "subtype": "init", "cwd": "/srv/my.lamps", "tools": ["Read"]},
        {"type": "message", "role": "user", "id": "m1", "text": "Paint the lamps."},
        {"type": "message", "role": "assistant", "id": "m2", "text": "I look first."},
        {"type": "tool_call", "id": "c", "toolName": "Execute", "parameters": {"command": "ls"}},
        {"type": "tool_result", "id": "c", "toolId": "Execute", "isError": False, "value": "a"},
        {"type": "completion", "finalText": "Painted.", "numTurns": 1},
    ]
    assert here("init").code == 0
    for begin, name in ((0, "whole.jsonl"), (1, "without-init.jsonl")):
        session = f"d-{begin}"
        put(tmp_path, name, [{**step, key: session, "timestamp": AT} for step in steps[begin:]])
        (item,) = here("capture-session", tmp_path / name, "--json").data["items"]
        assert (item["agent"], item["session_id"]) == ("droid", session)
        assert (item["turns"], item["human_turns"], item["unknown"]) == (5, 1, {})


def test_memories_of_claude_belong_to_the_folder_by_which_theirs_is_called(
    here: Run, home: Path
) -> None:
    project = home / "code" / "my.lamps"
    (project / ".git").mkdir(parents=True)
    slug = "".join(letter if letter.isalnum() else "-" for letter in str(project))
    memory = home / ".claude/projects" / slug / "memory" / "no_tabs.md"
    memory.parent.mkdir(parents=True)
    head = "---\nname: no-tabs\ndescription: Never use tabs\ntype: feedback\n---\n\n"
    memory.write_text(f"{head}Never use tabs in this code.\n\n**Why:** The linter fails.\n")
    assert here("init").code == 0
    done = here("import-memories", memory, "--json")
    assert (done.code, done.data["items"][0]["project"]) == (0, "my.lamps")
    assert done.data["items"][0]["new"] == 1
