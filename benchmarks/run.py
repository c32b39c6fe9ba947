"""One run of a retrieval benchmark: every system on the same questions, as a Markdown table and as
JSON.

The baselines are measured in every run; a figure without them beside it says nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import metrics, ours
from benchmarks.baselines import BASELINES
from benchmarks.haystack import Haystack, Question
from benchmarks.metrics import Answered

SHOWN = (
    "fraction@1",
    "fraction@5",
    "fraction@10",
    "fraction@20",
    "any@5",
    "any@10",
    "all@5",
    "all@10",
    "mrr",
    "ndcg@10",
)
BY_CATEGORY = ("fraction@1", "fraction@5", "fraction@10", "all@5")
Rank = Callable[[Question], list[str]]


@dataclass(frozen=True, slots=True)
class Given:
    """A set to measure. Haystacks that stand `apart` get a store each; means are also given without
    the categories in `leave_out`.
    """

    name: str
    haystacks: Iterable[Haystack]
    leave_out: tuple[str, ...] = ()
    apart: bool = False


@dataclass
class Found:
    """What the systems made of a set."""

    answered: dict[str, list[Answered]] = field(default_factory=dict)
    rankings: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    seconds: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)
    documents: int = 0


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """What every retrieval benchmark is told."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        help="the file or folder of the set; none comes with memctl",
    )
    parser.add_argument("--cache", type=Path, help="a file that keeps vectors between runs")
    parser.add_argument("--json", type=Path, help="write every figure here")
    parser.add_argument(
        "--rankings", type=Path, help="write what each system returned for each question here"
    )
    return parser


def measure(sets: Sequence[Given], given: argparse.Namespace) -> None:
    """Run all systems on the sets, print a table each, and write what was asked for."""
    reports, rankings = [], {}
    for one in sets:
        found = answers(one, given.cache)
        reports.append(report(one, found))
        rankings[one.name] = found.rankings
        print("\n".join(lines(reports[-1])), flush=True)
    write(given.json, {"machine": machine(), "sets": reports})
    write(given.rankings, rankings)


def machine() -> dict[str, object]:
    """What the times were measured on."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "system": sys.platform,
    }


def answers(given: Given, cache: Path | None = None) -> Found:
    """Every system's ranking for every question that has gold."""
    found = Found()
    groups = ([one] for one in given.haystacks) if given.apart else [list(given.haystacks)]
    for group in groups:
        with tempfile.TemporaryDirectory() as folder, ours.opened(Path(folder), cache) as store:
            _ask_group(store, group, found)
    return found


def _ask_group(store: ours.Store, group: Sequence[Haystack], found: Found) -> None:
    for haystack in group:
        found.unscored.update(
            question.category for question in haystack.questions if not question.gold
        )
    asked = [haystack for haystack in group if haystack.scored()]
    for haystack in asked:
        store.add(haystack)
        found.documents += len(haystack.documents)
    store.embed()
    for haystack in asked:
        for name, rank in systems(store, haystack).items():
            _ask(name, rank, haystack, found)


def systems(store: ours.Store, haystack: Haystack) -> dict[str, Rank]:
    """Everything to measure on a haystack, by name: the baselines, then memctl."""
    ranks: dict[str, Rank] = {}
    for name, make in BASELINES.items():
        ranks[name] = lambda question, rank=make(haystack.documents): rank(question.text)  # type: ignore[misc]
    for name, settings in store.systems.items():
        ranks[name] = lambda question, settings=settings: store.rank(haystack, question, settings)  # type: ignore[misc]
    return ranks


def _ask(name: str, rank: Rank, haystack: Haystack, found: Found) -> None:
    kept, rankings = found.answered.setdefault(name, []), found.rankings.setdefault(name, {})
    for question in haystack.scored():
        started = time.perf_counter()
        ranking = rank(question)
        found.seconds[name] += time.perf_counter() - started
        ranking = haystack.found(ranking)
        kept.append(Answered(question.category, ranking, question.gold))
        rankings[f"{haystack.name}/{question.id}"] = ranking


def report(given: Given, found: Found) -> dict[str, Any]:
    """All figures of a set, as they go into the JSON."""
    return {
        "name": given.name,
        "documents": found.documents,
        "unscored": dict(sorted(found.unscored.items())),
        "systems": {
            name: _figures(given, kept, found.seconds[name])
            for name, kept in found.answered.items()
        },
    }


def _figures(given: Given, kept: Sequence[Answered], seconds: float) -> dict[str, Any]:
    means = metrics.by_category(kept)
    rest = metrics.by_category(one for one in kept if one.category not in given.leave_out)[
        metrics.MEAN
    ]
    means |= {f"without {', '.join(given.leave_out)}": rest} if given.leave_out else {}
    return {"ms_per_question": round(1000 * seconds / max(1, len(kept)), 2), "means": means}


def lines(report: Mapping[str, Any]) -> list[str]:
    """A set as Markdown: the means of each system, then the categories."""
    made: dict[str, Any] = report["systems"]
    if not made:
        return [f"\n## {report['name']}: no question can be scored"]
    first = next(iter(made.values()))["means"]
    unscored = sum(report["unscored"].values())
    head = (
        f"\n## {report['name']}: {report['documents']} documents, {first[metrics.MEAN]['n']} "
        f"questions scored, {unscored} not"
    )
    out = [
        head,
        "",
        markdown(["system", *SHOWN, "ms"], [_mean_row(name, item) for name, item in made.items()]),
    ]
    columns = [f"{name} (n = {values['n']})" for name, values in first.items()]
    for measure_ in BY_CATEGORY:
        rows = [
            [name, *(f"{values[measure_]:.3f}" for values in item["means"].values())]
            for name, item in made.items()
        ]
        out += ["", markdown([f"{measure_} by category", *columns], rows)]
    return out


def _mean_row(name: str, item: Mapping[str, Any]) -> list[str]:
    return [
        name,
        *(f"{item['means'][metrics.MEAN][measure_]:.3f}" for measure_ in SHOWN),
        f"{item['ms_per_question']:.1f}",
    ]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def write(path: Path | None, value: object) -> None:
    """Write JSON where a path is given."""
    if path is not None:
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
