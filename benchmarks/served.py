"""What agents are told: precision, recall, silence, and what must never be told.

    python benchmarks/served.py [--data DIR] [--held-out DIR] [--list-faults] [--folds]
        [--no-contexts] [--jobs N] [--json FILE]

A store of invented records is made through the engine, embedded by `maintain`, and asked through
the hook as Claude Code calls it, each prompt in a session of its own, and through `memctl context`.
Which records an answer tells is read from the ids in it. The labels were written by an author who
had not read the rules. Of a held-out set only counts are printed, never a prompt or a record.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from benchmarks import served_data  # noqa: E402
from benchmarks.served_asking import Asker  # noqa: E402
from benchmarks.served_data import START, Data, Prompt  # noqa: E402
from benchmarks.served_judging import (  # noqa: E402
    Judge,
    Tally,
    Verdict,
    count_kinds,
    tally,
)
from benchmarks.served_store import build  # noqa: E402

PARTS = {
    "prompts": "prompts, each a session of its own",
    "push": "push set: nothing or exactly one record",
    "reworded": "orders and questions in other words, by who built what is measured",
    "sessions": "sessions of several prompts",
    "starts": "starts of sessions: standing records",
    "contexts": "`memctl context --task`: standing records and the task's",
}


@dataclass
class Run:
    """All verdicts over one set, by part, and what went otherwise when the store was made."""

    data: Data
    verdicts: dict[str, list[Verdict]]
    mishaps: list[str]


def run(data: Data, home: Path, *, contexts: bool = True, jobs: int = 2) -> Run:
    """Make the store of a set and ask it everything."""
    world = build(home, data)
    asker, judge = Asker(world, jobs), Judge(world)
    starts = dict(zip(data.projects, asker.starts(data.projects), strict=True))
    verdicts = {
        "prompts": [
            judge.judge(prompt, told, start=starts[prompt.project])
            for prompt, told in zip(data.prompts, asker.prompts(data.prompts), strict=True)
        ],
        "push": list(map(judge.judge, data.push, asker.prompts(data.push))),
        "reworded": list(map(judge.judge, data.reworded, asker.prompts(data.reworded))),
        "sessions": judge.sessions(data.sessions, asker.sessions(data.sessions)),
        "starts": [
            judge.wide(Prompt(name, "ask", START, frozenset()), told)
            for name, told in starts.items()
        ],
    }
    if contexts:
        asked = [prompt for prompt in data.prompts if not prompt.is_quiet]
        verdicts["contexts"] = list(map(judge.wide, asked, asker.contexts(asked)))
    return Run(data, verdicts, world.mishaps)


def print_summary(runs: dict[str, Run]) -> None:
    """One row a figure, one column a set."""
    print(f"| | {' | '.join(runs)} |")
    print(f"|---|{'---|' * len(runs)}")
    for part, name in PARTS.items():
        counts = [tally(each.verdicts.get(part, [])) for each in runs.values()]
        if any(count.prompts for count in counts):
            _print_part(part, name, counts)
    reasons = [_reasons(each) for each in runs.values()]
    for reason in sorted(set().union(*reasons)):
        _row(f"told though {reason}", [str(found[reason]) for found in reasons])


def _print_part(part: str, name: str, counts: Sequence[Tally]) -> None:
    def row(label: str, value: Callable[[Tally], str]) -> None:
        _row(f"{label}", [value(count) for count in counts])

    row(f"**{name}**", lambda count: f"n = {count.prompts}")
    if part in ("prompts", "push", "reworded", "sessions"):
        row("precision", lambda count: _figure(count.precision, count.right, count.told))
    row("recall", lambda count: _figure(count.recall, count.found, count.must))
    if part == "prompts":
        row(
            "recall, by the answer or the start of the session",
            lambda count: _figure(count.recall_with_start, count.heard, count.must),
        )
        row(
            "rules known, by the answer or the start of the session",
            lambda count: _figure(count.knowledge, count.known, count.rules),
        )
        row("silence", lambda count: _figure(count.silence, count.silent, count.quiet))
    if part in ("push", "reworded"):
        row(
            "false fire",
            lambda count: _figure(
                None if count.silence is None else 1 - count.silence,
                count.quiet - count.silent,
                count.quiet,
            ),
        )
    if part == "sessions":
        row("told again", lambda count: str(count.again))
    row("forbidden told", lambda count: str(count.forbidden))


def _reasons(each: Run) -> Counter[str]:
    return Counter(
        reason
        for verdicts in each.verdicts.values()
        for verdict in verdicts
        for _, reason in verdict.forbidden
    )


def print_forms(name: str, each: Run) -> None:
    """What each form of prompt came to, and each kind of record."""
    print(f"\n{name}, by the form of the prompt (prompts and push set)\n")
    print("| form | n | precision | recall | silence | forbidden |")
    print("|---|---|---|---|---|---|")
    asked = [*each.verdicts["prompts"], *each.verdicts["push"]]
    _print_groups(asked, lambda verdict: verdict.prompt.form)
    kinds = count_kinds(each.data, asked)
    print(f"\n{name}, by the kind of the record\n")
    print("| kind | told of those that must | right | beside the point | forbidden |")
    print("|---|---|---|---|---|")
    for kind in sorted({*kinds.must, *kinds.right, *kinds.beside, *kinds.forbidden}):
        cells = (
            f"{kinds.found[kind]} of {kinds.must[kind]}",
            str(kinds.right[kind]),
            str(kinds.beside[kind]),
            str(kinds.forbidden[kind]),
        )
        _row(kind, cells)


def print_folds(name: str, each: Run) -> None:
    """What each fold (some of the projects) and each project came to."""
    print(f"\n{name}, by fold and project\n")
    print("| fold | n | precision | recall | silence | forbidden |")
    print("|---|---|---|---|---|---|")
    asked = [*each.verdicts["prompts"], *each.verdicts["push"]]
    folds = {project.name: project.fold for project in each.data.projects.values()}
    _print_groups(asked, lambda verdict: folds[verdict.prompt.project])
    _print_groups(
        asked, lambda verdict: f"{folds[verdict.prompt.project]}: {verdict.prompt.project}"
    )


def _print_groups(verdicts: Sequence[Verdict], group: Callable[[Verdict], str]) -> None:
    groups: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        groups[group(verdict)].append(verdict)
    for name, mine in sorted(groups.items()):
        count = tally(mine)
        cells = (
            str(count.prompts),
            _figure(count.precision, count.right, count.told),
            _figure(count.recall, count.found, count.must),
            _figure(count.silence, count.silent, count.quiet),
            str(count.forbidden),
        )
        _row(name, cells)


def print_faults(each: Run) -> None:
    """Each prompt that was answered wrongly, with what was wrong."""
    for part, verdicts in each.verdicts.items():
        for verdict in verdicts:
            if verdict.is_fault:
                _print_fault(each.data, part, verdict)


def _print_fault(data: Data, part: str, verdict: Verdict) -> None:
    prompt = verdict.prompt
    print(f"\n[{part}] {prompt.project} ({prompt.form}): {prompt.text!r}")
    lines = [
        *(("missing", key) for key in verdict.missing),
        *(("rule told neither here nor at the start", key) for key in verdict.unknown),
        *(("beside the point", key) for key in verdict.beside),
        *((f"FORBIDDEN ({reason})", key) for key, reason in verdict.forbidden),
        *(("told again", key) for key in verdict.again),
    ]
    for what, key in lines:
        text = data.records[key].text if key in data.records else ""
        print(f"    {what}: {key}  {text}")


def _row(name: str, cells: Sequence[str]) -> None:
    print(f"| {name} | {' | '.join(cells)} |")


def _figure(share: float | None, part: int, whole: int) -> str:
    return "" if share is None else f"{share:.3f} ({part} of {whole})"


def _figures(each: Run) -> dict[str, object]:
    return {
        part: {
            **asdict(count := tally(verdicts)),
            "precision": count.precision,
            "recall": count.recall,
            "recall_with_start": count.recall_with_start,
            "rules_known": count.knowledge,
            "silence": count.silence,
        }
        for part, verdicts in each.verdicts.items()
    } | {"forbidden": dict(_reasons(each)), "made_otherwise": len(each.mishaps)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one set, or two side by side."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--data", type=Path, default=ROOT / "benchmarks" / "served")
    parser.add_argument("--held-out", type=Path, help="a set that nobody tunes on; counts only")
    parser.add_argument("--list-faults", action="store_true", help="each fault of --data")
    parser.add_argument("--folds", action="store_true", help="also by fold and project")
    parser.add_argument("--no-contexts", action="store_true", help="leave out `memctl context`")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    sets = {"in-sample": options.data}
    if options.held_out:
        sets["held-out"] = options.held_out
    runs: dict[str, Run] = {}
    for name, folder in sets.items():
        data = served_data.load(folder)
        with tempfile.TemporaryDirectory() as home:
            runs[name] = run(
                data, Path(home) / "home", contexts=not options.no_contexts, jobs=options.jobs
            )
    print_summary(runs)
    for name, each in runs.items():
        print_forms(name, each)
        if options.folds and name == "in-sample":
            print_folds(name, each)
    seen = runs["in-sample"]
    if seen.mishaps:
        print("\nMade otherwise than wanted: " + "; ".join(seen.mishaps))
    if options.list_faults:
        print_faults(seen)
    if options.json:
        figures = {name: _figures(each) for name, each in runs.items()}
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
