"""Measure how certain duplicates and contradictions are, on labelled and on invented pairs.

    python benchmarks/consolidate.py [--data FILE_OR_FOLDER ...] [--msrp FILE] [--sick FILE]
                                     [--words] [--show N]

A file is known by its content: MSRP (tab-separated, `Quality`, `#1 String`, `#2 String`), SICK
(tab-separated, `sentence_A`, `sentence_B`, `relatedness_score`, `entailment_judgment`), memtrust's
contradiction cases (JSON), or invented cases (tab-separated, `expected`, `older`, `newer`, as in
`relation_cases.tsv`, which is always measured). A folder stands for all of them in it, and for the
sessions of DevMemBench. Each figure is `precision / recall (right of found)`, with words alone and,
unless `--words` is given, with the cosine of the built-in embedding; baselines stand beside.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.run import markdown
from benchmarks.updates import CASES as CHANGES
from memctl.consolidate.compare import relation_of
from memctl.consolidate.features import read_features
from memctl.records.statement import Statement
from memctl.text.normalize import list_content_words

INVENTED = Path(__file__).with_name("relation_cases.tsv")
AGAINST = ("contradicts", "updates")
Near = Callable[[str, str], float | None]
Decide = Callable[[str, str], bool]


class Pair(NamedTuple):
    """Two texts, the older first where one is older, and whether what is looked for is so."""

    older: str
    newer: str
    label: bool


def main() -> None:
    """Measure every set that was given, and the invented cases."""
    given = _arguments()
    near: Near = _unknown if given.words else _by_vectors()
    files = [*given.data, *filter(None, (given.msrp, given.sick))]
    for path in [file for each in files for file in _files(each)] + [INVENTED]:
        for name, pairs, against in _sets(path):
            print(
                f"\n## {name}: {len(pairs)} pairs, {sum(pair.label for pair in pairs)} positive\n"
            )
            print(
                markdown(
                    ["decided by", "precision / recall (right of found)"],
                    _rows(pairs, near, against),
                )
            )
            _show(pairs, near, against, given.show)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="files or folders")
    parser.add_argument("--msrp", type=Path)
    parser.add_argument("--sick", type=Path)
    parser.add_argument("--words", action="store_true", help="without the embedding")
    parser.add_argument(
        "--show", type=int, default=0, help="so many of the wrong answers of each set"
    )
    return parser.parse_args()


def _files(path: Path) -> list[Path]:
    return (
        sorted(file for file in path.rglob("*") if file.suffix in (".tsv", ".txt", ".json"))
        if path.is_dir()
        else [path]
    )


def _sets(path: Path) -> Iterator[tuple[str, list[Pair], bool]]:
    """Every question that a file can answer: its name, its pairs, and whether contradictions are
    looked for rather than duplicates.
    """
    if path.suffix == ".json":
        yield from _json_sets(path)
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        data = list(
            csv.DictReader(
                (line for line in file if not line.startswith("# ")),
                delimiter="\t",
                quoting=csv.QUOTE_NONE,
            )
        )
    columns = set(data[0]) if data else set()
    if "Quality" in columns:
        yield (
            f"MSRP ({path.name}), duplicates",
            [Pair(r["#1 String"], r["#2 String"], r["Quality"] == "1") for r in data],
            False,
        )
    elif "entailment_judgment" in columns:
        yield from _sick(path.name, data)
    elif "expected" in columns:
        yield from _invented(data)


def _sick(name: str, data: Sequence[dict[str, str]]) -> Iterator[tuple[str, list[Pair], bool]]:
    def labelled(label: str, least: float = 0.0) -> list[Pair]:
        return [
            Pair(
                row["sentence_A"],
                row["sentence_B"],
                row["entailment_judgment"] == label and float(row["relatedness_score"]) >= least,
            )
            for row in data
        ]

    yield f"SICK ({name}), contradictions", labelled("CONTRADICTION"), True
    yield f"SICK ({name}), duplicates as entailment", labelled("ENTAILMENT"), False
    yield (
        f"SICK ({name}), duplicates as entailment and relatedness >= 4.5",
        labelled("ENTAILMENT", 4.5),
        False,
    )


def _invented(data: Sequence[dict[str, str]]) -> Iterator[tuple[str, list[Pair], bool]]:
    """The half that rules were written with, and the half that was only looked at afterwards."""
    for half, name in ((0, "worked with"), (1, "held out")):
        rows = [row for row in data if _half(row) == half]
        yield (
            f"invented, {name}: changes",
            [Pair(row["older"], row["newer"], row["expected"] == "change") for row in rows],
            True,
        )
        yield (
            f"invented, {name}: duplicates",
            [Pair(row["older"], row["newer"], row["expected"] == "same") for row in rows],
            False,
        )


def _half(row: dict[str, str]) -> int:
    return int(hashlib.sha256((row["older"] + row["newer"]).encode()).hexdigest(), 16) % 2


def _json_sets(path: Path) -> Iterator[tuple[str, list[Pair], bool]]:
    data = json.loads(path.read_text(encoding="utf-8-sig"))
    if isinstance(data, dict) and "contradicting_fact" in json.dumps(data.get("cases", [])[:1]):
        yield (
            f"memtrust ({path.name})",
            [
                Pair(case["initial_fact"], case["contradicting_fact"], True)
                for case in data["cases"]
            ],
            True,
        )
    elif path.name == "sessions.json":
        said = _statements(path.parent)
        yield (
            "DevMemBench, later statements that replace earlier ones",
            [Pair(said[c.older], said[c.newer], True) for c in CHANGES],
            True,
        )


def _statements(folder: Path) -> dict[str, str]:
    from benchmarks.updates import load

    return {
        f"{document.talk}/{document.id.partition('/')[2]}": document.text
        for document in load(folder).documents
    }


def _rows(pairs: Sequence[Pair], near: Near, against: bool) -> Iterator[list[str]]:
    ways: list[tuple[str, Decide]] = [
        ("relation_of, words alone", partial(_found, near=_unknown, against=against))
    ]
    if near is not _unknown:
        ways.append(("relation_of, with nearness", partial(_found, near=near, against=against)))
    for limit in (0.5, 0.7, 0.9):
        ways.append(
            (
                f"Jaccard of stems >= {limit}{_also(against)}",
                partial(_baseline, measure=jaccard, limit=limit, against=against),
            )
        )
    for limit in (0.8, 0.9, 0.95) if near is not _unknown else ():
        ways.append(
            (
                f"cosine >= {limit}{_also(against)}",
                partial(_baseline, measure=near, limit=limit, against=against),
            )
        )
    for name, decide in ways:
        yield [name, _cell([(decide(pair.older, pair.newer), pair.label) for pair in pairs])]


def _also(against: bool) -> str:
    return ", one side denied" if against else ""


def _found(older: str, newer: str, near: Near, against: bool) -> bool:
    """What the program decides: what stands against an older statement may also be read from the
    older one's side.
    """
    relation = relation_of(
        Statement("2", newer), Statement("1", older), nearness=near(older, newer)
    )
    return relation in AGAINST if against else relation == "duplicate"


def _baseline(a: str, b: str, measure: Near, limit: float, against: bool) -> bool:
    denied = bool(read_features(a).negations) != bool(read_features(b).negations)
    return (measure(a, b) or 0.0) >= limit and denied == against


def jaccard(a: str, b: str) -> float:
    """The share of the stems of both that they have in common."""
    one, other = set(list_content_words(a)), set(list_content_words(b))
    return len(one & other) / max(1, len(one | other))


def _cell(answers: Iterable[tuple[bool, bool]]) -> str:
    told = list(answers)
    found, positive = [label for taken, label in told if taken], sum(label for _, label in told)
    if not found:
        return f"- / 0 (0 of 0, {positive} to find)"
    return (
        f"{sum(found) / len(found):.3f} / {sum(found) / max(1, positive):.3f} ({sum(found)} "
        f"of {len(found)})"
    )


def _show(pairs: Sequence[Pair], near: Near, against: bool, most: int) -> None:
    wrong = (
        [
            (pair, found)
            for pair in pairs
            if (found := _found(pair.older, pair.newer, near, against)) != pair.label
        ]
        if most
        else []
    )
    for pair, found in wrong[:most]:
        print(f"{'found' if found else 'missed'}: {pair.older} | {pair.newer}")


def _unknown(_a: str, _b: str) -> float | None:
    return None


def _by_vectors() -> Near:
    """The cosine of the built-in model, each text embedded once."""
    from memctl.embed import find_embedder

    model, known = find_embedder(), dict[str, "array[float]"]()

    def near(a: str, b: str) -> float | None:
        for text in (a, b):
            if text not in known:
                known[text] = array("f", model.embed([text])[0])
        return sum(x * y for x, y in zip(known[a], known[b], strict=True))

    return near


if __name__ == "__main__":
    main()
