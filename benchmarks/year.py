"""A simulated year: is what memory serves true, once, and free of junk, after facts changed and
agents kept restating what was?

    python benchmarks/year.py [--seed 1] [--family A|B|both] [--days 365] [--sessions 300] [--every 30] [--json OUT] [--keep FOLDER] [--failures 20]

Three projects, invented by a seed: facts that change one to six times, decisions and facts told
again in other words, likings, what stands beside them (a second fact of one subject, a like value
of the same theme), noise, an agent that restates junk. Sessions are captured as transcripts by the
real engine; every night with a session is maintained; the operator looks into the inbox, overlooks
some changes and approves some statements that are out of date. At the end of every month, and of
the year, every fact is asked for. Family A of the wordings was worked with (in-sample); nothing is
tuned on family B. A run without vectors is refused unless `--without-vectors` asks for it.
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

from benchmarks import told_values, year_probe
from benchmarks.run import markdown, write
from benchmarks.vectors_wanted import add_option, require_vectors
from benchmarks.year_probe import Probe, Reading
from benchmarks.year_run import SLIPPED, Life, Retired, days, moved
from benchmarks.year_world import world

_MONTH = 30
# What the year is to show, as the sign and the bound of each figure. The first five are of the
# search at the end of the year; the shares are explained in `told_values` and `year_probe`.
TARGETS: Mapping[str, tuple[str, float]] = {
    "current first": (">=", 0.70),
    "current or marked": (">=", 0.92),
    "only stale told": ("<=", 0.03),
    "wrong retirements": ("<=", 0),
    "wrong marks": ("<=", 0.05),
    "duplicates": ("<=", 1.3),
    "junk": ("<=", 0.02),
    "linear": (">=", 0.97),
}
# Printed beside them, without a bound.
MORE = (
    "current alone",
    "missing",
    "changed: n",
    "changed: current first",
    "changed: current or marked",
    "changed: only stale told",
    "changed: missing",
    "known: n",
    "known: current first",
    "known: current or marked",
    "known: only stale told",
    "known: missing",
    "context: current first",
    "context: current or marked",
    "context: only stale told",
    "context: missing",
    "marked by what says the same",
    "stale records marked",
    "slips of the operator",
)
_FAMILIES = {"A": "A (in-sample)", "B": "B (never worked with)"}


def main() -> None:
    """Live the years and tell how they went."""
    given = _arguments()
    require_vectors(given.without_vectors)
    reports = {}
    for family in _FAMILIES if given.family == "both" else [given.family]:
        reports[_FAMILIES[family]] = live(given, family)
    print("\n".join(side_by_side(reports)))
    write(given.json, reports)


def live(given: argparse.Namespace, family: str) -> dict[str, Any]:
    """Live one year, print its months and faults; all that was measured."""
    with tempfile.TemporaryDirectory() as folder, moved() as moment:
        home = given.keep / family if given.keep else Path(folder)
        life = Life(
            home,
            world(
                given.seed,
                family,
                days=given.days,
                sessions=given.sessions,
                slots=given.slots,
            ),
            moment,
        )
        started, worked = time.perf_counter(), time.process_time()
        readings = _months(life, given.every, given.quiet)
        past = year_probe.past(life, life.world.days)
        report = (
            figures(life, readings, past)
            | {"undone": year_probe.undone(life)}
            | {"seconds": time.perf_counter() - started, "of work": time.process_time() - worked}
        )
    print("\n".join(lines(report)))
    _show_failures(readings[-1], life.wrongly_retired, given.failures)
    return report


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=("A", "B", "both"), default="both")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument(
        "--slots", type=int, default=99, help="at most so many facts of each sort in each project"
    )
    parser.add_argument("--json", type=Path, help="write every figure here")
    parser.add_argument("--keep", type=Path, help="a new folder for the home, which stays")
    parser.add_argument("--failures", type=int, default=20, help="how many failed probes to show")
    parser.add_argument("--quiet", action="store_true", help="tell nothing meanwhile")
    parser.add_argument("--every", type=int, default=_MONTH, help="ask everything each N days")
    add_option(parser)
    return parser.parse_args()


def _months(life: Life, every: int, quiet: bool) -> list[Reading]:
    """The readings at the ends of months; before the last one the operator clears the inbox of all
    that he does not overlook.
    """
    readings = []
    for day in days(life):
        is_last = day == life.world.days - 1
        if is_last:
            life.look(day, at_all=True)
            life.night(day)
            life.look(day, at_all=True)
        if is_last or day % every == every - 1:
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
        **last.told("search"),
        **_prefixed("context", last.told("context")),
        **_prefixed("changed", last.told("search", "has_changed")),
        **_prefixed("known", last.told("search", "is_known")),
        "all months": {
            way: told_values.count(
                probe.told[way] for reading in readings for probe in reading.judged()
            )
            for way in ("search", "context")
        },
        "strict": {name: last.share(name) for name in ("current", "stale", "missing")},
        **last.marks,
        "wrong retirements": sum(one.kind != SLIPPED for one in life.wrongly_retired),
        "kinds of wrong retirements": Counter(one.kind for one in life.wrongly_retired),
        "retired in vain": [one._asdict() for one in life.wrongly_retired],
        "slips of the operator": len(life.overlooked) + len(life.wrongly_approved),
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


def _prefixed(prefix: str, shares: Mapping[str, float]) -> dict[str, float]:
    return {f"{prefix}: {name}": share for name, share in shares.items()}


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
        [name, _figure(report[name]), f"{sign} {bound}", _met(report[name], sign, bound)]
        for name, (sign, bound) in TARGETS.items()
    ]
    goals += [[name, _figure(report[name]), "", ""] for name in MORE]
    more = (
        "strict",
        "all months",
        "kinds of wrong retirements",
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


def side_by_side(reports: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What the families show, each in a column."""
    names = (*TARGETS, *MORE)
    bounds = {name: f"{sign} {bound}" for name, (sign, bound) in TARGETS.items()}
    rows = [
        [name, *(_figure(one[name]) for one in reports.values()), bounds.get(name, "")]
        for name in names
    ]
    return ["\n## Side by side", "", markdown(["figure", *reports, "wanted"], rows)]


# The columns of the months, and what each shows of a reading.
_COLUMNS: Mapping[str, tuple[str, str]] = {
    "day": ("day", "d"),
    "current": ("current", ".3f"),
    "or marked": ("marked", ".3f"),
    "only stale": ("stale", ".3f"),
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


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


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


def _show_failures(reading: Reading, retired: Sequence[Retired], most: int) -> None:
    for one in retired:
        print(f"- wrongly retired on day {one.day}, {one.kind}: {one.text!r} <- {one.by!r}")
        print(f"  because {one.reason}")
    for text in reading.wrong_marks:
        print(f"- marked wrongly, {text}")
    failed = [probe for probe in reading.probes if probe.verdict not in ("current", "waiting")]
    for probe in failed[:most]:
        told = f"- {probe.verdict}: {probe.key} {probe.question!r} is {probe.value!r};"
        print(told, "searched", probe.searched, "given", probe.given, *probe.ids)
    for text in (*reading.stale_active, *reading.doubled, *reading.junk_texts)[:most]:
        print(f"  . {text}")


if __name__ == "__main__":
    main()
