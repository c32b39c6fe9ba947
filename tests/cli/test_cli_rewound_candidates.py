"""A turn that was taken back takes its candidates along; approved records are asked about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.test_cli_retracted_turns import SESSION, THREAD, make_line

Run = Callable[..., Any]
Line = dict[str, Any]
RULE = "From now on we store the colours in a spreadsheet."
OTHER = "From now on we store the colours in a table."
BEGIN = [
    make_line("u1", None, "user", "Paint the lamps.", 1),
    make_line("a1", "u1", "assistant", "Painted.", 2),
]
SAID = [
    *BEGIN,
    make_line("u2", "a1", "user", RULE, 3),
    make_line("a2", "u2", "assistant", "Stored.", 4),
]
REWOUND = [
    *SAID,
    make_line("u3", "a1", "user", "Varnish them.", 5),
    make_line("a3", "u3", "assistant", "Varnished.", 6),
]


@pytest.fixture
def take(here: Run, tmp_path: Path, operator: None) -> Callable[..., list[dict[str, Any]]]:
    """`take(lines)` captures a session's file and maintains; the candidates that wait then."""
    assert here("init").code == 0

    def capture(lines: list[Line], name: str = f"{SESSION}.jsonl") -> list[dict[str, Any]]:
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert here("capture-session", path).code == 0
        assert here("maintain", "--quiet").code == 0
        found: list[dict[str, Any]] = here("inbox", "--all", "--json").data["items"]
        return found

    return capture


def test_a_candidate_of_a_turn_that_was_rewound_leaves_the_inbox(
    here: Run, take: Callable[..., Any]
) -> None:
    (item,) = take(SAID)
    assert take(REWOUND) == []
    record = here("show", item["id"], "--json").data
    assert record["status"] == "archived"
    assert record["status_reason"] == "the turn it was taken from was taken back"


def test_what_was_put_otherwise_stands_in_its_place(take: Callable[..., Any]) -> None:
    take(SAID)
    lines = [*SAID, make_line("u3", "a1", "user", OTHER, 5)]
    lines.append(make_line("a3", "u3", "assistant", "Stored in a table.", 6))
    assert [item["content"] for item in take(lines)] == [OTHER]


def test_an_approved_record_of_a_turn_that_was_rewound_is_asked_about(
    here: Run, take: Callable[..., Any]
) -> None:
    (item,) = take(SAID)
    assert here("inbox", "--approve", item["id"]).code == 0
    take(REWOUND)
    assert here("show", item["id"], "--json").data["status"] == "active"
    page = here("inbox").stdout
    assert "archive" in page and "the turn it was taken from was taken back" in page


def test_what_is_said_again_after_it_was_rewound_waits_again(
    here: Run, take: Callable[..., Any]
) -> None:
    (item,) = take(SAID)
    take(REWOUND)
    again = [*REWOUND, make_line("u4", "a3", "user", RULE, 7)]
    again.append(make_line("a4", "u4", "assistant", "Stored.", 8))
    assert [each["content"] for each in take(again)] == [RULE]
    assert here("show", item["id"], "--json").data["status"] == "inbox"


def test_a_session_whose_beginning_is_cut_off_takes_nothing_back(take: Callable[..., Any]) -> None:
    later = [
        make_line("u3", "a2", "user", "Varnish them.", 5),
        make_line("a3", "u3", "assistant", "Varnished.", 6),
    ]
    (item,) = take([*SAID, *later])
    cut = [{**later[0], "parentUuid": None}, later[1]]
    cut.append(make_line("u5", "a3", "user", "Count them.", 7))
    assert [each["id"] for each in take(cut)] == [item["id"]]


def test_a_thread_that_codex_rolled_back_takes_its_candidates_along(
    here: Run, take: Callable[..., Any]
) -> None:
    def line(minute: int, kind: str, **payload: Any) -> Line:
        stamp = f"2026-05-04T10:{minute:02}:00.000Z"
        return {"timestamp": stamp, "type": kind, "payload": payload}

    def said(minute: int, role: str, text: str) -> Line:
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        return line(minute, "response_item", type="message", role=role, content=content)

    name = f"rollout-2026-05-04T10-00-00-{THREAD}.jsonl"
    begin = [
        line(0, "session_meta", id=THREAD, cwd="/srv/lamps"),
        said(1, "user", "Paint the lamps."),
        said(2, "assistant", "Painted."),
        said(3, "user", RULE),
        said(4, "assistant", "Stored."),
    ]
    (item,) = take(begin, name)
    back = [
        *begin,
        line(5, "event_msg", type="thread_rolled_back", num_turns=1),
        said(6, "user", "Varnish them."),
        said(7, "assistant", "Varnished."),
    ]
    assert take(back, name) == []
    assert here("show", item["id"], "--json").data["status"] == "archived"
