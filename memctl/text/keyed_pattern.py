"""Expressions that are tried only on a text that holds one of their keys. Pure.

Looking for a dozen words costs less than trying a wide expression, and far less than compiling it,
which a command that looks at a few short statements would wait for.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memctl.core.lazy_pattern import compile_later


def may_hold(text: str, keys: tuple[str, ...]) -> bool:
    """Whether an expression that needs one of the keys, in any case, may match the text.

    The keys are in small letters. Some letters beyond ASCII count as letters of it where case does
    not matter.
    """
    lower = text.lower()
    # A list, because a generator takes longer over so few.
    return bool([key for key in keys if key in lower]) or not text.isascii()


class KeyedPattern:
    """An expression that matches no text without one of its keys.

    `keys` are given as one line, apart by `|`.
    """

    def __init__(self, keys: str, source: str, flags: int = re.IGNORECASE) -> None:
        self.keys = tuple(keys.split("|"))
        self.pattern = compile_later(source, flags)

    def search(self, text: str) -> re.Match[str] | None:
        """Find the first place where it matches."""
        return self.pattern.search(text) if may_hold(text, self.keys) else None

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the beginning of the text."""
        return self.pattern.match(text) if may_hold(text, self.keys) else None

    def sub(self, put: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Return the text with something else put where it matches."""
        return self.pattern.sub(put, text, count=count) if may_hold(text, self.keys) else text
