"""How certain are duplicates and contradictions? Measured on pairs that people labelled.

    python benchmarks/consolidate.py [--msrp FILE] [--sick FILE]

MSRP: tab-separated, `Quality`, `#1 String`, `#2 String`. SICK: tab-separated, `sentence_A`, `sentence_B`, `relatedness_score`,
`entailment_judgment`. Prints precision/recall (and how many pairs were taken) per threshold for our score and for two plain word
overlaps, then the relations found on SICK against its labels.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from memctl.consolidate.claims import relation_of
from memctl.consolidate.similar import NEAR, similarity
from memctl.consolidate.statement import Statement
from memctl.consolidate.text import content_words, normalise

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, NEAR, 0.95, 1.0)
Pair = tuple[str, str, bool]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def jaccard(a: str, b: str) -> float:
    one, other = set(normalise(a).split()), set(normalise(b).split())
    return len(one & other) / max(1, len(one | other))


def jaccard_of_stems(a: str, b: str) -> float:
    one, other = set(content_words(a)), set(content_words(b))
    return len(one & other) / max(1, len(one | other))


def table(name: str, pairs: list[Pair]) -> None:
    positives = sum(label for *_, label in pairs)
    print(f"\n{name}: {len(pairs)} pairs, {positives} positive; precision/recall (taken)")
    print("| score | " + " | ".join(f">= {limit}" for limit in THRESHOLDS) + " |")
    print("|" + " --- |" * (len(THRESHOLDS) + 1))
    measures: tuple[Callable[[str, str], float], ...] = (jaccard, jaccard_of_stems, similarity)
    for measure in measures:
        scored = [(measure(a, b), label) for a, b, label in pairs]
        print(f"| {measure.__name__} | " + " | ".join(cell(scored, limit, positives) for limit in THRESHOLDS) + " |")


def cell(scored: list[tuple[float, bool]], limit: float, positives: int) -> str:
    taken = [label for score, label in scored if score >= limit]
    return f"{sum(taken) / len(taken):.2f}/{sum(taken) / positives:.2f} ({len(taken)})" if taken else "-"


def relations(data: list[dict[str, str]]) -> None:
    found = Counter(
        (relation_of(Statement("a", row["sentence_A"]), Statement("b", row["sentence_B"])), row["entailment_judgment"]) for row in data
    )
    print("\nSICK: relation found, label, pairs")
    for (relation, label), count in sorted(found.items(), key=str):
        print(f"| {relation} | {label} | {count} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--msrp", type=Path)
    parser.add_argument("--sick", type=Path)
    options = parser.parse_args()
    if options.msrp:
        table("MSRP", [(row["#1 String"], row["#2 String"], row["Quality"] == "1") for row in rows(options.msrp)])
    if options.sick:
        data = rows(options.sick)
        entailed = [(row["sentence_A"], row["sentence_B"], row["entailment_judgment"] == "ENTAILMENT") for row in data]
        strict = [(a, b, label and float(row["relatedness_score"]) >= 4.5) for (a, b, label), row in zip(entailed, data, strict=True)]
        table("SICK, entailment", entailed)
        table("SICK, entailment and relatedness >= 4.5", strict)
        relations(data)


if __name__ == "__main__":
    main()
