"""The contract of all readers; a reader's test is a class of three lines that names its samples.

`samples/<module>/` holds invented files and `expected.json`, which maps each file's name to the
transcripts that the file holds.
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
ODD_VALUES: list[Any] = [
    *[None, True, -1, 1e308, math.nan, 10**30, "", "x", "\ud800", "/"],
    *[[], {}, [[]], [None], {"text": 1}, {"a": {"b": []}}, ["x", 1]],
]
OWN_CONTEXT = f'{SENTINEL_OPEN} level="1">The operator likes green lanterns.{SENTINEL_CLOSE}'
# The same examples in every run, and none kept on disk.
EXAMPLES = settings(max_examples=200, derandomize=True, database=None)


class ReaderContract:
    """Subclass it as `Test...` and name the module.

    A format that cannot tell garbage from text sets `counts_garbage` to False.
    """

    module: ClassVar[str]
    counts_garbage: ClassVar[bool] = True

    @pytest.fixture(autouse=True)
    def in_utc(self, clean_house: None) -> None:
        """Formats without a time zone mean the machine's own, which the empty house sets to UTC."""
        time.tzset()

    def test_every_sample_is_recognised_by_its_content(self) -> None:
        for path in self.files():
            reader = detect_reader(Input(data=path.read_bytes()))
            assert reader.name == self.reader().name, path.name

    def test_every_sample_yields_its_expected_turns(self) -> None:
        expected = json.loads((SAMPLES / self.module / "expected.json").read_text("utf-8"))
        assert {path.name for path in self.files()} == set(expected)
        for path in self.files():
            actual = list(map(describe_transcript, self.read(Input(path=path))))
            assert actual == expected[path.name], path.name

    def test_text_that_is_piped_in_yields_the_same_turns_as_the_file(self) -> None:
        for path in self.files():
            piped = self.read(Input(data=path.read_bytes()))
            from_file = self.read(Input(path=path))
            assert [each.turns for each in piped] == [each.turns for each in from_file]

    def test_turns_are_numbered_without_gaps_and_only_results_may_be_empty(self) -> None:
        for path in self.files():
            for transcript in self.read(Input(path=path)):
                for seq, turn in enumerate(transcript.turns):
                    assert turn.seq == seq
                    assert turn.text or turn.kind == "tool_result"

    def test_what_people_said_stands_in_the_file_word_for_word(self) -> None:
        for path in self.files():
            in_file = join_strings(path.read_bytes())
            for turn in self.human_turns(Input(path=path)):
                lines = [] if turn.kind == "command" else turn.text.split("\n")
                assert not [line for line in lines if line not in in_file], path.name

    def test_garbage_after_the_end_never_raises_and_is_counted(self) -> None:
        for path in self.files():
            before = self.read(Input(path=path))
            after = self.read(Input(data=path.read_bytes() + GARBAGE))
            if self.counts_garbage:
                assert count_unknown(after) - count_unknown(before), path.name

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
                raw = insert_context(raw, turn.text)
            after = self.human_turns(Input(data=raw))
            assert [turn.text for turn in after] == [turn.text for turn in before], path.name
            assert not any(
                "green lanterns" in turn.text
                for t in self.read(Input(data=raw))
                for turn in t.turns
            ), path.name

    def test_values_of_the_wrong_type_never_raise(self) -> None:
        @EXAMPLES
        @given(draw=st.data())
        def try_one(draw: st.DataObject) -> None:
            path = draw.draw(st.sampled_from(self.files()))
            raw = mutate(path.read_bytes(), draw)
            self.reader().sniff(raw, path.name)
            for transcript in self.read(Input(data=raw)):
                assert isinstance(transcript.session_id, str)
                for turn in transcript.turns:
                    turn.text.encode("utf-8")

        try_one()

    def test_bytes_of_no_format_never_raise(self) -> None:
        @EXAMPLES
        @given(raw=st.binary(max_size=300))
        def try_one(raw: bytes) -> None:
            self.reader().sniff(raw, "")
            self.read(Input(data=raw))

        try_one()

    @classmethod
    def reader(cls) -> Any:
        """The reader under test."""
        return load_reader(cls.module)

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


def describe_transcript(transcript: Transcript) -> dict[str, Any]:
    """A transcript as `expected.json` writes it down: what is empty is left out."""
    head = {
        name: getattr(transcript, name) for name in TRANSCRIPT_FIELDS if getattr(transcript, name)
    }
    return head | {"turns": [describe_turn(turn) for turn in transcript.turns]}


TRANSCRIPT_FIELDS = (
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
TURN_FIELDS = ("role", "kind", "text", "ts", "speaker", "tool", "call_id", "ok", "line", "data")


def describe_turn(turn: Turn) -> dict[str, Any]:
    """A turn without its number and without what is empty."""
    return {
        name: getattr(turn, name)
        for name in TURN_FIELDS
        if getattr(turn, name) not in (None, {}, "", 0) or getattr(turn, name) is False
    }


def count_unknown(transcripts: list[Transcript]) -> Counter[str]:
    """All that was not understood; the transcripts of one file count together."""
    total: Counter[str] = Counter()
    for transcript in transcripts:
        total |= Counter(dict(transcript.unknown))
    return total


def join_strings(raw: bytes) -> str:
    """Every string of a JSON or JSONL file, decoded, or the text itself."""
    texts: list[str] = []
    for line in [raw, *raw.split(b"\n")]:
        try:
            collect_strings(json.loads(line), texts)
        except ValueError:
            continue
    return "\n".join([*texts, raw.decode("utf-8", "replace")])


def collect_strings(value: Any, texts: list[str]) -> None:
    """Add all strings of a JSON value to the texts, keys included."""
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, dict):
        for child in value.values():
            collect_strings(child, texts)
    elif isinstance(value, list):
        for child in value:
            collect_strings(child, texts)


def insert_context(raw: bytes, text: str) -> bytes:
    """The file with our own context put before the first line of a text, everywhere."""
    first = text.split("\n")[0]
    is_json_file = raw.lstrip()[:1] in (b"{", b"[")
    context = (json.dumps(OWN_CONTEXT)[1:-1] if is_json_file else OWN_CONTEXT).encode()
    spellings = {
        json.dumps(first)[1:-1].encode(),
        json.dumps(first, ensure_ascii=False)[1:-1].encode(),
        first.encode(),
    }
    for needle in spellings:
        if needle in raw and context + needle not in raw:
            raw = raw.replace(needle, context + needle)
    return raw


def mutate(raw: bytes, draw: st.DataObject) -> bytes:
    """The file with up to three values, or bytes where it is no JSON, replaced by odd ones."""
    lines: list[Any] = []
    for line in [raw] if is_json(raw) else raw.split(b"\n"):
        lines.append(json.loads(line) if is_json(line) else line)
    for _ in range(draw.draw(st.integers(1, 3))):
        index = draw.draw(st.integers(0, len(lines) - 1))
        line = lines[index]
        if isinstance(line, (dict, list)):
            replace_one_value(line, draw)
        elif line:
            cut = draw.draw(st.integers(0, len(line) - 1))
            lines[index] = line[:cut] + draw.draw(st.binary(max_size=4)) + line[cut + 1 :]
    encoded = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return b"\n".join(encoded)


def replace_one_value(value: Any, draw: st.DataObject) -> None:
    """Replace or remove one value somewhere inside."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = draw.draw(st.sampled_from(keys))
        child = value[key]
        is_leaf = not isinstance(child, (dict, list)) or not child
        if is_leaf or draw.draw(st.integers(0, 3)) == 0:
            break
        value = child
    if draw.draw(st.integers(0, 4)) == 0:
        del value[key]
    else:
        value[key] = deepcopy(draw.draw(st.sampled_from(ODD_VALUES)))


def is_json(raw: bytes) -> bool:
    """Whether these bytes are a JSON object or list."""
    try:
        return isinstance(json.loads(raw), (dict, list))
    except ValueError:
        return False
