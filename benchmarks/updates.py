"""Knowledge updates: does the current fact come before the one it replaced?

    python benchmarks/updates.py --data DEVMEMBENCH_FOLDER [--cache FILE] [--json OUT]

Every statement of every session is a record of its own, dated with its session (and later by a
minute for each message). `CASES` names pairs of them, found by reading: what the older says was
true and, by what the newer says, no longer is. First both are active and nothing links them: the
newer should rank first. Then the newer supersedes the older by a link: the older should be gone,
and where superseded records are asked for, it should come behind. Whatever does not rank among the
first 20 counts as behind everything; where neither does, neither is first.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import ours
from benchmarks.baselines import LIMIT
from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Rank, arguments, machine, markdown, systems, write
from benchmarks.statements import statements

TOP = 10


class Case(NamedTuple):
    """What is asked (a question's id in the set, or words of our own) and two statements as
    `SESSION/message/statement`.
    """

    question: str
    older: str
    newer: str


# A later session changes what an earlier one said.
BETWEEN_SESSIONS = (
    Case("Q30", "S01/1/2", "S05/1/0"),
    Case("Q26", "S01/1/2", "S05/0/0"),
    Case("Q27", "S03/1/1", "S05/3/4"),
    Case("Q149", "S01/3/0", "S05/3/1"),
    Case("Q142", "S20/0/1", "S25/1/9"),
    Case("Q144", "S23/0/0", "S25/1/12"),
    Case("Q98", "S07/1/5", "S25/1/13"),
    Case("What command runs the tests?", "S03/1/2", "S15/3/2"),
    Case("Is the Stripe integration finished?", "S07/1/3", "S08/0/0"),
    Case("Does the Stripe webhook work in production?", "S09/0/0", "S25/1/4"),
    Case("What is the main thing that holds up the launch?", "S07/1/6", "S25/1/14"),
    Case("Are the email notifications done or still pending?", "S07/1/4", "S25/1/5"),
    Case("At which path is the product list served?", "S11/1/0", "S19/1/0"),
    Case("Under which route are orders created?", "S13/1/5", "S19/1/0"),
    Case("Which indexes does the products table have?", "S01/3/3", "S16/3/0"),
    Case("How does the dashboard fetch its chart data?", "S21/1/3", "S22/1/0"),
    Case(
        "Do the dashboard's components still fetch the same data more than once?",
        "S22/0/0",
        "S25/1/11",
    ),
    Case("What is the state of the dashboard-app project?", "S10/0/0", "S25/1/10"),
    Case("What do we work on next?", "S07/2/0", "S25/2/1"),
)
# A later message of the same session does.
WITHIN_SESSIONS = (
    Case("How long does the product list query take?", "S16/0/1", "S16/3/4"),
    Case("Do we still get Redis timeouts under load?", "S04/0/0", "S04/2/1"),
    Case("What decides which renderer the logs use?", "S18/1/5", "S18/3/1"),
)
CASES = (*BETWEEN_SESSIONS, *WITHIN_SESSIONS)


def load(folder: Path, cases: Sequence[Case] = CASES) -> Haystack:
    """All statements in the order of time, and a question for each case. Raises KeyError for a case
    that the data do not have.
    """
    sessions, questions = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8-sig"))
        for name in ("sessions", "questions")
    )
    asked = {item["questionId"]: item["question"] for item in questions}
    documents = {document.id: document for session in sessions for document in _documents(session)}
    made = [
        Question(
            str(n),
            asked.get(case.question, case.question),
            "update",
            {documents[case.newer].id: 2.0, documents[case.older].id: 1.0},
        )
        for n, case in enumerate(cases)
    ]
    return Haystack(
        "updates", tuple(sorted(documents.values(), key=lambda one: one.day or "")), tuple(made)
    )


def _documents(session: dict[str, Any]) -> list[Document]:
    name, date = session["sessionId"], session["metadata"]["date"]
    return [
        Document(f"{name}/{m}/{n}", text, f"{date}T09:{m:02d}:00", talk=name, turn=m)
        for m, message in enumerate(session["messages"])
        for n, text in enumerate(statements(message["content"]))
    ]


def measured(haystack: Haystack, cases: Sequence[Case], rank: Rank) -> dict[str, Any]:
    """How one system ranks the two statements of each case: shares of all cases, and the ranks
    themselves (None: not among the first).
    """
    ranks = [
        _ranks(rank(question), case)
        for question, case in zip(haystack.questions, cases, strict=True)
    ]
    behind = LIMIT + 1
    first = [(new or behind) < (old or behind) for old, new in ranks]
    return {
        "n": len(ranks),
        "newer_first": _share(first),
        "older_first": _share([(old or behind) < (new or behind) for old, new in ranks]),
        "newer_first_between_sessions": _share(
            [won for won, case in zip(first, cases, strict=True) if case in BETWEEN_SESSIONS]
        ),
        f"newer_in_{TOP}": _share([(new or behind) <= TOP for _, new in ranks]),
        f"both_in_{TOP}": _share([max(old or behind, new or behind) <= TOP for old, new in ranks]),
        "ranks": [
            {"question": case.question, "older": old, "newer": new}
            for case, (old, new) in zip(cases, ranks, strict=True)
        ],
    }


def _ranks(ranking: Sequence[str], case: Case) -> tuple[int | None, int | None]:
    places = {name: rank for rank, name in enumerate(ranking, 1)}
    return places.get(case.older), places.get(case.newer)


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def unlinked(
    haystack: Haystack, cases: Sequence[Case], cache: Path | None
) -> dict[str, dict[str, Any]]:
    """Every system with all statements active and nothing linked."""
    with tempfile.TemporaryDirectory() as folder, ours.opened(Path(folder), cache) as store:
        store.add(haystack)
        store.embed()
        return {
            name: measured(haystack, cases, rank) for name, rank in systems(store, haystack).items()
        }


def linked(
    haystack: Haystack, cases: Sequence[Case], cache: Path | None
) -> dict[str, dict[str, Any]]:
    """memctl where each newer statement supersedes the older one, as it answers by default and when
    asked for what was superseded.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder, ours.opened(Path(folder), cache) as store:
        store.add(haystack)
        store.embed()
        for case in cases:
            store.supersede(haystack, case.newer, case.older)
        for name, settings in store.systems.items():
            for also, include in (("", ()), (", with superseded", ("superseded",))):
                rank: Rank = lambda question, settings=settings, include=include: store.rank(  # type: ignore[misc] # noqa: E731
                    haystack, question, settings, include=include
                )
                found[f"{name}{also}"] = measured(haystack, cases, rank)
    return found


def main() -> None:
    """Measure both ways."""
    given = arguments(__doc__).parse_args()
    haystack = load(given.data)
    sets = {
        "unlinked": unlinked(haystack, CASES, given.cache),
        "linked by supersedes": linked(haystack, CASES, given.cache),
    }
    for name, found in sets.items():
        print(
            f"\n## Knowledge updates, {name}: {len(CASES)} cases ({len(BETWEEN_SESSIONS)} "
            f"between sessions)\n"
        )
        columns = [key for key in next(iter(found.values())) if key not in ("n", "ranks")]
        print(
            markdown(
                ["system", *columns],
                [
                    [system, *(f"{values[key]:.3f}" for key in columns)]
                    for system, values in found.items()
                ],
            )
        )
    write(given.json, {"machine": machine(), "sets": sets})


if __name__ == "__main__":
    main()
