"""A simulated year: is what memory serves true, once, and free of junk, after facts changed and
agents kept restating what was?

    python benchmarks/year.py [--seed 1] [--family A|B] [--days 365] [--sessions 300] [--json OUT] [--keep FOLDER] [--failures 20]

Three projects, invented by a seed: facts that change one to six times, decisions and facts told
again in other words, likings, noise, an agent that restates junk. Sessions are captured as
transcripts by the real engine; every night with a session is maintained; the operator looks into
the inbox. At the end of every month, and of the year, every fact is asked for. Family B of the
wordings is held out: nothing is tuned on it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import linear_regression, mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import year_probe
from benchmarks.run import markdown, write
from benchmarks.year_probe import Probe, Reading
from benchmarks.year_run import Life, days, moved
from benchmarks.year_world import world

_MONTH = 30
# What the year must show, as the sign and the bound of each figure.
TARGETS: Mapping[str, tuple[str, float]] = {
    "current": (">=", 0.95),
    "stale": ("<=", 0.0),
    "duplicates": ("<=", 1.1),
    "junk": ("<=", 0.02),
    "linear": (">=", 0.97),
}


def main() -> None:
    """Live a year and tell how it went."""
    given = _arguments()
    with tempfile.TemporaryDirectory() as folder, moved() as moment:
        home = given.keep or Path(folder)
        life = Life(
            home,
            world(
                given.seed,
                given.family,
                days=given.days,
                sessions=given.sessions,
                slots=given.slots,
            ),
            moment,
        )
        started, worked = time.perf_counter(), time.process_time()
        readings = _months(life, given.quiet)
        past = year_probe.past(life, life.world.days)
        report = (
            figures(life, readings, past)
            | {"undone": year_probe.undone(life)}
            | {"seconds": time.perf_counter() - started, "of work": time.process_time() - worked}
        )
    print("\n".join(lines(report)))
    _show_failures(readings[-1], given.failures)
    write(given.json, report)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=("A", "B"), default="A")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument(
        "--slots", type=int, default=99, help="at most so many facts of each sort in each project"
    )
    parser.add_argument("--json", type=Path, help="write every figure here")
    parser.add_argument("--keep", type=Path, help="a new folder for the home, which stays")
    parser.add_argument("--failures", type=int, default=20, help="how many failed probes to show")
    parser.add_argument("--quiet", action="store_true", help="tell nothing meanwhile")
    return parser.parse_args()


def _months(life: Life, quiet: bool) -> list[Reading]:
    """The readings at the ends of months; before the last one the operator clears the inbox."""
    readings = []
    for day in days(life):
        is_last = day == life.world.days - 1
        if is_last:
            life.look(day, at_all=True)
            life.night(day)
            life.look(day, at_all=True)
        if is_last or day % _MONTH == _MONTH - 1:
            readings.append(year_probe.read(life, day))
            if not quiet:
                print(f"day {day + 1}: {_short(readings[-1])}", file=sys.stderr, flush=True)
    return readings


def _short(reading: Reading) -> str:
    verdicts = Counter(probe.verdict for probe in reading.probes)
    return (
        f"{dict(verdicts)}, {reading.duplicates:.2f} records a fact, {reading.active} "
        f"active, {reading.inbox} waiting"
    )


def figures(life: Life, readings: Sequence[Reading], past: Sequence[Probe]) -> dict[str, Any]:
    """All that was measured, as it goes into the JSON."""
    last, nights = readings[-1], [night.seconds for night in life.nights]
    return {
        "seed": life.world.seed,
        "family": life.world.family,
        "sessions": len(life.world.sessions),
        "facts": len(life.world.facts),
        "changes": sum(len(fact.reigns) - 1 for fact in life.world.facts.values()),
        "current": last.share("current"),
        "stale": last.share("stale"),
        "missing": last.share("missing"),
        "duplicates": last.duplicates,
        "junk": last.junk,
        "stale active": Counter(text.partition("]")[0].lstrip("[") for text in last.stale_active),
        "contradicted": last.open_contradictions,
        "linear": linear(readings),
        "past": Counter(probe.verdict for probe in past),
        "inbox a week": mean(life.inbox_weeks.values() or [0]),
        "nights": {
            "count": len(nights),
            "mean": mean(nights or [0.0]),
            "longest": max(nights, default=0.0),
        },
        "time": dict(life.spent),
        "counts": dict(life.counts),
        "problems": [text for night in life.nights for text in night.problems],
        "months": [year_probe.as_data(reading) for reading in readings],
        "captured": captured(life),
    }


def linear(readings: Sequence[Reading]) -> float:
    """How well records grow along a line with what there was to know: the share of the variance
    that the line explains.
    """
    known, kept = [float(one.known) for one in readings], [float(one.active) for one in readings]
    if len(readings) < 3 or len(set(known)) < 2:
        return 1.0
    line = linear_regression(known, kept)
    off = sum((y - line.slope * x - line.intercept) ** 2 for x, y in zip(known, kept, strict=True))
    return 1 - off / max(1e-9, sum((y - mean(kept)) ** 2 for y in kept))


def captured(life: Life) -> dict[str, str]:
    """Of the operator's statements of each form, how many became (part of) a record at all."""
    quotes = year_probe.quoted(life)
    tally: Counter[tuple[str, bool]] = Counter()
    for session in life.world.sessions:
        for stated in session.says:
            tally[stated.form, year_probe.is_in(stated, quotes)] += 1
    forms = sorted({form for form, _ in tally})
    return {form: f"{tally[form, True]}/{tally[form, True] + tally[form, False]}" for form in forms}


def lines(report: Mapping[str, Any]) -> list[str]:
    """The year as Markdown."""
    about = f"{report['sessions']} sessions, {report['facts']} facts, {report['changes']} changes"
    goals = [
        [name, f"{report[name]:.3f}", f"{sign} {bound}", _met(report[name], sign, bound)]
        for name, (sign, bound) in TARGETS.items()
    ]
    more = (
        "missing",
        "stale active",
        "contradicted",
        "past",
        "inbox a week",
        "nights",
        "time",
        "counts",
        "captured",
        "undone",
        "seconds",
        "of work",
    )
    head = f"\n## A year, seed {report['seed']}, wordings {report['family']}: {about}"
    rest = [f"{name}: {_plain(report[name])}" for name in more]
    months = markdown(list(_COLUMNS), map(_month, report["months"]))
    return [
        head,
        "",
        markdown(["figure", "measured", "target", "met"], goals),
        "",
        *rest,
        "",
        months,
    ]


# The columns of the months, and what each shows of a reading.
_COLUMNS: Mapping[str, tuple[str, str]] = {
    "day": ("day", "d"),
    "current": ("current", ".3f"),
    "stale": ("stale", ".3f"),
    "records a fact": ("duplicates", ".2f"),
    "junk": ("junk", ".3f"),
    "active": ("active", "d"),
    "records": ("records", "d"),
    "inbox": ("inbox", "d"),
    "contradicted": ("open_contradictions", "d"),
    "bytes": ("bytes", "d"),
    "to know": ("known", "d"),
}


def _month(reading: Mapping[str, Any]) -> list[str]:
    return [format(reading[name], shape) for name, shape in _COLUMNS.values()]


def _plain(value: Any) -> str:
    return (
        f"{value:.2f}"
        if isinstance(value, float)
        else json.dumps(value, default=str)
        if isinstance(value, dict)
        else str(value)
    )


def _met(value: float, sign: str, bound: float) -> str:
    return "yes" if (value >= bound if sign == ">=" else value <= bound) else "NO"


def _show_failures(reading: Reading, most: int) -> None:
    failed = [probe for probe in reading.probes if probe.verdict not in ("current", "waiting")]
    for probe in failed[:most]:
        told = f"- {probe.verdict}: {probe.key} {probe.question!r} is {probe.value!r};"
        print(told, "searched", probe.searched, "given", probe.given, *probe.ids)
    for text in (*reading.stale_active, *reading.doubled, *reading.junk_texts)[:most]:
        print(f"  . {text}")


if __name__ == "__main__":
    main()
