"""Splitting what was said into single statements, each as short as a fact. Pure.

A statement is a sentence, a list item or a block of code; the last two carry the line that
introduces them (`Run the tests:`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = "```"
_ITEM = re.compile(r"(?:[-*]|\d{1,2}\.) ")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
_EMPHASIS = re.compile(r"\*\*")


def statements(text: str) -> list[str]:
    """The statements of a message in order; the same text gives the same statements."""
    return list(_split(_EMPHASIS.sub("", text).split("\n")))


def _split(lines: list[str]) -> Iterator[str]:
    head, code = "", None
    for line in map(str.strip, lines):
        if line.startswith(_FENCE):
            if code is not None:
                yield _with(head, "\n".join(code))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        elif _ITEM.match(line):
            yield _with(head, _ITEM.sub("", line, count=1).strip())
        elif line.endswith(":"):
            *before, head = _SENTENCE_END.split(line)
            yield from filter(None, map(str.strip, before))
        elif line:
            head = ""
            yield from _SENTENCE_END.split(line)


def _with(head: str, text: str) -> str:
    return f"{head} {text}" if head else text
