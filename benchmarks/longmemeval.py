"""LongMemEval: which earlier chats (or turns of them) answer a question?

    python benchmarks/longmemeval.py --data longmemeval_s.json [--unit session|turn] [--first N] [--cache FILE] [--json OUT]

Reads longmemeval_s, _m and _oracle alike, one question at a time, because _m is larger than memory:
each brings its own haystack, which gets a store of its own. Sessions hold both sides of the chat,
dated; gold are the answer sessions, by turn those marked `has_answer`. Abstention questions
(`_abs`) and questions without marked evidence are counted and not scored, as the authors do. A
session that stands twice in a haystack is one document.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Given, arguments, measure

_CHUNK = 1 << 20


def load(path: Path, unit: str) -> Iterator[Haystack]:
    """The questions of a file, each with its haystack, searched by `session` or by `turn`."""
    with path.open(encoding="utf-8-sig") as file:
        for item in items(file):
            yield haystack(item, unit)


def items(file: IO[str], chunk: int = _CHUNK) -> Iterator[dict[str, Any]]:
    """The objects of a JSON array, read a chunk at a time. Raises ValueError where the text is no
    array of objects or is cut short.
    """
    decoder, held = json.JSONDecoder(), file.read(chunk).lstrip()
    if not held.startswith("["):
        raise ValueError("a JSON array of questions is expected")
    held = held[1:]
    while True:
        held = held.lstrip(" \t\r\n,")
        if held.startswith("]"):
            return
        try:
            item, end = decoder.raw_decode(held)
        except ValueError:
            more = file.read(max(chunk, len(held)))
            if not more:
                raise
            held += more
        else:
            held = held[end:]
            yield item


def haystack(item: dict[str, Any], unit: str) -> Haystack:
    """One question with its sessions or their turns."""
    rows = zip(
        item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True
    )
    chats = {name: (when(date), turns) for name, date, turns in rows}
    if unit == "session":
        documents = [_session(name, day, turns) for name, (day, turns) in chats.items()]
        gold = [name for name in item["answer_session_ids"] if name in chats]
    else:
        documents = [
            _turn(name, n, day, turn)
            for name, (day, turns) in chats.items()
            for n, turn in enumerate(turns, 1)
        ]
        gold = [
            f"{name}#{n}"
            for name, (_, turns) in chats.items()
            for n, turn in enumerate(turns, 1)
            if turn.get("has_answer")
        ]
    return Haystack(item["question_id"], tuple(documents), (_question(item, gold),))


def when(told: str) -> str | None:
    """`2023/05/20 (Sat) 02:36` as ISO; an unreadable one is no date."""
    day, _, rest = told.partition(" ")
    clock = rest.rpartition(" ")[2] or "00:00"
    try:
        return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M").isoformat()
    except ValueError:
        return None


def _question(item: dict[str, Any], gold: list[str]) -> Question:
    abstains = item["question_id"].endswith("_abs")
    category = "abstention" if abstains else item["question_type"]
    marked = {} if abstains else dict.fromkeys(gold, 1.0)
    return Question(
        item["question_id"], item["question"], category, marked, when(item.get("question_date", ""))
    )


def _session(name: str, day: str | None, turns: list[dict[str, Any]]) -> Document:
    return Document(name, "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns), day)


def _turn(name: str, number: int, day: str | None, turn: dict[str, Any]) -> Document:
    return Document(
        f"{name}#{number}", f"{turn['role']}: {turn['content']}", day, talk=name, turn=number
    )


def main() -> None:
    """Measure one unit."""
    parser = arguments(__doc__)
    parser.add_argument("--unit", choices=("session", "turn"), default="session")
    parser.add_argument("--first", type=int, help="only this many questions")
    given = parser.parse_args()
    questions = islice(load(given.data, given.unit), given.first)
    measure([Given(f"{given.data.stem}, {given.unit}s", questions, apart=True)], given)


if __name__ == "__main__":
    main()
