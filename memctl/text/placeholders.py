"""What stands in place of a secret: `[REDACTED:kind:hhhhhhhh]`, or `[REDACTED:kind]` where there was no key.

The eight hex digits are a keyed hash of the secret: equal secrets stay equal within one store, and nobody without the key can try guesses.
What is compared between stores, or for longer than a key lives, is compared without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memctl.core.model import REDACTED

PLACEHOLDER = re.compile(r"\[REDACTED:([a-z0-9_]{1,40})(?::[0-9a-f]{8})?\]")
_HASH = re.compile(r"\[REDACTED:[a-z0-9_]{1,40}:([0-9a-f]{8})\]")
_WITH_HASH = re.compile(r"(\[REDACTED:[a-z0-9_]{1,40}):[0-9a-f]{8}(?=\])")


def remove_hashes(text: str) -> str:
    """The text with the hashes taken out of its placeholders."""
    return _WITH_HASH.sub(r"\1", text) if REDACTED in text else text


def list_hashes(text: str) -> list[str]:
    """The hashes of the placeholders in a text, whatever kind of secret they stand for."""
    return [match[1] for match in _HASH.finditer(text)] if REDACTED in text else []


def count_secrets(texts: Iterable[str]) -> dict[str, int]:
    """How many different secrets of each kind were taken out of texts, by their placeholders; the most frequent kind first."""
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
