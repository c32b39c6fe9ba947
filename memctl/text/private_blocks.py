"""Remove what people mark as private: `<private>…</private>` becomes `[PRIVATE]`.

A block that is not closed reaches to the end of its turn. Blocks may be nested. A tag that is
quoted in code is only talked about: code is a closed fence, or a span in backticks. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from memctl.core.typing_lite import Any

PRIVATE = "[PRIVATE]"
_NAME = "private"
# The patterns are compiled when they are needed: next to no text holds the word.
_TAG = r"<(/?)private(?:\s[^<>]{0,200})?>"
_CODE_SPAN = r"(?<!`)(`{1,2})(?!`)[^`\n]{1,400}\1(?!`)"
# In a text that holds turns as JSON, a turn ends with its string.
_BLOCK_IN_JSON = (
    r"(?:<|\\u003c)private(?:\s[^<>\"]{0,200})?(?:>|\\u003e)"
    r"(?:(?!(?:<|\\u003c)/private)(?:[^\"\\]|\\.))*"
    r"(?:(?:<|\\u003c)/private\s*(?:>|\\u003e))?"
)


def remove_private(text: str) -> str:
    """Replace every private block of one turn by `[PRIVATE]`.

    Returns the same object if the text has no block.
    """
    if _NAME not in text.lower():
        return text
    pieces: list[str] = []
    done = 0
    for start, end in _find_blocks(text):
        pieces += [text[done:start], PRIVATE]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def remove_private_in_value(value: Any) -> Any:
    """Replace the private blocks of every string in nested lists and mappings."""
    if isinstance(value, str):
        return remove_private(value)
    if isinstance(value, dict):
        return {key: remove_private_in_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [remove_private_in_value(item) for item in value]
    return value


def remove_private_in_original(text: str) -> str:
    """Replace the private blocks of a whole transcript, before its turns are known."""
    if _NAME not in text.lower():
        return text
    if text.lstrip()[:1] in ("{", "["):
        return re.sub(_BLOCK_IN_JSON, PRIVATE, text, flags=re.I | re.S)
    return remove_private(text)


def _find_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the outermost private blocks."""
    tags = list(re.finditer(_TAG, text, re.I))
    quoted = _find_quoted_code(text) if tags else []
    depth = start = 0
    for tag in tags:
        is_opening = not tag[1]
        if is_opening and (depth or not _is_within(quoted, tag.start())):
            start = start if depth else tag.start()
            depth += 1
        elif not is_opening and depth:
            depth -= 1
            if not depth:
                yield start, tag.end()
    if depth:
        yield start, len(text)


def _find_quoted_code(text: str) -> list[tuple[int, int]]:
    """List the ranges of closed fences, and of code spans outside them, in order."""
    fences = list(_find_closed_fences(text))
    spans = [match.span() for match in re.finditer(_CODE_SPAN, text)]
    return sorted([*fences, *(span for span in spans if not _is_within(fences, span[0]))])


def _find_closed_fences(text: str) -> Iterator[tuple[int, int]]:
    from memctl.text.markdown_lines import FENCE_CLOSE, FENCE_OPEN, classify_text

    start = 0
    for line in classify_text(text):
        if line.kind == FENCE_OPEN:
            start = line.start
        elif line.kind == FENCE_CLOSE:
            yield start, line.end


def _is_within(ranges: list[tuple[int, int]], position: int) -> bool:
    """Whether a position lies in one of these ranges, which are in order and do not overlap."""
    last = bisect_right(ranges, position, key=lambda each: each[0]) - 1
    return last >= 0 and position < ranges[last][1]
