"""Make regular expressions of the operator safe to run on any text.

A repeat is bounded, no repeat is inside another, and few can divide one stretch of text among them.
So `compile_bounded` returns a pattern that may be run on a megabyte of hostile text. Pure.
"""

from __future__ import annotations

import re

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later

# How often a part may be repeated. Chosen by hand, as are the two limits below.
MOST_REPEATS = 256
# Characters of an expression.
_LONGEST_EXPRESSION = 400
# How many ways there may be to divide a stretch of text among the repeats.
_MOST_WAYS = 512
_TOKEN = compile_later(
    r"(?P<ref>\\[0-9]|\(\?P=)|(?P<escape>\\.)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<open>\((?:\?(?:P<\w+>|<?[=!]|[a-zA-Z-]*:|[a-zA-Z]+\)))?)"
    r"|(?P<close>\))|(?P<repeat>[*+?]|\{\d{0,5}(?:,\d{0,5})?\})(?P<greed>[?+]?)|(?P<bar>\|)"
    r"|(?P<plain>.)",
    re.S,
)


class UnsafePattern(ValueError):
    """The expression cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class _Atom:
    """What was read last: its text, and whether it holds a repeat or a choice."""

    text: str = ""
    varies: bool = False


def compile_bounded(text: str) -> re.Pattern[str]:
    """Compile an expression with `*`, `+` and `{n,}` bounded at 256. Raises UnsafePattern."""
    if not text or len(text) > _LONGEST_EXPRESSION:
        raise UnsafePattern(f"it must have 1 to {_LONGEST_EXPRESSION} characters")
    try:
        re.compile(text)
        found = re.compile(_PatternReader(text).bounded)
    except (re.error, RecursionError, OverflowError) as error:
        raise UnsafePattern(f"it is no regular expression: {error}") from error
    if found.match("") is not None:
        raise UnsafePattern("it matches empty text, so it would match everywhere")
    return found


class _PatternReader:
    """Reads an expression from left to right; `bounded` is its text with bounds."""

    def __init__(self, text: str) -> None:
        self._last = _Atom()
        self._groups = [False]
        self._starts: list[int] = []
        self._ways = 1
        # A repeat that could give characters to what follows: its atom and its number of lengths.
        self._open: tuple[str, int] | None = None
        self._parts: list[str] = []
        for token in _TOKEN.finditer(text):
            self._read_token(token)
        self.bounded = "".join(self._parts)

    def _read_token(self, token: re.Match[str]) -> None:
        if token["ref"]:
            raise UnsafePattern("it refers back to what it matched before, which can take for ever")
        if token["repeat"] and self._parts:
            self._read_repeat(token["repeat"], token["greed"])
            return
        self._fix_length(token)
        self._parts.append(token[0])
        if token["open"] and not token["open"].endswith(")"):
            self._groups.append(False)
            self._starts.append(len(self._parts) - 1)
        elif token["close"] and self._starts:
            varies = self._groups.pop()
            self._groups[-1] = self._groups[-1] or varies
            self._last = _Atom("".join(self._parts[self._starts.pop() :]), varies)
            return
        elif token["bar"]:
            self._groups[-1] = True
        self._last = _Atom(token[0])

    def _read_repeat(self, mark: str, greed: str) -> None:
        least, most = _parse_limits(mark)
        if most > MOST_REPEATS:
            raise UnsafePattern(f"a part may be repeated {MOST_REPEATS} times at most, not {most}")
        if most > 1 and self._last.varies:
            raise UnsafePattern(
                "a repeat or a choice stands inside a repeat, which can take for ever"
            )
        if least != most:
            self._groups[-1] = True
            self._count_ways()
            self._open = (self._last.text, most - least + 1)
        self._parts.append(f"{{{least},{most}}}{greed}" if mark != "?" else mark + greed)

    def _fix_length(self, token: re.Match[str]) -> None:
        """Give a repeat one length if the character behind it cannot belong to it."""
        if self._open is None or token["open"] or token["close"]:
            return
        if (
            token["plain"]
            and token["plain"] not in ".^$"
            and not re.fullmatch(self._open[0], token["plain"], re.S)
        ):
            self._open = None
        self._count_ways()

    def _count_ways(self) -> None:
        if self._open is not None:
            self._ways *= self._open[1]
            self._open = None
        if self._ways > _MOST_WAYS:
            raise UnsafePattern(
                "its repeats can divide a text among them in too many ways: give them bounds, such "
                "as {1,20}"
            )


def _parse_limits(mark: str) -> tuple[int, int]:
    if mark in "*+?":
        return {"*": (0, MOST_REPEATS), "+": (1, MOST_REPEATS), "?": (0, 1)}[mark]
    least, comma, most = mark[1:-1].partition(",")
    return int(least or 0), int(most or MOST_REPEATS) if comma else int(least or 0)
