"""Insertions into a text, and how JSON is added to or taken out of one without touching anything else. Pure.

An insertion keeps the file's own indentation, its line ends and its habit of trailing commas; comments stay with what they speak of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from memctl.core.frozen import dataclass
from memctl.setup.jsonc import Node, comments

# A text and where it goes in; in what was edited, where it stands.
Span = tuple[int, str]
_INDENTED = re.compile(r"\n([ \t]+)[^\s/]")


class Unfit(ValueError):
    """The file cannot be edited as it stands; the message says why."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited text, the spans inserted (as they stand in it), and the settings that were not there before, by path."""

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
        """The style of a text; two blanks where it gives no hint."""
        indented = _INDENTED.search(text)
        return cls(
            "\r\n" if "\r\n" in text else "\n",
            indented[1] if indented else "  ",
            '":' in text and '": ' not in text,
        )


def inserted(text: str, insertions: Iterable[Span], made: Iterable[tuple[str, ...]] = ()) -> Edit:
    """The text with all insertions, whose places are those in the text as it was."""
    spans: list[Span] = []
    pieces, last, grown = [], 0, 0
    for at, new in sorted(insertions, key=lambda span: span[0]):
        pieces += [text[last:at], new]
        spans.append((at + grown, new))
        last, grown = at, grown + len(new)
    return Edit("".join([*pieces, text[last:]]), tuple(spans), tuple(made))


def cut(text: str, spans: Iterable[Span]) -> str | None:
    """The text without what was inserted, or None where something else stands in its place."""
    for at, new in sorted(spans, key=lambda span: -span[0]):
        if not text.startswith(new, at):
            return None
        text = text[:at] + text[at + len(new) :]
    return text


def found_again(text: str, spans: Iterable[Span]) -> list[Span] | None:
    """The spans at the places where they stand now, or None where one cannot be told from others, or is gone."""
    moved = [(text.find(new), new) for _, new in spans]
    if any(at < 0 or text.count(new) > 1 for at, new in moved):
        return None
    ordered = sorted(moved)
    return (
        ordered
        if all(at + len(new) <= then for (at, new), (then, _) in pairwise(ordered))
        else None
    )


def whole(text: str, value: Any) -> list[Span]:
    """The insertion that gives an empty text a value."""
    style = Style.of(text)
    before = style.newline if text.strip("\ufeff") and not text.endswith("\n") else ""
    return [(len(text), before + _written(value, style, "") + style.newline)]


def appended(text: str, container: Node, new: Sequence[tuple[str | None, Any]]) -> list[Span]:
    """The insertions that add elements at the end of an object (with keys) or an array (without)."""
    style = Style.of(text)
    last = container.elements[-1] if container.elements else None
    if last is None:
        return _first(text, container, new, style)
    if "\n" not in text[container.start : container.end]:
        return _beside(last.comma, last.end, new, style)
    indent = (
        _indent(text, last.start)
        if _begins_line(text, last.start)
        else _indent(text, container.start) + style.unit
    )
    body = style.newline + _lines(new, indent, style)
    comma = last.end if last.comma is None else last.comma + 1
    behind = _behind_comments(text, comma, container.end)
    if last.comma is not None:
        return [(behind, f"{body},")]
    return [(comma, f",{body}")] if behind == comma else [(comma, ","), (behind, body)]


def _first(
    text: str, container: Node, new: Sequence[tuple[str | None, Any]], style: Style
) -> list[Span]:
    close, base = container.end - 1, _indent(text, container.start)
    at = max(
        (end for _, end in comments(text, container.start + 1, close)), default=container.start + 1
    )
    tail = "" if "\n" in text[at:close] else style.newline + base
    return [(at, style.newline + _lines(new, base + style.unit, style) + tail)]


def _beside(
    comma: int | None, end: int, new: Sequence[tuple[str | None, Any]], style: Style
) -> list[Span]:
    """More of what stands on one line."""
    separator = "," if style.is_minified else ", "
    marks = (separator, ":" if style.is_minified else ": ")
    joined = separator.join(_element(key, value, marks) for key, value in new)
    return (
        [(end, separator + joined)] if comma is None else [(comma + 1, f"{separator[1:]}{joined},")]
    )


def _element(key: str | None, value: Any, marks: tuple[str, str]) -> str:
    return (
        json.dumps(value, separators=marks)
        if key is None
        else json.dumps({key: value}, separators=marks)[1:-1]
    )


def _lines(new: Sequence[tuple[str | None, Any]], indent: str, style: Style) -> str:
    written = [
        ("" if key is None else f"{json.dumps(key)}: ") + _written(value, style, indent)
        for key, value in new
    ]
    return f",{style.newline}".join(indent + one for one in written)


def _written(value: Any, style: Style, indent: str) -> str:
    return json.dumps(value, indent=style.unit).replace("\n", style.newline + indent)


def _behind_comments(text: str, at: int, end: int) -> int:
    """Behind the comments that stand on the same line."""
    line_end = min(found for found in (text.find("\n", at), end) if found >= 0)
    return max(
        (
            behind
            for start, behind in comments(text, at, line_end)
            if "\n" not in text[start:behind]
        ),
        default=at,
    )


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t\ufeff")


def without(text: str, container: Node, index: int) -> str:
    """The text without one element, its comma and the white space before it; comments stay."""
    element, elements = container.elements[index], container.elements
    end, cuts = element.end, []
    if element.comma is not None and not text[end : element.comma].strip():
        end = element.comma + 1
    elif element.comma is not None:
        cuts.append((element.comma, element.comma + 1))
    if element.comma is None and index and (comma := elements[index - 1].comma) is not None:
        cuts.append((comma, comma + 1))
    cuts.append((_start_of_cut(text, element.start, end), end))
    if (
        len(elements) == 1
        and not any(comments(text, container.start + 1, element.start))
        and not text[end : container.end - 1].strip()
    ):
        cuts = [(container.start + 1, container.end - 1)]
    for first, last in sorted(cuts, reverse=True):
        text = text[:first] + text[last:]
    return text


def _start_of_cut(text: str, start: int, end: int) -> int:
    """From where white space goes with an element; what follows on its line must not end up behind a comment."""
    before = len(text[:start].rstrip(" \t\r\n"))
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)].strip(" \t\r")
    return start if rest and "//" in text[text.rfind("\n", 0, before) + 1 : before] else before
