"""Wrappings around a person's words come off at the ends of a text only, and in linear time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from memctl.readers import load_reader
from memctl.readers.base import Input
from memctl.readers.envelopes import extract_block, unwrap

NAMES = frozenset({"rules", "note"})
MEGABYTE = 1_000_000
ENOUGH = 10.0


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<rules>a</rules> b", "b"),
        ("<note at='x'>a</note>\n<rules>a</rules>\nb", "b"),
        ("b\n<rules>a</rules>\n<note>a</note>\n", "b"),
        ("<rules>a</rules>", ""),
        ("b <rules>a</rules> c", "b <rules>a</rules> c"),
        ("<rules>never closed", "<rules>never closed"),
        ("b </rules>", "b </rules>"),
        ("<other>a</other> b", "<other>a</other> b"),
        ("<rulesque>a</rules>", "<rulesque>a</rules>"),
        ("", ""),
    ],
)
def test_blocks_of_known_names_come_off_at_the_ends_alone(text: str, left: str) -> None:
    assert unwrap(text, NAMES) == left


def test_what_stands_in_a_block_is_found_after_other_blocks_only() -> None:
    assert extract_block("<rules>a</rules><query>b</query>", "query", NAMES) == "b"
    assert extract_block("<query>b", "query", NAMES) == "b"
    assert extract_block("mind the <query>b</query>", "query", NAMES) is None


def repeat(piece: str) -> str:
    return piece * (MEGABYTE // len(piece))


@pytest.mark.parametrize(
    "piece", ["<rules>x</rules>", "<rules>", "</rules>", "<rules ", "<", " ", "\n<rules>\n"]
)
def test_a_megabyte_of_blocks_comes_off_in_linear_time(piece: str) -> None:
    started = time.process_time()
    for text in (
        repeat(piece),
        "a" + repeat(piece),
        repeat(piece) + "a",
        "<query>" + repeat(piece),
    ):
        unwrap(text, NAMES)
        extract_block(text, "query", NAMES)
    assert time.process_time() - started < ENOUGH


def make_cline(role: str, text: str) -> bytes:
    return json.dumps(
        [{"role": "user", "content": "<task>a</task>"}, {"role": role, "content": text}]
    ).encode()


def make_cursor(text: str) -> bytes:
    return json.dumps({"role": "user", "message": {"content": text}}).encode()


def make_copilot(*events: tuple[str, Any]) -> bytes:
    lines = [
        json.dumps({"type": kind, "data": data, "id": f"e{number}"})
        for number, (kind, data) in enumerate(events)
    ]
    return "\n".join(lines).encode()


TALK = [("user.message", {"content": "x"})] * 6000
REWINDS = [
    ("session.snapshot_rewind", {"upToEventId": f"e{number}"}) for number in range(6000, 0, -1)
]
CALLS = "".join(
    f"<p{number:x}>".translate(str.maketrans("0123456789", "ghijklmnop"))
    for number in range(100_000)
)


@pytest.mark.parametrize(
    ("module", "data"),
    [
        pytest.param("cline", make_cline("user", repeat("x <task>a</task>\n")), id="tasks"),
        pytest.param("cline", make_cline("user", repeat("<feedback>")), id="open feedback"),
        pytest.param(
            "cline", make_cline("assistant", f"<read_file>{CALLS}</read_file>"), id="parameters"
        ),
        pytest.param(
            "cline",
            make_cline("assistant", repeat("<read_file><path>a</path></read_file>")),
            id="calls",
        ),
        pytest.param("cline", make_cline("assistant", repeat("<read_file>")), id="open calls"),
        pytest.param("cursor", make_cursor(repeat("<user_query>")), id="queries"),
        pytest.param(
            "cursor", make_cursor("<user_info>" + repeat("Workspace Path: ")), id="workspaces"
        ),
        pytest.param(
            "cursor_text", repeat("user:\nassistant:\n[Tool call] x\n a\n").encode(), id="marks"
        ),
        pytest.param("copilot_cli", make_copilot(*TALK, *REWINDS), id="rewinds"),
        pytest.param(
            "vscode_chat",
            b'{"kind":0,"v":{"a":[]}}\n' + b'{"kind":2,"k":["a"],"v":[1],"i":0}\n' * 25_000,
            id="log",
        ),
    ],
)
def test_a_megabyte_made_to_be_slow_is_read_in_linear_time(module: str, data: bytes) -> None:
    reader = load_reader(module)
    started = time.process_time()
    list(reader.read(Input(data=data)))
    assert time.process_time() - started < ENOUGH
