"""The answers of a perfect reader: what `benchmarks/reader.py` puts beside an agent's stand-in.

It sees only the question. Of the turns of people that it is shown, it picks out what the labels
hold, in the labels' own words, and names the agent's words that such a turn answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
_MATERIAL = re.compile(r"^BEGIN (\S+)\n(.*)\nEND \1$", re.M | re.S)
_TURN = re.compile(r"(?:\A|\n\n)\[(person|agent)\] ")
_SIGNS = str.maketrans("‹›", "<>")
# By how many characters a piece of a turn is known again.
_HEAD = 60
# A quote so long is known by itself.
_LONG = 12
FORMS = {
    "decision": ("decision", "decision"),
    "fact": ("project", "fact"),
    "convention": ("project", "convention"),
    "correction": ("project", "constraint"),
    "constraint": ("project", "constraint"),
    "command": ("project", "command"),
    "todo": ("project", "todo"),
    "idea": ("project", "fact"),
}


def answer(question: str) -> str:
    """Answer a question that holds a part of a conversation."""
    found = _MATERIAL.search(question)
    pieces = list(_list_pieces(found.group(2) if found else ""))
    labels = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))
    items = []
    for label in labels:
        place = next((at for at, each in enumerate(pieces) if _shows(each, label)), None)
        if place is not None:
            items.append(_make_item(label, "\n".join(text for _, text in pieces[:place])))
            with open(HERE / "picked.txt", "a", encoding="utf-8") as file:
                file.write(label["key"] + "\n")
    return json.dumps({"candidates": items})


def _list_pieces(material: str) -> Iterator[tuple[str, str]]:
    """Who speaks, and what, piece by piece."""
    parts = _TURN.split(material)
    yield from zip(parts[1::2], map(_plain, parts[2::2]), strict=True)


def _shows(piece: tuple[str, str], label: dict[str, Any]) -> bool:
    speaker, text = piece
    whole = _plain(label["text"])
    quote = _plain(label["quote"])
    is_whole = text[:_HEAD] in whole or whole[:_HEAD] in text
    return speaker == "person" and quote in text and (is_whole or len(quote) >= _LONG)


def _make_item(label: dict[str, Any], before: str) -> dict[str, Any]:
    type_, kind = FORMS.get(label["type"], ("project", "preference"))
    if label["type"] == "preference" and label["about"] == "person":
        type_ = "profile"
    item = {"type": type_, "kind": kind, "content": label["statement"], "quote": label["quote"]}
    leans_on = label.get("leans_on")
    if leans_on and _plain(leans_on) in before:
        item["answers"] = leans_on
    return item


def _plain(text: str) -> str:
    return " ".join(text.translate(_SIGNS).split())
