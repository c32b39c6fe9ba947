"""DevMemBench: which earlier sessions with a coding agent answer a question?

    python benchmarks/devmembench.py --data FOLDER [--unit session|exchange] [--cache FILE] [--json OUT]

The folder holds sessions.json and questions.json; what is found is always a session. By `session`
it is one record, its messages as `role: content`, dated with it; by `exchange` every question with
its answer is one, and a session stands where its best record stands. Questions that no session
answers (abstention) are counted and not scored: what is asked of them is silence, not a rank.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Given, arguments, measure


def load(folder: Path, unit: str = "session") -> list[Haystack]:
    """All sessions as one haystack, in the order of their dates, by `session` or by `exchange`."""
    sessions, questions = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8-sig"))
        for name in ("sessions", "questions")
    )
    in_order = sorted(sessions, key=lambda session: (_date(session) or "", session["sessionId"]))
    documents = (document for session in in_order for document in _documents(session, unit))
    return [Haystack("devmembench", tuple(documents), tuple(map(_question, questions)))]


def _documents(session: dict[str, Any], unit: str) -> Iterator[Document]:
    name, said = (
        session["sessionId"],
        [f"{message['role']}: {message['content']}" for message in session["messages"]],
    )
    if unit == "session":
        yield Document(name, "\n\n".join(said), _date(session))
        return
    for turn, at in enumerate(range(0, len(said), 2)):
        yield Document(
            f"{name}#{turn}",
            "\n\n".join(said[at : at + 2]),
            _date(session),
            talk=name,
            turn=turn,
            part_of=name,
        )


def _date(session: dict[str, Any]) -> str | None:
    return session.get("metadata", {}).get("date")


def _question(item: dict[str, Any]) -> Question:
    return Question(
        item["questionId"],
        item["question"],
        item["questionType"],
        dict.fromkeys(item.get("haystackSessionIds", ()), 1.0),
    )


def main() -> None:
    """Measure one unit, or both."""
    parser = arguments(__doc__)
    parser.add_argument("--unit", choices=("session", "exchange"), action="append")
    given = parser.parse_args()
    units = given.unit or ["session", "exchange"]
    measure(
        [Given(f"DevMemBench, sessions by {unit}", load(given.data, unit)) for unit in units], given
    )


if __name__ == "__main__":
    main()
