"""One week of one operator, three projects and three agents, through the real hooks: is what the
agents are told useful, in force, approved and of this project?

    python benchmarks/week.py [--home FOLDER] [--until DAY] [--json OUT] [--lines OUT] [--open]

`benchmarks/week/` holds the invented week: what was said in which session (`*.talk`), what the
operator decides about each candidate (`decisions.tsv`) and what each line is worth where it is told
(`labels.tsv`). Every session runs the commands that `memctl setup` wrote into the agents' settings,
at a start, at each prompt and at the end; every night `memctl maintain` runs, and every morning the
operator reads the inbox at a terminal. The clock of every process is moved by `tests/proofs/shim.c`.
What no label or decision covers is counted and printed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.week_house import WeekHouse
from benchmarks.week_judge import JudgedLine, LineLabels, check_answers, judge_all
from benchmarks.week_talk import read_week

FOLDER = Path(__file__).with_name("week")
# What the week must show: the share of useful lines, and how often a bad one may be told.
USEFUL_AIM = 0.80
NEVER = ("stale", "rejected", "foreign", "unapproved")


def main() -> int:
    """Live the week, judge each line, print the shares; 1 if an aim is missed."""
    given = _parse()
    sessions = [each for each in read_week(FOLDER) if each.start[:10] <= given.until]
    with tempfile.TemporaryDirectory() as folder:
        house = WeekHouse(given.home or Path(folder), FOLDER)
        told = house.live(sessions, given.until)
        judged = judge_all(
            told,
            sessions,
            LineLabels.read(FOLDER / "labels.tsv"),
            house.rules_files,
            house.refused_texts,
        )
        if given.lines:
            given.lines.write_text("".join(_show(each) + "\n" for each in judged))
        if given.json:
            given.json.write_text(json.dumps([asdict(each) for each in judged], indent=1))
    _print(judged, house, given.open)
    counts = Counter(each.label for each in judged)
    useful = counts["useful"] / max(1, len(judged))
    return int(useful < USEFUL_AIM or any(counts[label] for label in NEVER))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--home", type=Path, help="an empty folder to live in, and to keep")
    parser.add_argument("--until", default="2026-11-22", help="the last day (YYYY-MM-DD)")
    parser.add_argument("--json", type=Path, help="write every line with its label here")
    parser.add_argument("--lines", type=Path, help="the same as text")
    parser.add_argument("--open", action="store_true", help="print lines without a label only")
    return parser.parse_args()


def _show(line: JudgedLine) -> str:
    return (
        f"{line.label:<10} {line.at:<7} {line.project:<10} {line.text}    <- {line.prompt[:90]!r}"
    )


def _print(judged: Sequence[JudgedLine], house: WeekHouse, only_open: bool) -> None:
    for name, part in (
        ("all", judged),
        ("start", [each for each in judged if each.is_start]),
        ("prompt", [each for each in judged if not each.is_start]),
    ):
        counts = Counter(each.label for each in part)
        shares = ", ".join(
            f"{label} {count} ({count / len(part):.3f})" for label, count in counts.most_common()
        )
        print(f"{name}: {len(part)} lines: {shares}")
    print(
        f"hooks that answered: {house.answered} of {house.asked}; captures: {house.captures}; "
        f"candidates: {house.seen}, approved {house.approved}, rejected {house.refused}"
    )
    answers = list(check_answers(FOLDER / "answers.tsv", judged, house.rules_files))
    found = Counter(verdict for _, verdict in answers)
    print(f"questions: {dict(found)}; " + ", ".join(f"{a} {v}" for a, v in answers if v != "told"))
    for text in dict.fromkeys(house.undecided):
        print(f"undecided  {text}")
    for problem in house.problems:
        print(f"problem    {problem}")
    for each in judged:
        if each.label == "unlabelled" or (not only_open and each.label != "useful"):
            print(_show(each))


if __name__ == "__main__":
    raise SystemExit(main())
