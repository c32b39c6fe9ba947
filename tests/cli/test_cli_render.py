"""No stored text reaches a terminal as more than text, whatever it holds."""

from __future__ import annotations

import io
import json
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.cli import output, terminal_safety
from memctl.cli.cli_results import Raw
from memctl.cli.text import records, renderers
from memctl.core.model import Evidence, Link, Memory
from memctl.results.explanations import RetrievalExplanation
from memctl.results.maintenance import MaintainReport
from memctl.results.records import ChangeReport, Page, RecordView, Refusal
from memctl.results.retrieval import ContextReport, Hit, SearchReport
from memctl.results.store import TransferReport

# Not taken from the code: controls, direction, zero width, tags, separators, surrogates.
STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
NASTY = "\x1b]0;pwned\x07\x9b31m\x00\r\n\u202eabc\u2066\u200b\u2028\ud83d\U000e0041\x7f"
anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=40).map(
    lambda drawn: drawn + NASTY
)


def view_of(words: str) -> RecordView:
    memory = Memory(
        id="01" + "A" * 24,
        type="decision",
        kind=words,
        scope="project",
        status="inbox",
        title=words,
        content=words,
        summary=words[::-1],
        owner="shared",
        source_kind="manual",
        confidence=0.5,
        trust=5,
        observed_at="2026-01-02T03:04:05.678Z",
        fingerprint="f",
        created_at="2026-01-02T03:04:05.678Z",
        updated_at="2026-01-02T03:04:05.678Z",
        rationale=words,
        alternatives=(words,),
        subject=words,
        status_reason=words,
    )
    evidence = Evidence(
        "e", memory.id, words, "human", 5, memory.observed_at, memory.observed_at, speaker=words
    )
    link = Link("l", memory.id, "supports", "x", "operator", memory.observed_at, reason=words)
    return RecordView(memory, "01AAAA", words, (evidence,), (link,))


def printed(data: object, *, as_json: bool) -> str:
    """What standard output would get."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    before, sys.stdout = sys.stdout, stream
    try:
        output.print_result("test", data, as_json=as_json)
    finally:
        sys.stdout = before
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


@given(anything)
def test_no_control_character_is_ever_in_text_output(words: str) -> None:
    view = view_of(words)
    for data in (view, Page((view,), 1), ChangeReport("approved", (view,), (Refusal("x", words),))):
        assert not STEERING.search(printed(data, as_json=False).replace("\n", ""))


@given(anything)
def test_json_output_is_one_line_without_steering_and_keeps_every_character(words: str) -> None:
    line = printed(view_of(words), as_json=True)
    assert line.count("\n") == 1 and not STEERING.search(line.rstrip("\n"))
    # A pair of lone surrogates that meet is one character in JSON.
    assert json.loads(line)["data"]["content"] == json.loads(json.dumps(words))


@given(anything)
def test_stored_lines_stay_indented_below_the_line_they_belong_to(words: str) -> None:
    head, *rest = records.render_record(
        view_of(words + "\nmemctl: all is well\nok       store: fine")
    )
    assert head.startswith("01AAAA")
    assert all(line.startswith("  ") or not line for line in rest)


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), max_size=60))
def test_ordinary_text_of_any_script_is_left_as_it_is(words: str) -> None:
    plain = "".join(c for c in words if terminal_safety.make_line_safe(c) == c)
    assert terminal_safety.make_line_safe(plain) == plain
    assert all(unicodedata.category(c) != "Cc" for c in plain)
    assert (
        terminal_safety.make_line_safe("Größe, размер, 尺寸, حجم, 🚀")
        == "Größe, размер, 尺寸, حجم, 🚀"
    )


def test_what_is_neutralised_is_made_visible() -> None:
    assert (
        terminal_safety.make_line_safe("a\x1b[31mb\u202ec\U000e0041\td")
        == "a\\x1b[31mb\\u202ec\\U000e0041 d"
    )


@given(anything)
def test_a_context_is_cleaned_line_by_line(words: str) -> None:
    report = ContextReport(f"one\n{words}\ntwo", (), 1, 10, 1, "r")
    assert not STEERING.search(printed(report, as_json=False).replace("\n", ""))


def test_an_empty_context_prints_nothing() -> None:
    assert printed(ContextReport("", (), 0, 10, 1, "r"), as_json=False) == ""


def test_a_file_that_goes_to_a_pipe_is_given_out_byte_for_byte() -> None:
    assert printed(Raw("a\x1bb\u202e\n"), as_json=False) == "a\x1bb\u202e\n"


def test_a_file_that_goes_to_a_terminal_is_cleaned(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", stream)
    output.print_result("export", Raw('{"a": 1}\n\x1b[2J\n'), as_json=False)
    assert stream.getvalue() == '{"a": 1}\n\\x1b[2J\n'


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_that_knows_few_characters_does_not_crash_it(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    output.print_result("test", view_of("Größe → 尺寸"), as_json=False)
    output.print_result("test", view_of("Größe → 尺寸"), as_json=True)
    assert (
        json.loads(raw.getvalue().decode(encoding).splitlines()[-1])["data"]["title"]
        == "Größe → 尺寸"
    )


def test_an_error_message_is_cleaned_too(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_error(
        "show",
        {"code": "NotFound", "message": "no \x1b[2J\nrecord", "hint": "try\u202e"},
        as_json=False,
    )
    assert capsys.readouterr().err == "memctl: no \\x1b[2J\nrecord\n  try\\u202e\n"


def test_numbers_are_said_as_a_person_says_them() -> None:
    assert (
        printed(MaintainReport(jobs_done=1, proposed=6, episodes=1), as_json=False)
        == "1 capture processed, 6 candidates proposed, 1 episode\n"
    )
    assert printed(MaintainReport(dry_run=True), as_json=False) == "nothing to do\n"


def test_what_was_off_in_a_search_is_said_where_nothing_was_found() -> None:
    hit = Hit(view_of("tides"), 0.5, {}, "project", "matches 'tides'")
    found, nothing = (SearchReport("tides", "r", items, ("no_vectors",)) for items in ((hit,), ()))
    assert "word matches only" in printed(
        nothing, as_json=False
    ) and "word matches only" not in printed(found, as_json=False)
    assert any("word matches only" in line for line in renderers.render(found, verbose=True))


def test_the_filters_of_a_past_search_are_words_and_only_those_that_were_given() -> None:
    row = {
        "id": "r",
        "command": "search",
        "at": "2026-01-02T03:04:05.678Z",
        "actor": "operator",
        "query": "tides",
        "filters": {
            "limit": 1,
            "types": ["project", "decision"],
            "place": {"project_id": "01P", "agent_id": None},
        },
    }
    assert printed(RetrievalExplanation(row, {}), as_json=False).splitlines() == [
        "search r at 2026-01-02 03:04 for operator",
        "  query: tides",
        "  filters: limit 1, types project, decision, project 01P",
    ]


def test_a_transfer_names_what_it_moved_and_where_the_former_store_is_kept() -> None:
    report = TransferReport(
        "memory.db",
        {"memories": {"restored": 2}, "links": {"restored": 0}},
        text="the store that was here is kept at x",
    )
    assert (
        printed(report, as_json=False)
        == "memory.db\n  memories: 2 restored\nthe store that was here is kept at x\n"
    )


def test_a_line_too_long_for_the_terminal_goes_on_as_far_in_as_it_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(output, "_find_width", lambda _stream: 50)
    words = " ".join(["the tide turns at noon"] * 6)
    lines = printed(Page((view_of(words),), 1), as_json=False).splitlines()
    assert max(map(len, lines)) < 50 and len(lines) > 6
    assert all(line.startswith("    ") for line in lines[1:-2])
    told = printed(ContextReport(f"- {words}", (), 1, 10, 1, "r"), as_json=False).splitlines()
    assert max(map(len, told)) < 50 and " ".join(" ".join(told).split()) == f"- {words}"


def test_a_pipe_gets_every_line_whole() -> None:
    words = "word " * 200
    assert any(
        len(line) > 900 for line in printed(Page((view_of(words),), 1), as_json=False).splitlines()
    )
    context = ContextReport(f"- {words.strip()}", (), 1, 10, 1, "r")
    assert printed(context, as_json=False) == f"- {words.strip()}\n"
