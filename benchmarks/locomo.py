"""LoCoMo: which turns (or sessions) of a long conversation answer a question?

    python benchmarks/locomo.py --data locomo10.json [--unit turn|session] [--cache FILE] [--json OUT]

A turn is one record, `Speaker: text` with the caption of a shared picture, dated with its session;
gold are the evidence ids. Categories are named as the authors number them. An adversarial question
(5) asks about the wrong person: its evidence is the turn that it was twisted from, and finding that
turn is what is scored; `without adversarial` gives the means over the rest. Questions without
evidence, or whose evidence names no turn of the conversation, are counted and not scored.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.haystack import Document, Haystack, Question
from benchmarks.run import Given, arguments, measure

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")


def load(path: Path, unit: str) -> list[Haystack]:
    """The conversations of a file, searched by `turn` or by `session`."""
    return [haystack(sample, unit) for sample in json.loads(path.read_text(encoding="utf-8-sig"))]


def haystack(sample: dict[str, Any], unit: str) -> Haystack:
    """One conversation with its questions."""
    turns = [turn for session in sessions(sample["conversation"]) for turn in session]
    documents = turns if unit == "turn" else joined(turns)
    known = {document.id for document in documents}
    asked = enumerate(sample["qa"], 1)
    questions = (
        _question(f"{sample['sample_id']}-{number}", item, known, unit) for number, item in asked
    )
    return Haystack(sample["sample_id"], tuple(documents), tuple(questions))


def sessions(conversation: dict[str, Any]) -> Iterator[list[Document]]:
    """The sessions in order, each as its turns."""
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        told = conversation.get(f"session_{number}_date_time", "")
        day, date = when(told)
        said = enumerate(conversation[f"session_{number}"])
        yield [
            replace(_turn(turn, day, date), talk=f"S{number}", turn=place) for place, turn in said
        ]


def when(told: str) -> tuple[str | None, str]:
    """`1:56 pm on 8 May, 2023` as ISO and as the date alone; an unreadable one is no date."""
    date = told.rpartition(" on ")[2]
    try:
        return datetime.strptime(told, "%I:%M %p on %d %B, %Y").isoformat(), date
    except ValueError:
        return None, date


def joined(turns: Iterable[Document]) -> list[Document]:
    """The turns of each session as one document."""
    found: dict[str, list[Document]] = {}
    for turn in turns:
        found.setdefault(turn.talk or "", []).append(turn)
    return [
        Document(name, "\n".join(turn.text for turn in said), said[0].day, said[0].told)
        for name, said in found.items()
    ]


def _turn(turn: dict[str, Any], day: str | None, told: str) -> Document:
    picture = f" [picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return Document(
        _normal(turn["dia_id"]) or turn["dia_id"],
        f"{turn['speaker']}: {turn['text']}{picture}",
        day,
        told,
    )


def _normal(text: str) -> str | None:
    found = _TURN.search(text)
    return f"D{int(found[1])}:{int(found[2])}" if found else None


def _question(name: str, item: dict[str, Any], known: set[str], unit: str) -> Question:
    turns = [
        f"D{int(a)}:{int(b)}" for text in item.get("evidence", []) for a, b in _TURN.findall(text)
    ]
    gold = turns if unit == "turn" else [f"S{turn[1:].partition(':')[0]}" for turn in turns]
    return Question(
        name,
        item["question"],
        CATEGORIES[item["category"]],
        {place: 1.0 for place in gold if place in known},
    )


def main() -> None:
    """Measure one unit, or both."""
    parser = arguments(__doc__)
    parser.add_argument("--unit", choices=("turn", "session"), action="append")
    given = parser.parse_args()
    names = given.unit or ["turn", "session"]
    measure(
        [
            Given(f"LoCoMo, {unit}s", load(given.data, unit), leave_out=("adversarial",))
            for unit in names
        ],
        given,
    )


if __name__ == "__main__":
    main()
