"""What a person took back is not captured as said, and what a file tells twice is said once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from memctl.readers.base import Input
from memctl.readers.detect import detect_reader

Run = Callable[..., Any]
Line = dict[str, Any]
SESSION = "5f0c1b52-0000-4000-8000-000000000a01"
THREAD = "01a0b3da-c522-7af2-8a6d-2e1aed53b2a6"


@pytest.fixture
def capture(here: Run, tmp_path: Path) -> Callable[..., list[str]]:
    """`capture(lines, name)` captures a session's file; what a person said in it."""
    assert here("init").code == 0

    def take(lines: Iterable[Line], name: str = f"{SESSION}.jsonl") -> list[str]:
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = here("capture-session", path, "--json")
        assert done.code == 0, done.stderr
        (read,) = detect_reader(Input(path=path)).read(Input(path=path))
        words = [turn.text for turn in read.turns if turn.role == "human"]
        assert done.data["items"][0]["human_turns"] == len(words)
        return words

    return take


def make_line(uuid: str, parent: str | None, role: str, text: str, minute: int) -> Line:
    """One line of a Claude Code session."""
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "type": role,
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": SESSION,
        "cwd": "/srv/lamps",
        "timestamp": f"2026-05-04T10:{minute:02}:00.000Z",
        "message": {"role": role, "content": content},
    }


def make_note(uuid: str, parent: str, minute: int) -> Line:
    """A line between messages, as hooks leave them."""
    line = make_line(uuid, parent, "user", "", minute)
    attachment = {"type": "hook_success", "content": ""}
    return {**line, "type": "attachment", "message": {}, "attachment": attachment}


def make_call(uuid: str, parent: str, call: str, minute: int) -> Line:
    """A line with a tool's call."""
    line = make_line(uuid, parent, "assistant", "", minute)
    block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}}
    return {**line, "message": {"role": "assistant", "id": f"m{uuid}", "content": [block]}}


def make_result(uuid: str, parent: str, call: str, minute: int) -> Line:
    """A line with a tool's result."""
    line = make_line(uuid, parent, "user", "", minute)
    block = {"type": "tool_result", "tool_use_id": call, "content": "ok"}
    return {**line, "message": {"role": "user", "content": [block]}}


def test_a_prompt_that_was_rewound_and_all_that_hung_from_it_is_gone(
    capture: Callable[..., list[str]],
) -> None:
    lines = [
        make_line("u1", None, "user", "Paint the lamps.", 1),
        make_line("a1", "u1", "assistant", "Painted.", 2),
        make_note("n1", "a1", 2),
        make_line("u2", "n1", "user", "We store the colours in a spreadsheet.", 3),
        make_note("n2", "u2", 3),
        make_call("a2", "n2", "c1", 4),
        make_result("r2", "a2", "c1", 4),
        make_line("a3", "r2", "assistant", "Stored in a spreadsheet.", 5),
        make_line("u3", "a3", "user", "And mail it on Fridays.", 6),
        make_line("a4", "u3", "assistant", "Mailed.", 7),
        make_line("u4", "n1", "user", "We store the colours in a table.", 8),
        make_line("a5", "u4", "assistant", "Stored in a table.", 9),
    ]
    assert capture(lines) == ["Paint the lamps.", "We store the colours in a table."]


def test_a_prompt_that_was_rewound_twice_is_told_as_it_was_put_last(
    capture: Callable[..., list[str]],
) -> None:
    lines = [
        make_line("u1", None, "user", "Paint the lamps.", 1),
        make_line("a1", "u1", "assistant", "Painted.", 2),
        make_line("u2", "a1", "user", "Use red.", 3),
        make_line("a2", "u2", "assistant", "Red.", 4),
        make_line("u3", "a1", "user", "Use blue.", 5),
        make_line("u4", "a1", "user", "Use green.", 7),
        make_line("a4", "u4", "assistant", "Green.", 8),
        make_line("u5", "a4", "user", "Thanks, and varnish them.", 9),
    ]
    said = ["Paint the lamps.", "Use green.", "Thanks, and varnish them."]
    assert capture(lines) == said


def test_branches_that_nobody_rewound_are_all_told(capture: Callable[..., list[str]]) -> None:
    parallel = [
        make_line("u1", None, "user", "List both folders.", 1),
        make_call("a1", "u1", "c1", 2),
        make_call("a2", "a1", "c2", 2),
        make_result("r1", "a1", "c1", 3),
        # Typed while the tools ran: the agent goes on beside it.
        make_line("u2", "a1", "user", "Never list hidden files.", 3),
        make_result("r2", "a2", "c2", 4),
        make_line("a3", "r2", "assistant", "Listed.", 5),
    ]
    assert capture(parallel) == ["List both folders.", "Never list hidden files."]
    two_terminals = [
        make_line("u1", None, "user", "Paint the lamps.", 1),
        make_line("a1", "u1", "assistant", "Painted.", 2),
        make_line("u2", "a1", "user", "Count them.", 3),
        make_line("u3", "a1", "user", "Weigh them.", 4),
        make_line("a2", "u2", "assistant", "Nine.", 5),
        make_line("a3", "u3", "assistant", "Three pounds.", 6),
    ]
    assert capture(two_terminals) == ["Paint the lamps.", "Count them.", "Weigh them."]
    without_a_way = [
        make_line("u1", None, "user", "Paint the lamps.", 1),
        make_line("a1", "u1", "assistant", "Painted.", 2),
        make_line("u2", "lost", "user", "Count them.", 3),
        make_line("a2", "u2", "assistant", "Nine.", 4),
    ]
    assert capture(without_a_way) == ["Paint the lamps.", "Count them."]


def test_a_resumed_session_that_repeats_its_lines_under_new_ids_says_each_thing_once(
    capture: Callable[..., list[str]],
) -> None:
    first = [
        make_line("u1", None, "user", "Paint the lamps.", 1),
        make_line("a1", "u1", "assistant", "Painted.", 2),
        make_line("u2", "a1", "user", "Use green.", 3),
        make_call("a2", "u2", "c1", 4),
        make_result("r2", "a2", "c1", 5),
    ]
    again = [
        {
            **line,
            "uuid": line["uuid"] + "x",
            "parentUuid": line["parentUuid"] and line["parentUuid"] + "x",
        }
        for line in first
    ]
    then = [
        make_line("u3", "r2x", "user", "Use green.", 9),
        make_line("a3", "u3", "assistant", "It is green.", 10),
    ]
    assert capture([*first, *again, *then]) == ["Paint the lamps.", "Use green.", "Use green."]


def list_rollout(*steps: tuple[str, str], twin_first: bool = True) -> list[Line]:
    """A Codex rollout: prompts and answers, each twice, and `back`, which rolls turns back."""
    lines: list[Line] = [
        {"type": "session_meta", "payload": {"id": THREAD, "cwd": "/srv/lamps", "source": "cli"}}
    ]
    for kind, text in steps:
        if kind == "back":
            event = {"type": "thread_rolled_back", "num_turns": int(text)}
            lines.append({"type": "event_msg", "payload": event})
            continue
        role, block = ("user", "input_text") if kind == "user" else ("assistant", "output_text")
        item = {"type": "message", "role": role, "content": [{"type": block, "text": text}]}
        event = {"type": "user_message" if kind == "user" else "agent_message", "message": text}
        both = [
            {"type": "response_item", "payload": item},
            {"type": "event_msg", "payload": event},
        ]
        lines += both if twin_first else both[::-1]
    for number, line in enumerate(lines):
        line["timestamp"] = f"2026-05-04T10:00:{number:02}.000Z"
    return lines


@pytest.mark.parametrize("twin_first", [True, False])
def test_what_codex_rolled_back_is_gone(
    capture: Callable[..., list[str]], twin_first: bool
) -> None:
    lines = list_rollout(
        ("user", "Paint the lamps."),
        ("agent", "Painted."),
        ("user", "Use red."),
        ("agent", "Red."),
        ("user", "Use blue."),
        ("agent", "Blue."),
        ("back", "2"),
        ("user", "Use green."),
        ("agent", "Green."),
        twin_first=twin_first,
    )
    name = f"rollout-2026-05-04T10-00-00-{THREAD}.jsonl"
    assert capture(lines, name) == ["Paint the lamps.", "Use green."]
    (read,) = detect_reader(Input(data=b"\n".join(json.dumps(x).encode() for x in lines))).read(
        Input(data=b"\n".join(json.dumps(x).encode() for x in lines))
    )
    said = [turn.text for turn in read.turns if turn.role == "assistant"]
    assert said == ["Painted.", "Green."]


def test_a_codex_thread_without_events_is_rolled_back_too(
    capture: Callable[..., list[str]],
) -> None:
    steps = [("user", "Paint the lamps."), ("agent", "Painted."), ("user", "Use red.")]
    lines = [
        line
        for line in list_rollout(*steps, ("back", "1"), ("user", "Use green."))
        if line["payload"].get("type") not in ("user_message", "agent_message")
    ]
    assert capture(lines) == ["Paint the lamps.", "Use green."]
    nothing_left = list_rollout(*steps, ("back", "9"), ("user", "Begin again."))
    assert capture(nothing_left, "other.jsonl") == ["Begin again."]
