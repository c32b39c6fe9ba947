"""What people mark as private: `<private>…</private>` in what they, or agents, say is left out before anything is written. Pure.

A block that is not closed reaches to the end of its turn. A tag that is quoted in code is only talked about. Blocks may stand in blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.typing_lite import Any

PRIVATE = "[PRIVATE]"
_NAME = "private"
# Compiled when they are needed: next to no text holds the word.
_TAG = r"<(/?)private(?:\s[^<>]{0,200})?>"
_FENCE = r"^[ \t>]{0,12}(`{3,20}|~{3,20})([^\n]*)$"
_SPAN = r"(?<!`)(`{1,2})(?!`)[^`\n]{1,400}\1(?!`)"
# In a text that holds turns as JSON, a turn ends with its string.
_IN_JSON = (
    r"(?:<|\\u003c)private(?:\s[^<>\"]{0,200})?(?:>|\\u003e)(?:(?!(?:<|\\u003c)/private)(?:[^\"\\]|\\.))*"
    r"(?:(?:<|\\u003c)/private\s*(?:>|\\u003e))?"
)


def without_private(text: str) -> str:
    """One turn's text with every private block replaced by `[PRIVATE]`; the same object where there is none."""
    if _NAME not in text.lower():
        return text
    kept: list[str] = []
    done = 0
    for start, end in _blocks(text):
        kept += [text[done:start], PRIVATE]
        done = end
    return "".join([*kept, text[done:]]) if kept else text


def value_without_private(value: Any) -> Any:
    """The same for every string in nested lists and mappings."""
    if isinstance(value, str):
        return without_private(value)
    if isinstance(value, dict):
        return {key: value_without_private(item) for key, item in value.items()}
    return (
        [value_without_private(item) for item in value]
        if isinstance(value, list | tuple)
        else value
    )


def original_without_private(text: str) -> str:
    """The same for a whole transcript as an agent wrote it, in which nobody knows yet where turns end."""
    if _NAME not in text.lower():
        return text
    return (
        re.sub(_IN_JSON, PRIVATE, text, flags=re.I | re.S)
        if text.lstrip()[:1] in ("{", "[")
        else without_private(text)
    )


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where the outermost private blocks begin and end."""
    quoted = _quoted(text)
    depth = begun = 0
    for tag in re.finditer(_TAG, text, re.I):
        if not tag[1] and (depth or not _is_within(quoted, tag.start())):
            begun, depth = begun if depth else tag.start(), depth + 1
        elif tag[1] and depth:
            depth -= 1
            if not depth:
                yield begun, tag.end()
    if depth:
        yield begun, len(text)


def _quoted(text: str) -> list[tuple[int, int]]:
    """Where code is quoted, in order: fences that are closed, and spans within a line beside them."""
    fences = list(_fences(text))
    return sorted(
        [
            *fences,
            *(
                match.span()
                for match in re.finditer(_SPAN, text)
                if not _is_within(fences, match.start())
            ),
        ]
    )


def _fences(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for fence in re.finditer(_FENCE, text, re.M):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            yield opened.start(), fence.end()
            opened = None


def _is_within(spans: list[tuple[int, int]], place: int) -> bool:
    from bisect import bisect_right

    at = bisect_right(spans, (place, len(spans) and spans[-1][1])) - 1
    return at >= 0 and place < spans[at][1]
