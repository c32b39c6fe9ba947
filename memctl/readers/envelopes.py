"""Blocks in angle brackets that agents wrap around a person's words; each agent has its own names.

A block counts only if it begins or ends the text and is closed; the same tag in the middle of prose
was typed by the person.
"""

from __future__ import annotations

from collections.abc import Collection

from memctl.core.lazy_pattern import compile_later
from memctl.readers.values import clean_text

_OPENING = compile_later(r"\s*<([A-Za-z][\w.-]{0,60})(?:\s[^<>]{0,400})?>")
_CLOSING_AT_END = compile_later(r"</([A-Za-z][\w.-]{0,60})>\s*\Z")
# Characters of the longest closing tag, with room to spare.
_MAX_TAG = 80


def unwrap(text: str, names: Collection[str]) -> str:
    """Return the cleaned text without the blocks of these names at its start and its end."""
    text = clean_text(text)
    start, end = _skip_leading_blocks(text, names), len(text)
    while (block_start := _find_trailing_block(text, start, end, names)) >= 0:
        end = block_start
    return text[start:end].strip()


def extract_block(text: str, name: str, names: Collection[str]) -> str | None:
    """Return the content of the block `name`; an unclosed block reaches to the end of the text.

    None if anything but blocks of the other `names` stands before it.
    """
    text = clean_text(text)
    opening = _OPENING.match(text, _skip_leading_blocks(text, names))
    if opening is None or opening[1] != name:
        return None
    close = text.rfind(f"</{name}>", opening.end())
    return text[opening.end() : close if close >= 0 else len(text)].strip()


def _skip_leading_blocks(text: str, names: Collection[str]) -> int:
    """Return the position after the blocks at the start."""
    start = 0
    while (opening := _OPENING.match(text, start)) and opening[1] in names:
        closing = f"</{opening[1]}>"
        close = text.find(closing, opening.end())
        if close < 0:
            break
        start = close + len(closing)
    return start


def _find_trailing_block(text: str, start: int, end: int, names: Collection[str]) -> int:
    """Return where the last block begins, if one ends the text, or -1."""
    while end > start and text[end - 1].isspace():
        end -= 1
    closing = _CLOSING_AT_END.search(text[max(start, end - _MAX_TAG) : end])
    if closing is None or closing[1] not in names:
        return -1
    block_start = text.rfind(f"<{closing[1]}", start, end)
    opening = _OPENING.match(text, block_start) if block_start >= 0 else None
    return block_start if opening and opening[1] == closing[1] else -1
