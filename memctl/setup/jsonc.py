"""JSON with comments and trailing commas, read with the place of every value, so that the text
itself can be edited. Pure.

Read only: a tree of values with spans. What is no JSON raises Unreadable with the line where
reading stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any

_BLANK = compile_later(r"[ \t\r\n\ufeff]+|//[^\r\n]*|/\*[\s\S]*?\*/")
_DECODER = json.JSONDecoder()
_DEEPEST = 100
_CLOSING = {"{": "}", "[": "]"}


class Unreadable(ValueError):
    """The text is not JSON, even with comments allowed."""


@dataclass(frozen=True, slots=True)
class Element:
    """A member of an object or an item of an array; `comma` is the offset of the comma after it."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = None

    @property
    def end(self) -> int:
        """The offset at which its value ends."""
        return self.node.end


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its offsets, its meaning, and the elements of an object or array."""

    start: int
    end: int
    value: Any
    elements: tuple[Element, ...] = ()

    def element(self, key: str) -> Element | None:
        """The member with that key; the last of several, as JSON readers take it."""
        return next((element for element in reversed(self.elements) if element.key == key), None)


def parse_jsonc(text: str) -> Node | None:
    """Parse a whole text; None where it holds no value. Raises Unreadable."""
    start = skip_blanks(text, 0)
    if start == len(text):
        return None
    node = _read_value(text, start, 0)
    if skip_blanks(text, node.end) != len(text):
        raise _refuse(text, skip_blanks(text, node.end))
    return node


def skip_blanks(text: str, at: int) -> int:
    """The next offset that is neither white space nor comment."""
    while found := _BLANK.match(text, at):
        at = found.end()
    return at


def find_comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the comments in a stretch of white space and comments."""
    while start < end and (found := _BLANK.match(text, start)):
        if found[0].startswith("/"):
            yield found.span()
        start = found.end()


def _read_value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise Unreadable("it is nested too deeply")
    if text[at : at + 1] in _CLOSING:
        return _read_container(text, at, depth)
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        raise _refuse(text, getattr(error, "pos", at)) from error
    return Node(at, end, value)


def _read_container(text: str, start: int, depth: int) -> Node:
    opening, elements = text[start], []
    at = skip_blanks(text, start + 1)
    while text[at : at + 1] != _CLOSING[opening]:
        element = _read_element(text, at, depth, keyed=opening == "{")
        at = skip_blanks(text, element.end)
        if text[at : at + 1] == ",":
            element = Element(element.start, element.node, element.key, at)
            at = skip_blanks(text, at + 1)
        elif text[at : at + 1] != _CLOSING[opening]:
            raise _refuse(text, at)
        elements.append(element)
    members = tuple(elements)
    value = (
        {one.key: one.node.value for one in members}
        if opening == "{"
        else [one.node.value for one in members]
    )
    return Node(start, at + 1, value, members)


def _read_element(text: str, at: int, depth: int, *, keyed: bool) -> Element:
    if not keyed:
        return Element(at, _read_value(text, at, depth + 1))
    key = _read_value(text, at, depth + 1) if text[at : at + 1] == '"' else None
    colon = skip_blanks(text, key.end) if key else at
    if key is None or text[colon : colon + 1] != ":":
        raise _refuse(text, colon)
    return Element(at, _read_value(text, skip_blanks(text, colon + 1), depth + 1), key.value)


def _refuse(text: str, at: int) -> Unreadable:
    return Unreadable(f"line {text.count(chr(10), 0, at) + 1} is not JSON")
