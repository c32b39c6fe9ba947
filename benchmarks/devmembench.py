"""DevMemBench: which earlier sessions with a coding agent answer a question?

    python benchmarks/devmembench.py --data FOLDER [--cache FILE] [--json OUT]

The folder holds sessions.json and questions.json. A session is one record, its messages as `role: content`, dated with it. Questions
that no session answers (abstention) are counted and not scored: what is asked of them is silence, not a rank.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Given, arguments, measure


def load(folder: Path) -> list[Haystack]:
    """All sessions as one haystack, in the order of their dates."""
    sessions, questions = (json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("sessions", "questions"))
    documents = sorted(map(_document, sessions), key=lambda document: (document.day or "", document.id))
    return [Haystack("devmembench", tuple(documents), tuple(map(_question, questions)))]


def _document(session: dict[str, Any]) -> Document:
    text = "\n\n".join(f"{message['role']}: {message['content']}" for message in session["messages"])
    return Document(session["sessionId"], text, session.get("metadata", {}).get("date"))


def _question(item: dict[str, Any]) -> Question:
    return Question(item["questionId"], item["question"], item["questionType"], dict.fromkeys(item.get("haystackSessionIds", ()), 1.0))


def main() -> None:
    """Measure sessions."""
    given = arguments(__doc__).parse_args()
    measure([Given("DevMemBench, sessions", load(given.data))], given)


if __name__ == "__main__":
    main()
