"""Lines that images and output make huge are read in bounded memory, the words on them kept."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from contract import SAMPLES

from memctl.readers import base, long_lines
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader

LETTERS = ["a", "é", '"', "\\", "\n", "😀", " ", "字", "b" * 9]
IMAGE = "QUJD" * 40_000
LINES = [path for path in sorted(SAMPLES.glob("*/*.jsonl")) if b"\n{" in path.read_bytes()]


def draw_text(letters: random.Random, most: int) -> str:
    return "".join(letters.choice(LETTERS) for _ in range(letters.randrange(most)))


@pytest.mark.parametrize("piece", [7, 64, 1000])
@pytest.mark.parametrize("seed", range(30))
def test_strings_are_cut_between_characters_and_everything_else_stays(
    seed: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_lines, "_PIECE", piece)
    letters = random.Random(seed)
    short, long = draw_text(letters, 6), draw_text(letters, 3000)
    value = {"words": short, "blocks": [long, {"n": 1.5}]}
    line = json.dumps(value, ensure_ascii=seed % 2 == 0).encode() + b"\n"
    cut, size = long_lines.read_rest(line[:5], io.BytesIO(line[5:] + b"next"), 300)
    told = json.loads(cut)
    assert size == len(line)
    assert (told["words"], told["blocks"][1]) == (short, {"n": 1.5})
    head, note, tail = told["blocks"][0].partition("\n[... ")
    assert long.startswith(head)
    assert not note or long.endswith(tail.partition("...]\n")[2])
    told["blocks"][0].encode()


def test_a_line_that_is_long_without_strings_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "_MOST_BYTES", 1000)
    cut, size = long_lines.read_rest(b"[", io.BytesIO(b"[" * 5000 + b"\nnext"))
    assert (cut, size) == (b"", 5002)


@pytest.mark.parametrize("path", LINES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_format_is_known_and_read_where_a_picture_begins_each_line(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "JSON_LINE_BYTES", 64 * 1024)
    file = tmp_path / path.name
    file.write_bytes(b"\n".join(map(add_picture, path.read_bytes().split(b"\n"))))
    plain, padded = Input(path=path), Input(path=file)
    reader = detect_reader(padded)
    assert reader.name == detect_reader(plain).name
    told = [[(turn.role, turn.text) for turn in each.turns] for each in reader.read(padded)]
    assert told == [[(turn.role, turn.text) for turn in each.turns] for each in reader.read(plain)]


def add_picture(line: bytes) -> bytes:
    """The line with a picture before all it says; what is no object stays."""
    try:
        value: Any = json.loads(line)
    except ValueError:
        return line
    if not isinstance(value, dict):
        return line
    # One of gptme's few fields: a line with any other is none of its lines.
    return json.dumps({"metadata": IMAGE, **value}).encode()
