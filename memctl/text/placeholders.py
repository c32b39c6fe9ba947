"""Handle what replaces a secret: `[REDACTED:kind:hhhhhhhh]`, or `[REDACTED:kind]` without a key.

The eight hexadecimal digits are a keyed hash of the secret. Equal secrets stay equal within one
store, and nobody without the key can try guesses. Text that is compared between stores, or for
longer than a key lives, is compared without them.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import REDACTED

PLACEHOLDER = compile_later(r"\[REDACTED:([a-z0-9_]{1,40})(?::[0-9a-f]{8})?\]")
_HASH = compile_later(r"\[REDACTED:[a-z0-9_]{1,40}:([0-9a-f]{8})\]")
_WITH_HASH = compile_later(r"(\[REDACTED:[a-z0-9_]{1,40}):[0-9a-f]{8}(?=\])")


def remove_hashes(text: str) -> str:
    """Remove the hashes from the placeholders of a text."""
    return _WITH_HASH.sub(r"\1", text) if REDACTED in text else text


def list_hashes(text: str) -> list[str]:
    """List the hashes of the placeholders in a text, whatever kind of secret they replace."""
    return [match[1] for match in _HASH.finditer(text)] if REDACTED in text else []


def count_secrets(texts: Iterable[str]) -> dict[str, int]:
    """Count the different secrets of each kind that were removed; most frequent kind first."""
    found = {
        (match[0], match[1])
        for text in texts
        if REDACTED in text
        for match in PLACEHOLDER.finditer(text)
    }
    kinds = [kind for _, kind in found]
    return dict(
        sorted(
            ((kind, kinds.count(kind)) for kind in set(kinds)), key=lambda item: (-item[1], item[0])
        )
    )
