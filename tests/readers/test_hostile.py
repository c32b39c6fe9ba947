"""A megabyte made to be slow is read about as fast as any other."""

from __future__ import annotations

import json
import time

import pytest

from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.readers import READERS, channel_text, claude_text, load_reader
from memctl.readers.base import Input
from memctl.readers.tool_summaries import describe_call
from memctl.readers.values import clean_text

MEGABYTE = 1_000_000
LETTER = "From: a@b.example\nMessage-ID: <1@x>\n"
PAGE = f"{LETTER}Content-Type: text/html\n\n"
CAPTIONS = "WEBVTT\n\n00:00.000 --> 00:01.000\n"
ENOUGH = 10.0


ENVELOPES = (
    "<system-reminder>x</system-reminder>",
    "<system-reminder>",
    "<command-name>",
    "</system-reminder>",
    "\n<system-reminder>",
)


def repeat(piece: str) -> str:
    return piece * (MEGABYTE // len(piece))


@pytest.mark.parametrize("piece", [*ENVELOPES, '"="', '"a"="', " "])
def test_text_of_envelopes_is_understood_in_linear_time(piece: str) -> None:
    text = repeat(piece)
    started = time.process_time()
    claude_text.parse_user_text(text)
    claude_text.parse_answers(text)
    claude_text.find_refusal(text)
    claude_text.parse_exit_code(text)
    assert time.process_time() - started < ENOUGH


@pytest.mark.parametrize(
    "piece", [f"{SENTINEL_OPEN}>x{SENTINEL_CLOSE}", SENTINEL_OPEN, SENTINEL_CLOSE]
)
def test_contexts_are_cut_out_in_linear_time(piece: str) -> None:
    started = time.process_time()
    assert SENTINEL_OPEN not in clean_text(repeat(piece))
    assert time.process_time() - started < ENOUGH


@pytest.mark.parametrize("piece", ["*** Update File: a\n", "{", "[", '{"a":', "'"])
def test_tool_arguments_are_described_in_linear_time(piece: str) -> None:
    started = time.process_time()
    describe_call("apply_patch", repeat(piece))
    describe_call("bash", {"command": ["bash", repeat(piece)]})
    assert time.process_time() - started < ENOUGH


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\n ",
        "x (untrusted metadata):\n```json\n{}\n```\n",
        "[Slack a] ",
        "System: [x\n",
        "⟦openclaw:ctx⟧\n",
    ],
)
def test_what_a_channel_puts_around_a_message_goes_in_linear_time(piece: str) -> None:
    started = time.process_time()
    channel_text.strip_channel_context(repeat(piece))
    assert time.process_time() - started < ENOUGH


def make_lines(line: object) -> bytes:
    text = line if isinstance(line, str) else json.dumps(line)
    return "\n".join(text.replace("%", str(n)) for n in range(MEGABYTE // (len(text) + 6))).encode()


GEMINI_HEAD = b'{"sessionId":"s","projectHash":"p"}'
GEMINI_LINES = make_lines({"id": "%", "type": "user", "content": "x"})
QWEN_LINES = make_lines({"type": "user", "uuid": "%", "message": {"parts": [{"text": "x"}]}})
QWEN_REWINDS = make_lines(
    {"type": "system", "uuid": "r%", "subtype": "rewind", "systemPayload": {"targetUuid": "7"}}
)


@pytest.mark.parametrize(
    ("module", "data"),
    [
        pytest.param("aider", make_lines("> Applied edit to %"), id="edits"),
        pytest.param("aider", make_lines("#### %  "), id="prompts"),
        pytest.param("aider", make_lines("```"), id="fences"),
        pytest.param(
            "gemini",
            b"\n".join([GEMINI_HEAD, GEMINI_LINES, make_lines({"$rewindTo": "7"})]),
            id="rewinds",
        ),
        pytest.param("qwen", QWEN_LINES + b"\n" + QWEN_REWINDS, id="qwen-rewinds"),
        pytest.param(
            "droid",
            make_lines({"type": "completion", "sessionId": "s", "finalText": "x%"}),
            id="completions",
        ),
        pytest.param(
            "kimi",
            make_lines(
                {
                    "message": {
                        "type": "ContentPart",
                        "payload": {"type": "text", "text": "memctl %"},
                    }
                }
            ),
            id="pieces",
        ),
        pytest.param(
            "claude_code",
            make_lines({"type": "queue-operation", "operation": "enqueue", "content": "x"}),
            id="queue",
        ),
        pytest.param(
            "codex",
            make_lines({"type": "event_msg", "payload": {"type": "user_message", "message": "x"}}),
            id="events",
        ),
        pytest.param("whatsapp", repeat("[1/1/24, ").encode(), id="half-headers"),
        pytest.param(
            "whatsapp", repeat("1/1/24, 10:10 - a: <edited").encode(), id="edits-of-one-message"
        ),
        pytest.param(
            "whatsapp",
            repeat("1/1/24, 10:10 - Ines Falk: Lorem ipsum dolor sit amet.\n").encode(),
            id="messages",
        ),
        pytest.param(
            "subtitles",
            repeat("1\n00:00:00,500 --> 00:00:07,000\nHigh tide is at noon.\n\n").encode(),
            id="cues",
        ),
        pytest.param(
            "subtitles",
            b"1\n00:00:00,500 --> 00:00:07,000\n" + repeat("1\n").encode(),
            id="numbers",
        ),
        pytest.param(
            "subtitles", repeat("9999999999:99:99,999 --> 1:1:1,1\n").encode(), id="times"
        ),
        pytest.param("subtitles", (CAPTIONS + repeat("<v A>")).encode(), id="voices"),
        pytest.param("subtitles", (CAPTIONS + repeat("<")).encode(), id="open-tags"),
        pytest.param("mail", (PAGE + repeat("<blockquote>")).encode(), id="quotations"),
        pytest.param("mail", (PAGE + repeat("<!--")).encode(), id="comments"),
        pytest.param("mail", (PAGE + repeat("<SCRIPT></script>")).encode(), id="scripts"),
        pytest.param(
            "mail",
            (LETTER + "Content-Type: text/plain" + repeat(';a="')).encode(),
            id="parameters",
        ),
        pytest.param(
            "mail",
            (
                LETTER + "Content-Type: multipart/mixed; boundary=b\n\n" + repeat("--b\n\nx\n")
            ).encode(),
            id="parts",
        ),
        pytest.param(
            "mail",
            (LETTER + "\n" + repeat("on " + "schrieb " * 40 + ":\n")).encode(),
            id="introductions",
        ),
        pytest.param(
            "mail", (LETTER + "Subject: " + repeat("=?utf-8?q?a?= ")).encode(), id="encoded-words"
        ),
        pytest.param("mail", ("From: " + repeat("(a") + "\n").encode(), id="addresses"),
        pytest.param(
            "claude_export",
            ("⏺ User answered Claude's questions:\n" + repeat("  ⎿  · a → b\n")).encode(),
            id="answers",
        ),
        pytest.param(
            "claude_export",
            repeat("> Keep the tide table in SQLite.\n\n⏺ I will.\n\n").encode(),
            id="exchanges",
        ),
        pytest.param("slack_text", repeat("Ines Falk  ").encode(), id="names"),
        pytest.param(
            "slack_text", repeat("Ines Falk  10:32 AM\nhello there\n").encode(), id="pasted"
        ),
        pytest.param("chatgpt", b'[{"mapping": "' + repeat("\\").encode(), id="backslashes"),
    ],
)
def test_a_file_of_one_line_over_and_over_is_read_in_linear_time(module: str, data: bytes) -> None:
    reader = load_reader(module)
    started = time.process_time()
    list(reader.read(Input(data=data)))
    assert time.process_time() - started < ENOUGH


@pytest.mark.parametrize("odd", [{}, [], 5, None, {"type": ["x"]}])
def test_values_of_another_kind_stop_no_reader_from_looking(odd: object) -> None:
    names = (
        "type",
        "role",
        "method",
        "source",
        "kind",
        "author",
        "content",
        "payload",
        "data",
        "parts",
    )
    deep = {"sessionId": "s", "payload": {}, "data": {}} | dict.fromkeys(names, odd)
    for entry in (
        deep,
        {"message": deep},
        {"payload": deep},
        {"data": deep},
        {"params": deep},
        {"messages": [deep]},
        {"message": odd},
    ):
        for module in READERS:
            score = load_reader(module).sniff(json.dumps(entry).encode(), "wire.jsonl")
            assert 0 <= score <= 1
