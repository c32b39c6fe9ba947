"""What agents wrap around a person's words before a model sees them: blocks in angle brackets, whose names each agent has its own of.

A block counts only where it begins or ends the text and is closed; the same tag in the middle of prose is the person's word.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from memctl.readers.values import clean_text

_OPENING = re.compile(r"\s*<([A-Za-z][\w.-]{0,60})(?:\s[^<>]{0,400})?>")
_LAST_NAME = re.compile(r"</([A-Za-z][\w.-]{0,60})>\s*\Z")
_LONGEST_TAG = 80


def unwrap(text: str, names: Collection[str]) -> str:
    """The text without our own contexts and without the blocks of these names at its start and its end."""
    text = clean_text(text)
    start, end = _skip_leading_blocks(text, names), len(text)
    while (begin := _find_trailing_block(text, start, end, names)) >= 0:
        end = begin
    return text[start:end].strip()


def extract_block(text: str, name: str, names: Collection[str]) -> str | None:
    """What stands in the block of this name, if only blocks of the other names stand before it; an unclosed one ends with the text."""
    text = clean_text(text)
    start = _skip_leading_blocks(text, names)
    found = _OPENING.match(text, start)
    if found is None or found[1] != name:
        return None
    close = text.rfind(f"</{name}>", found.end())
    return text[found.end() : close if close >= 0 else len(text)].strip()


def _skip_leading_blocks(text: str, names: Collection[str]) -> int:
    """Where the blocks at the start end."""
    start = 0
    while (found := _OPENING.match(text, start)) and found[1] in names:
        close = text.find(f"</{found[1]}>", found.end())
        if close < 0:
            break
        start = close + len(found[1]) + 3
    return start


def _find_trailing_block(text: str, start: int, end: int, names: Collection[str]) -> int:
    """Where the block begins that ends the text, or -1."""
    while end > start and text[end - 1].isspace():
        end -= 1
    found = _LAST_NAME.search(text[max(start, end - _LONGEST_TAG) : end])
    if found is None or found[1] not in names:
        return -1
    begin = text.rfind(f"<{found[1]}", start, end)
    opened = _OPENING.match(text, begin) if begin >= 0 else None
    return begin if opened and opened[1] == found[1] else -1
