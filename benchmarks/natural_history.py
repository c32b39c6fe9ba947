"""A natural history: sixty questions of a software team whose answers change, in the words in which
people type, write rules and commit messages, correct and leave things out.

    python benchmarks/natural_history.py [--half worked|kept] [--slots N] [--show] [--json OUT]

`benchmarks/natural/` has the lines: five for every question, said a month apart, and two more that
hold for good beside them. What was typed is captured from sessions, the rest written down; the
operator approves all that is so, every night is maintained. After each month every question that
has had another answer before is asked in two wordings, by `search` and by `context --task`. The
lines were written before any rule was read. `worked` may be worked with; `kept` was seen by nobody
who builds until the version that docs/benchmarks.md names, and is in-sample after that.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import told_values
from benchmarks.natural_data import FOLDER, HALVES, ROUNDS, NaturalSlot, load
from benchmarks.natural_house import NaturalHouse
from benchmarks.natural_judge import WAYS, NaturalJudge
from benchmarks.run import markdown, write
from benchmarks.vectors_wanted import add_option, require_vectors
from benchmarks.year_run import moved

# What the history is to show, as the sign and the bound of each figure.
TARGETS: Mapping[str, tuple[str, float]] = {
    "search: current first": (">=", 0.60),
    "search: current or marked": (">=", 0.90),
    "search: only stale told": ("<=", 0.03),
    "wrong retirements": ("<=", 0),
    "wrong marks": ("<=", 0.05),
    "records a fact": ("<=", 1.3),
}


def main() -> None:
    """Live each half, and print both side by side."""
    given = _arguments()
    require_vectors(given.without_vectors)
    reports = {}
    for half in HALVES if given.half is None else [given.half]:
        path = given.folder / f"{half}.txt"
        if path.exists():
            reports[half] = live(load(path)[: given.slots], given.seed)
    if not reports:
        sys.exit(f"there is no half of a history in {given.folder}")
    print("\n".join(lines(reports)))
    for half, report in reports.items() if given.show else ():
        print(f"\n## {half}")
        for name, texts in report["faults"].items():
            for text in texts:
                print(f"- {name}: {text}")
    write(given.json, reports)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, help="one half only")
    parser.add_argument("--slots", type=int, help="only the first so many questions of a half")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="other histories")
    parser.add_argument("--seed", type=int, default=1, help="of the order within a round")
    parser.add_argument("--show", action="store_true", help="show every fault with its texts")
    parser.add_argument("--json", type=Path, help="write every figure and fault here")
    add_option(parser)
    return parser.parse_args()


def live(slots: Sequence[NaturalSlot], seed: int) -> dict[str, Any]:
    """Live through the rounds in a new home; all that was measured."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, moved() as moment:
        house = NaturalHouse(Path(folder) / "home", slots, moment, seed)
        judge = NaturalJudge(house, slots)
        with house.entered():
            for round_ in house.rounds():
                judge.look(round_)
            judge.look_at_marks(ROUNDS)
    return _report(judge) | {"seconds": round(time.perf_counter() - started, 1)}


def _report(judge: NaturalJudge) -> dict[str, Any]:
    found, changes = judge.count_changes()
    stale_active, stale = judge.count_stale(ROUNDS)
    wrong_marks = [text for text in judge.marked if not text.startswith("restated")]
    merges, contradictions = judge.list_wrong_merges(), judge.list_wrong_contradictions()
    answers = {
        f"{way}: {name}": share
        for way in WAYS
        for name, share in told_values.count(judge.verdicts[way]).items()
    }
    return {
        **answers,
        "last month": {way: told_values.count(judge.last[way]) for way in WAYS},
        "changes": changes,
        "changes found": found / max(1, changes),
        "stale records": stale,
        "stale records in force": stale_active / max(1, stale),
        "retired rightly": judge.right_retired,
        "wrong retirements": len(judge.retired) + len(merges),
        "kinds of wrong retirements": Counter(kind for kind, _ in judge.retired)
        + Counter({"merged with another": len(merges)}),
        "wrong contradictions": len(contradictions),
        "records in force that hold": judge.in_force,
        "wrong marks": len(wrong_marks) / max(1, judge.in_force),
        "kinds of wrong marks": Counter(text.partition(":")[0] for text in wrong_marks),
        "marked by what says the same": (len(judge.marked) - len(wrong_marks))
        / max(1, judge.in_force),
        "stale records marked": sum(judge.stale_marked) / max(1, len(judge.stale_marked)),
        "records a fact": judge.count_records_a_fact(ROUNDS),
        "typed lines proposed": judge.house.proposed / max(1, judge.house.typed),
        "faults": {
            "wrong retirement": [f"{kind}: {text}" for kind, text in judge.retired],
            "wrong merge": merges,
            "wrong contradiction": contradictions,
            "wrong mark": wrong_marks,
            "not first": judge.failed,
        },
    }


def lines(reports: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Both halves as one Markdown table, a figure a row, and the kinds of faults."""
    first = next(iter(reports.values()))
    rows = [
        [
            name,
            *(_format(report[name]) for report in reports.values()),
            " ".join(map(str, TARGETS.get(name, ("",)))),
        ]
        for name, value in first.items()
        if isinstance(value, int | float)
    ]
    rest = [
        f"{half}, {name}: {dict(report[name])}"
        for half, report in reports.items()
        for name in ("kinds of wrong retirements", "kinds of wrong marks")
        if report[name]
    ]
    return [markdown(["figure", *reports, "wanted"], rows), "", *rest]


def _format(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


if __name__ == "__main__":
    main()
