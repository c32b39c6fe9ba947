"""Insert text, and add to or remove from JSON without touching anything else. Pure.

An insertion keeps the file's indentation, line ends and habit of trailing commas; comments stay
with what they describe.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any
from memctl.setup.jsonc import Node, find_comments

# A text and where it goes in; in what was edited, where it stands.
Span = tuple[int, str]
_INDENTED = compile_later(r"\n([ \t]+)[^\s/]")


class Unfit(ValueError):
    """The file cannot be edited as it stands; the message says why."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited text, the insertions by their offsets in it, and the paths of new settings."""

    text: str
    spans: tuple[Span, ...] = ()
    made: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is written."""

    newline: str
    unit: str
    is_minified: bool

    @classmethod
    def of(cls, text: str) -> Style:
        """The style of a text; two spaces where it gives no hint."""
        indented = _INDENTED.search(text)
        return cls(
            "\r\n" if "\r\n" in text else "\n",
            indented[1] if indented else "  ",
            '":' in text and '": ' not in text,
        )


def insert(text: str, insertions: Iterable[Span], made: Iterable[tuple[str, ...]] = ()) -> Edit:
    """Return the text with all insertions, whose offsets are those in the original text."""
    spans: list[Span] = []
    pieces, last, grown = [], 0, 0
    for at, new in sorted(insertions, key=lambda span: span[0]):
        pieces += [text[last:at], new]
        spans.append((at + grown, new))
        last, grown = at, grown + len(new)
    return Edit("".join([*pieces, text[last:]]), tuple(spans), tuple(made))


def cut_spans(text: str, spans: Iterable[Span]) -> str | None:
    """Return the text without the insertions; None where something else stands in their place."""
    for at, new in sorted(spans, key=lambda span: -span[0]):
        if not text.startswith(new, at):
            return None
        text = text[:at] + text[at + len(new) :]
    return text


def relocate_spans(text: str, spans: Iterable[Span]) -> list[Span] | None:
    """The insertions where they stand now; None where one is gone or stands there twice."""
    moved = [(text.find(new), new) for _, new in spans]
    if any(at < 0 or text.count(new) > 1 for at, new in moved):
        return None
    ordered = sorted(moved)
    return (
        ordered
        if all(at + len(new) <= then for (at, new), (then, _) in pairwise(ordered))
        else None
    )


def fill_empty(text: str, value: Any) -> list[Span]:
    """The insertion that gives an empty text a value."""
    style = Style.of(text)
    before = style.newline if text.strip("\ufeff") and not text.endswith("\n") else ""
    return [(len(text), before + _format_value(value, style, "") + style.newline)]


def append_elements(
    text: str, container: Node, new: Sequence[tuple[str | None, Any]]
) -> list[Span]:
    """The insertions that append to an object (with keys) or an array (without)."""
    style = Style.of(text)
    last = container.elements[-1] if container.elements else None
    if last is None:
        return _add_first(text, container, new, style)
    if "\n" not in text[container.start : container.end]:
        return _add_on_line(last.comma, last.end, new, style)
    indent = (
        _indent_of(text, last.start)
        if _begins_line(text, last.start)
        else _indent_of(text, container.start) + style.unit
    )
    body = style.newline + _format_lines(new, indent, style)
    comma = last.end if last.comma is None else last.comma + 1
    behind = _skip_comments(text, comma, container.end)
    if last.comma is not None:
        return [(behind, f"{body},")]
    return [(comma, f",{body}")] if behind == comma else [(comma, ","), (behind, body)]


def _add_first(
    text: str, container: Node, new: Sequence[tuple[str | None, Any]], style: Style
) -> list[Span]:
    close, base = container.end - 1, _indent_of(text, container.start)
    at = max(
        (end for _, end in find_comments(text, container.start + 1, close)),
        default=container.start + 1,
    )
    tail = "" if "\n" in text[at:close] else style.newline + base
    return [(at, style.newline + _format_lines(new, base + style.unit, style) + tail)]


def _add_on_line(
    comma: int | None, end: int, new: Sequence[tuple[str | None, Any]], style: Style
) -> list[Span]:
    """Append to what stands on one line."""
    separator = "," if style.is_minified else ", "
    marks = (separator, ":" if style.is_minified else ": ")
    joined = separator.join(_format_element(key, value, marks) for key, value in new)
    return (
        [(end, separator + joined)] if comma is None else [(comma + 1, f"{separator[1:]}{joined},")]
    )


def _format_element(key: str | None, value: Any, marks: tuple[str, str]) -> str:
    return (
        json.dumps(value, separators=marks)
        if key is None
        else json.dumps({key: value}, separators=marks)[1:-1]
    )


def _format_lines(new: Sequence[tuple[str | None, Any]], indent: str, style: Style) -> str:
    written = [
        ("" if key is None else f"{json.dumps(key)}: ") + _format_value(value, style, indent)
        for key, value in new
    ]
    return f",{style.newline}".join(indent + one for one in written)


def _format_value(value: Any, style: Style, indent: str) -> str:
    return json.dumps(value, indent=style.unit).replace("\n", style.newline + indent)


def _skip_comments(text: str, at: int, end: int) -> int:
    """The offset behind the comments on the same line."""
    line_end = min(found for found in (text.find("\n", at), end) if found >= 0)
    return max(
        (
            behind
            for start, behind in find_comments(text, at, line_end)
            if "\n" not in text[start:behind]
        ),
        default=at,
    )


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t\ufeff")


def remove_element(text: str, container: Node, index: int) -> str:
    """The text without one element, its comma and the white space before it; comments stay."""
    element, elements = container.elements[index], container.elements
    end, cuts = element.end, []
    if element.comma is not None and not text[end : element.comma].strip():
        end = element.comma + 1
    elif element.comma is not None:
        cuts.append((element.comma, element.comma + 1))
    if element.comma is None and index and (comma := elements[index - 1].comma) is not None:
        cuts.append((comma, comma + 1))
    cuts.append((_find_cut_start(text, element.start, end), end))
    if (
        len(elements) == 1
        and not any(find_comments(text, container.start + 1, element.start))
        and not text[end : container.end - 1].strip()
    ):
        cuts = [(container.start + 1, container.end - 1)]
    for first, last in sorted(cuts, reverse=True):
        text = text[:first] + text[last:]
    return text


def _find_cut_start(text: str, start: int, end: int) -> int:
    """Where the white space of an element begins; what follows must not end up in a comment."""
    before = len(text[:start].rstrip(" \t\r\n"))
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)].strip(" \t\r")
    return start if rest and "//" in text[text.rfind("\n", 0, before) + 1 : before] else before
