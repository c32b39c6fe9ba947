"""Pieces of secrets that were found whole elsewhere.

A title, a tool's shortened output or a search cuts secrets off, and no rule recognises the piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any
from memctl.redact.secret_replacer import KeyReader, SecretReplacer

# Characters. A piece is known by any whole block of the secret that it holds, so every piece of 15
# characters or more is found.
_BLOCK_LENGTH = 8
# A block with a digit and a letter; others could be ordinary words.
_DRAWN_BLOCK = compile_later(r"(?=.{0,7}\d)(?=.{0,7}[A-Za-z])[\w+/=.~%!@#$^&*-]{8}")


class RememberingReplacer(SecretReplacer):
    """A replacer that remembers what it replaced, and then also finds pieces of it."""

    def __init__(
        self, read_key: KeyReader, patterns: Sequence[re.Pattern[str]], *, is_deep: bool
    ) -> None:
        super().__init__(read_key, patterns, is_deep=is_deep)
        # Block -> (whole secret, offset of the block in it, placeholder).
        self._blocks: dict[str, tuple[str, int, str]] = {}

    def build_placeholder(self, kind: str, secret: bytes) -> bytes:
        """Return what replaces a secret, and remember the secret."""
        placeholder = super().build_placeholder(kind, secret)
        text = secret.decode("utf-8", "replace")
        for at in range(0, len(text) - _BLOCK_LENGTH + 1, _BLOCK_LENGTH):
            block = text[at : at + _BLOCK_LENGTH]
            if _DRAWN_BLOCK.fullmatch(block):
                self._blocks.setdefault(block, (text, at, placeholder.decode()))
        return placeholder

    @property
    def is_empty(self) -> bool:
        """Whether nothing was replaced whose pieces could be recognised."""
        return not self._blocks

    def redact_pieces(self, text: str) -> str:
        """Return a redacted text without pieces of secrets; the same object if it holds none."""
        for block, (secret, at, placeholder) in self._blocks.items():
            if block in text:
                text = "".join(_replace_pieces(text, block, secret, at, placeholder))
        return text

    def redact_value_pieces(self, value: Any) -> Any:
        """Do the same to every string in nested lists and mappings."""
        if isinstance(value, str):
            return self.redact_pieces(value)
        if isinstance(value, Mapping):
            return {
                self.redact_value_pieces(name): self.redact_value_pieces(item)
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.redact_value_pieces(item) for item in value]
        return value


def _replace_pieces(text: str, block: str, secret: str, at: int, placeholder: str) -> Iterator[str]:
    """Yield the text with each piece around the block replaced, as far as it equals the secret."""
    done = 0
    while (block_start := text.find(block, done)) >= 0:
        start, end = block_start, block_start + _BLOCK_LENGTH
        offset = at - block_start  # from a position in the text to one in the secret
        while start > done and start + offset > 0 and text[start - 1] == secret[start + offset - 1]:
            start -= 1
        while end < len(text) and end + offset < len(secret) and text[end] == secret[end + offset]:
            end += 1
        yield from (text[done:start], placeholder)
        done = end
    yield text[done:]
