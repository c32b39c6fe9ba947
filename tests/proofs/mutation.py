"""Inputs made from seeds: bytes changed, values of JSON and YAML exchanged, pieces repeated.

Input `number` of a target is always the same for a seed, so that a stopped run goes on at any
number and a failure can be made again.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).with_name("corpus")
# Numbers, texts and shapes that programs stumble over.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, -5, 1, 2049, 10**6, 2**31, 2**63, 10**30, -(10**30)),
    *(0.0, -0.5, 1e308, 5e-324, float("inf"), float("-inf"), float("nan")),
    *("", " ", "\0", "x", "none", "true", "~", "\ud800", "\u202e", "\x1b[2J", "../../etc/passwd"),
    *("9" * 400, "a" * 70_000, "2026-13-45", "0000-00-00T00:00:00Z", "9999-12-31", "%s%n", "[[["),
    *([], {}, [[]], [None], {"": {}}, [1, "x", {}], {"text": [{"text": 1}]}),
)
PIECES = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\x1b[2J",
    b'"',
    b"{" * 500,
    b"[" * 3000,
    b"}",
    b"\n\n",
    b"\r",
    b"<![CDATA[",
    b"&#x0;",
    b"-->",
    b"\\u0000",
    b"\\ud800",
    b"NaN",
    b"1e999",
    b"= =?utf-8?b?",
    b"9" * 5000,
)


def list_seeds(target: str) -> list[tuple[str, bytes]]:
    """The seeds of a target, by name."""
    return [(path.name, path.read_bytes()) for path in sorted((CORPUS / target).iterdir())]


def mutate(data: bytes, dice: random.Random) -> bytes:
    """A seed after one to four changes of its bytes."""
    for _ in range(dice.randint(1, 4)):
        data = _change_bytes(data, dice)
    return data


def _change_bytes(data: bytes, dice: random.Random) -> bytes:
    place = dice.randrange(len(data) + 1)
    other = dice.randrange(len(data) + 1)
    low, high = min(place, other), max(place, other)
    way = dice.randrange(7)
    if way == 0 and data:
        changed = bytearray(data)
        changed[place % len(data)] ^= 1 << dice.randrange(8)
        return bytes(changed)
    if way == 1:
        return data[:place] + dice.choice(PIECES) + data[place:]
    if way == 2:
        return data[:low] + data[high:]
    if way == 3:
        return data[:high] + data[low:high] * dice.randint(1, 8) + data[high:]
    if way == 4:
        return data[:place]
    if way == 5:
        return data[high:] + data[:low]
    return data[:place] + dice.randbytes(dice.randint(1, 30)) + data[place:]


def mutate_json(data: bytes, dice: random.Random) -> bytes:
    """Exchange one to three values in one of the JSON lines (or the one document) of a seed."""
    lines = data.split(b"\n")
    places = [place for place, line in enumerate(lines) if line.strip()]
    place = dice.choice(places)
    try:
        value = json.loads(lines[place])
    except ValueError:
        return mutate(data, dice)
    for _ in range(dice.randint(1, 3)):
        value = exchange(value, dice)
    lines[place] = json.dumps(value, ensure_ascii=dice.random() < 0.5).encode(
        "utf-8", "surrogatepass"
    )
    return b"\n".join(lines)


def exchange(value: Any, dice: random.Random) -> Any:
    """Put an odd value somewhere, take something away, or rename a key."""
    value = deepcopy(value)
    spots = list(_list_spots(value))
    if not spots:
        return dice.choice(ODD)
    holder, key = dice.choice(spots)
    way = dice.randrange(5)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[dice.choice(("", "type", "id", "content", "x" * 300))] = holder.pop(key)
    elif way == 2:
        holder[key] = [holder[key], holder[key]]
    else:
        holder[key] = deepcopy(dice.choice(ODD))
    return value


def _list_spots(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _list_spots(value[key])


def draw_input(target: str, number: int, seed: str) -> bytes:
    """Input `number` of a target."""
    dice = random.Random(f"{seed} {target} {number}")
    _, data = dice.choice(list_seeds(target))
    return mutate_json(data, dice) if dice.random() < 0.6 else mutate(data, dice)


class Progress:
    """How far a run of a target came: kept in a file, if the environment names one."""

    def __init__(self, target: str, count: int) -> None:
        place = os.environ.get("PROVE_FUZZ_STATE")
        self._path = Path(f"{place}-{target}") if place else None
        known = self._path is not None and self._path.exists()
        self.start = int(self._path.read_text()) if known and self._path else 0
        self.numbers = range(self.start, self.start + count)

    def note(self, number: int) -> None:
        """An input was tried."""
        if self._path is not None:
            self._path.write_text(str(number + 1))
