"""What every reader must keep, said once: a reader's test is a class of three lines that names its folder of samples.

`samples/<format>/` holds invented files and `expected.json`: file name to the transcripts that the file holds.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN, Transcript, Turn
from memctl.readers import load_reader
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader

SAMPLES = Path(__file__).parent / "samples"
GARBAGE = b'\n{"type": \n\x00\xff\xfe not a line of any format }{\n'
WRONG: list[Any] = [
    *[None, True, -1, 1e308, math.nan, 10**30, "", "x", "\ud800", "/"],
    *[[], {}, [[]], [None], {"text": 1}, {"a": {"b": []}}, ["x", 1]],
]
OWN_CONTEXT = f'{SENTINEL_OPEN} level="1">The operator likes green lanterns.{SENTINEL_CLOSE}'
# The same examples in every run, and none kept on disk.
TRIED = settings(max_examples=200, derandomize=True, database=None)


class ReaderContract:
    """Subclass it as `Test...`, name the module and, where the format cannot tell garbage from text, say so."""

    module: ClassVar[str]
    counts_garbage: ClassVar[bool] = True

    @pytest.fixture(autouse=True)
    def in_utc(self, clean_house: None) -> None:
        """Formats without a time zone mean the machine's own, which the empty house sets to UTC."""
        time.tzset()

    def test_every_sample_is_recognised_by_its_content(self) -> None:
        for path in self.files():
            assert detect_reader(Input(data=path.read_bytes())).name == self.reader().name, path.name

    def test_every_sample_yields_its_expected_turns(self) -> None:
        expected = json.loads((SAMPLES / self.module / "expected.json").read_text("utf-8"))
        assert {path.name for path in self.files()} == set(expected)
        for path in self.files():
            assert [
                as_expected(transcript) for transcript in self.read(Input(path=path))
            ] == expected[path.name], path.name

    def test_text_that_is_piped_in_yields_the_same_turns_as_the_file(self) -> None:
        for path in self.files():
            piped = self.read(Input(data=path.read_bytes()))
            assert [transcript.turns for transcript in piped] == [
                transcript.turns for transcript in self.read(Input(path=path))
            ]

    def test_turns_are_numbered_without_gaps_and_only_results_may_be_empty(self) -> None:
        for turn, seq in (
            (turn, seq)
            for path in self.files()
            for t in self.read(Input(path=path))
            for seq, turn in enumerate(t.turns)
        ):
            assert turn.seq == seq
            assert turn.text or turn.kind == "tool_result"

    def test_what_people_said_stands_in_the_file_word_for_word(self) -> None:
        for path in self.files():
            in_file = every_text(path.read_bytes())
            for turn in self.human_turns(Input(path=path)):
                missing = [
                    line
                    for line in turn.text.split("\n")
                    if turn.kind != "command" and line not in in_file
                ]
                assert not missing, path.name

    def test_garbage_after_the_end_never_raises_and_is_counted(self) -> None:
        for path in self.files():
            before, after = (
                self.read(Input(path=path)),
                self.read(Input(data=path.read_bytes() + GARBAGE)),
            )
            if self.counts_garbage:
                assert unknown_of(after) - unknown_of(before), path.name

    def test_a_file_cut_anywhere_never_raises(self) -> None:
        for path in self.files():
            raw = path.read_bytes()
            for end in range(0, len(raw), max(1, len(raw) // 97)):
                self.read(Input(data=raw[:end]))

    def test_context_that_was_handed_out_does_not_come_back(self) -> None:
        for path in self.files():
            before = self.human_turns(Input(path=path))
            raw = path.read_bytes()
            for turn in before:
                raw = with_context_before(raw, turn.text)
            after = self.human_turns(Input(data=raw))
            assert [turn.text for turn in after] == [turn.text for turn in before], path.name
            assert not any(
                "green lanterns" in turn.text
                for t in self.read(Input(data=raw))
                for turn in t.turns
            ), path.name

    def test_values_of_the_wrong_type_never_raise(self) -> None:
        @TRIED
        @given(draw=st.data())
        def try_one(draw: st.DataObject) -> None:
            path = draw.draw(st.sampled_from(self.files()))
            raw = mutated(path.read_bytes(), draw)
            self.reader().sniff(raw, path.name)
            for transcript in self.read(Input(data=raw)):
                assert isinstance(transcript.session_id, str)
                for turn in transcript.turns:
                    turn.text.encode("utf-8")

        try_one()

    def test_bytes_of_no_format_never_raise(self) -> None:
        @TRIED
        @given(raw=st.binary(max_size=300))
        def try_one(raw: bytes) -> None:
            self.reader().sniff(raw, "")
            self.read(Input(data=raw))

        try_one()

    @classmethod
    def reader(cls) -> Any:
        """The reader under test."""
        reader = load_reader(cls.module)
        assert reader is not None
        return reader

    @classmethod
    def files(cls) -> list[Path]:
        """The samples, of which there must be one at least."""
        found = sorted(
            path for path in (SAMPLES / cls.module).iterdir() if path.name != "expected.json"
        )
        assert found
        return found

    @classmethod
    def read(cls, source: Input) -> list[Transcript]:
        """All transcripts of an input."""
        return list(cls.reader().read(source))

    @classmethod
    def human_turns(cls, source: Input) -> list[Turn]:
        """What people said in an input."""
        return [
            turn
            for transcript in cls.read(source)
            for turn in transcript.turns
            if turn.role == "human"
        ]


def as_expected(transcript: Transcript) -> dict[str, Any]:
    """A transcript as `expected.json` writes it down: what is empty is left out."""
    head = {name: getattr(transcript, name) for name in HEAD if getattr(transcript, name)}
    return head | {"turns": [turn_as_expected(turn) for turn in transcript.turns]}


HEAD = (
    "format",
    "agent",
    "session_id",
    "parent_session_id",
    "cwd",
    "git_branch",
    "title",
    "started_at",
    "ended_at",
    "is_chat",
    "unknown",
    "remote",
)
TURN = ("role", "kind", "text", "ts", "speaker", "tool", "call_id", "ok", "line", "data")


def turn_as_expected(turn: Turn) -> dict[str, Any]:
    """A turn without its number and without what is empty."""
    return {
        name: getattr(turn, name)
        for name in TURN
        if getattr(turn, name) not in (None, {}, "", 0) or getattr(turn, name) is False
    }


def unknown_of(transcripts: list[Transcript]) -> Counter[str]:
    """All that was not understood; the transcripts of one file count together."""
    total: Counter[str] = Counter()
    for transcript in transcripts:
        total |= Counter(dict(transcript.unknown))
    return total


def every_text(raw: bytes) -> str:
    """Every string of a JSON or JSONL file, decoded, or the text itself."""
    texts: list[str] = []
    for line in [raw, *raw.split(b"\n")]:
        try:
            collect(json.loads(line), texts)
        except ValueError:
            continue
    return "\n".join([*texts, raw.decode("utf-8", "replace")])


def collect(value: Any, texts: list[str]) -> None:
    """All strings in a JSON value, keys included."""
    if isinstance(value, str):
        texts.append(value)
    for child in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        collect(child, texts)


def with_context_before(raw: bytes, text: str) -> bytes:
    """The file with our own context put before the first line of a text, wherever the file has it."""
    first = text.split("\n")[0]
    plain = first.encode()
    for needle in {
        json.dumps(first)[1:-1].encode(),
        json.dumps(first, ensure_ascii=False)[1:-1].encode(),
        plain,
    }:
        escaped = (
            json.dumps(OWN_CONTEXT)[1:-1].encode()
            if raw.lstrip()[:1] in (b"{", b"[")
            else OWN_CONTEXT.encode()
        )
        if needle in raw and escaped + needle not in raw:
            raw = raw.replace(needle, escaped + needle)
    return raw


def mutated(raw: bytes, draw: st.DataObject) -> bytes:
    """The file with one value, or one byte where it is no JSON, exchanged for something that does not belong there."""
    lines: list[Any] = []
    for line in [raw] if is_json(raw) else raw.split(b"\n"):
        lines.append(json.loads(line) if is_json(line) else line)
    for _ in range(draw.draw(st.integers(1, 3))):
        place = draw.draw(st.integers(0, len(lines) - 1))
        if isinstance(lines[place], (dict, list)):
            exchange(lines[place], draw)
        elif lines[place] and isinstance(lines[place], bytes):
            cut = draw.draw(st.integers(0, len(lines[place]) - 1))
            lines[place] = (
                lines[place][:cut] + draw.draw(st.binary(max_size=4)) + lines[place][cut + 1 :]
            )
    return b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )


def exchange(value: Any, draw: st.DataObject) -> None:
    """Replace or remove one value somewhere inside."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = draw.draw(st.sampled_from(keys))
        child = value[key]
        if not isinstance(child, (dict, list)) or not child or draw.draw(st.integers(0, 3)) == 0:
            break
        value = child
    if draw.draw(st.integers(0, 4)) == 0:
        del value[key]
    else:
        value[key] = deepcopy(draw.draw(st.sampled_from(WRONG)))


def is_json(raw: bytes) -> bool:
    """Whether these bytes are a JSON object or list."""
    try:
        return isinstance(json.loads(raw), (dict, list))
    except ValueError:
        return False
