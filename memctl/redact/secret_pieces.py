"""Pieces of secrets that were found whole: cut off by a title, a tool's shortened output or a search, no rule would know them any more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from memctl.core.typing_lite import Any
from memctl.redact.engine import Key, Redactor

_BLOCK = 8
# A piece is known by any whole block of it, so that all of fifteen characters are, and none that could be words.
_DRAWN = re.compile(r"(?=.{0,7}\d)(?=.{0,7}[A-Za-z])[\w+/=.~%!@#$^&*-]{8}")


class Remembering(Redactor):
    """Redaction that keeps in mind, for as long as it lives, what it took out, and then finds pieces of it too."""

    def __init__(
        self,
        key: Key = lambda: None,
        *,
        deep: bool = False,
        patterns: Iterable[re.Pattern[str]] = (),
    ) -> None:
        super().__init__(key, deep=deep, patterns=tuple(patterns))
        self._blocks: dict[str, tuple[str, int, str]] = {}

    def placeholder(self, kind: str, secret: bytes) -> bytes:
        """What stands for a secret, which is remembered."""
        made = super().placeholder(kind, secret)
        text = secret.decode("utf-8", "replace")
        for at in range(0, len(text) - _BLOCK + 1, _BLOCK):
            block = text[at : at + _BLOCK]
            if _DRAWN.fullmatch(block):
                self._blocks.setdefault(block, (text, at, made.decode()))
        return made

    @property
    def is_empty(self) -> bool:
        """Whether nothing was taken out that could stand somewhere in pieces."""
        return not self._blocks

    def pieces(self, text: str) -> str:
        """A redacted text without pieces of what was taken out so far; the same object where there are none."""
        for block, (secret, at, made) in self._blocks.items():
            if block in text:
                text = "".join(_without(text, block, secret, at, made))
        return text

    def value_pieces(self, value: Any) -> Any:
        """The same for every text in nested lists and mappings."""
        if isinstance(value, str):
            return self.pieces(value)
        if isinstance(value, Mapping):
            return {
                self.value_pieces(name): self.value_pieces(item) for name, item in value.items()
            }
        return (
            [self.value_pieces(item) for item in value]
            if isinstance(value, list | tuple)
            else value
        )


def _without(text: str, block: str, secret: str, at: int, made: str) -> Iterator[str]:
    """The text with each piece that holds the block replaced, as far as it goes on like the secret to both sides."""
    done = 0
    while (found := text.find(block, done)) >= 0:
        start, end = found, found + _BLOCK
        while (
            start > done
            and found - start < at
            and text[start - 1] == secret[at - (found - start) - 1]
        ):
            start -= 1
        while (
            end < len(text)
            and at + end - found < len(secret)
            and text[end] == secret[at + end - found]
        ):
            end += 1
        yield from (text[done:start], made)
        done = end
    yield text[done:]
