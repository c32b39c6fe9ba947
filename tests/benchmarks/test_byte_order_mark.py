"""Tables that an editor saved with a byte order mark are read like any others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import consolidate, natural_data, qrels, served_data, two_properties, week_judge

SICK = (
    "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    "1\tA\tB\t4\tCONTRADICTION\n"
)
MSRP = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t1\t2\tA\tB\n"
HISTORY = (
    "#slot kiln (hardware)\n? which kiln?\n"
    + "".join(f"{n} chat a | the kiln is red\n" for n in range(1, 6))
    + "=2 The kiln is warm.\n"
)
READERS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "SICK": ("sick.tsv", SICK, lambda path: list(consolidate._sets(path))),
    "MSRP": ("msrp.tsv", MSRP, lambda path: list(consolidate._sets(path))),
    "pairs of two properties": (
        "pairs.tsv",
        "expected\tolder\tnewer\ntwo\tA\tB\n",
        lambda path: two_properties.load(path, "worked"),
    ),
    "records of prompts": (
        "aliases.tsv",
        "name\talias\nkiln\toven\n",
        lambda path: list(served_data._rows(path)),
    ),
    "labels of a week": (
        "labels.tsv",
        "all\tuseful\tneutral\t-\tThe kiln is red.\n",
        lambda path: vars(week_judge.LineLabels.read(path)),
    ),
    "judgements": ("test.tsv", "q1\td1\t1\n", qrels.judgements),
    "texts": ("texts.tsv", "d1\tThe kiln is red.\n", qrels.texts),
    "natural history": ("worked.txt", HISTORY, natural_data.load),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_byte_order_mark_changes_nothing(
    tmp_path: Path, reader: tuple[str, str, Callable[[Path], object]]
) -> None:
    name, text, read = reader
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    usual = read(path)
    path.write_text(text, encoding="utf-8-sig")
    assert usual
    assert read(path) == usual
