"""How well repetitions are found: invented projects with planted ways of working, fixes, files and
work, among the noise of every day.

    python benchmarks/patterns.py [--projects N] [--seed N]

Precision counts what was proposed and was planted; recall what was planted often enough and was
proposed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from mill import Mill  # noqa: E402

from memctl.core import timestamps  # noqa: E402
from memctl.patterns import update  # noqa: E402

NOISE = (
    "ls",
    "git status",
    "git diff",
    "cat README.md",
    "git add .",
    "git commit -m wip",
    "npm test",
    "pytest -q",
    "rg stone",
    "git push",
    "npm i",
)
ASKS = (
    "Fix the bug in the wheel",
    "Why is this slow?",
    "go on",
    "Rename the stone module",
    "Add a test",
    "Explain the mill race",
    "Clean up the yard",
)
SESSIONS = 24
_PARTS = re.compile(r"`([^`]+)`")


def planted(chance: random.Random, number: int) -> dict[str, list[tuple[str, ...]]]:
    """What repeats itself in a project, each as what happens in a session."""
    name = f"{chance.choice(('grain', 'flour', 'bread', 'malt'))}{number}"
    error = f"Error: cannot reach {name} on port {chance.randrange(3000, 9000)}"
    return {
        "tiers.steps": [
            ("ran", f"./scripts/{name}-clean.sh"),
            ("ran", f"make {name}"),
            ("ran", f"make {name}-check"),
        ],
        "tiers.fix": [
            ("failed", f"make {name}-serve", error),
            ("ran", f"docker compose up -d {name}"),
            ("ran", f"make {name}-serve"),
        ],
        "tiers.together": [
            ("changed", f"api/{name}.json"),
            ("changed", f"docs/{chance.choice(('contract', 'guide'))}.md"),
        ],
        "tiers.asked": [("ran", f"./bin/fetch-{name} --all"), ("changed", f"data/{name}.csv")],
    }


def build(
    mill: Mill, chance: random.Random, number: int
) -> tuple[str, dict[str, int], dict[str, set[str]]]:
    """A project with a season of sessions: its id, how often each thing happened, and the words of
    each.
    """
    project = mill.project(f"project{number}")
    plants, often = planted(chance, number), Counter[str]()
    for place in range(SESSIONS):
        day = timestamps.format_iso(timestamps.parse_iso("2026-02-02") + 86400 * 1.7 * place)[:10]
        things, ask = noise(chance), chance.choice(ASKS)
        for rule, what in plants.items():
            if chance.random() < 0.3:
                often[rule] += 1
                things = woven(chance, things, what, apart=rule == "tiers.steps")
                ask = (
                    f"Refresh the {what[1][1][5:-4]} prices for week {place}"
                    if rule == "tiers.asked"
                    else ask
                )
        mill.session(day, *things, ask=ask, project=project.id)
    return (
        project.id,
        often,
        {rule: {text for _, text, *_ in what} for rule, what in plants.items()},
    )


def noise(chance: random.Random) -> list[tuple[str, ...]]:
    """What happens in every session of every project."""
    things: list[tuple[str, ...]] = [("ran", command) for command in chance.choices(NOISE, k=14)]
    things += [("changed", f"src/part{chance.randrange(40)}.py") for _ in range(5)]
    things += [("ran", f"./run.sh --case {chance.randrange(40)}") for _ in range(3)]
    chance.shuffle(things)
    return things


def woven(
    chance: random.Random,
    things: list[tuple[str, ...]],
    what: Sequence[tuple[str, ...]],
    *,
    apart: bool,
) -> list[tuple[str, ...]]:
    """Things with something among them; `apart` with a little of the rest in between."""
    place = chance.randrange(len(things))
    middle = [
        piece
        for part in what
        for piece in ((part, chance.choice(things)) if apart and chance.random() < 0.3 else (part,))
    ]
    return [*things[:place], *middle, *things[place:]]


def main() -> None:
    """Build, look, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, right, wrong, due = (
        random.Random(given.seed),
        Counter[str](),
        list[str](),
        Counter[str](),
    )
    found: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        mill = Mill(Path(folder))
        built = [build(mill, chance, number) for number in range(given.projects)]
        started = time.process_time()
        update.update_patterns(mill.db, mill.config)
        spent = time.process_time() - started
        for project_id, often, known in built:
            due.update(
                rule
                for rule, many in often.items()
                if many >= (5 if rule == "tiers.together" else 3)
            )
            for memory in mill.derived_in(project_id):
                parts = [
                    part for part in _PARTS.findall(memory.content) if not part.startswith("Error")
                ]
                planted_as = next(
                    (rule for rule, texts in known.items() if parts and texts.issuperset(parts)),
                    None,
                )
                if planted_as is not None:
                    right[planted_as] += 1
                    found.add((project_id, planted_as))
                else:
                    wrong.append(f"{memory.rule}: {memory.content}")
    proposed, hit = sum(right.values()) + len(wrong), Counter(rule for _, rule in found)
    precision, recall = sum(right.values()) / max(1, proposed), len(found) / sum(due.values())
    print(
        f"precision {precision:.3f} of {proposed}; recall {recall:.3f} "
        f"of {sum(due.values())}; {spent:.1f} s"
    )
    print("by rule:", ", ".join(f"{rule} {hit[rule]}/{due[rule]}" for rule in sorted(due)))
    for text in wrong[:20]:
        print("wrong:", text)


if __name__ == "__main__":
    main()
