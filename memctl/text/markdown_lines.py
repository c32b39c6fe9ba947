"""Classify the lines of Markdown: fenced code, headings, list items, tables, rules and text.

One classifier serves everything that reads Markdown, so that all of it agrees on what is code.
Fences follow CommonMark 0.31 (section 4.5): a fence closes with at least as many of the same
character and nothing else on the line, an opening fence of backticks has no backtick behind it, and
both are indented by at most three columns inside the list item or quotation that holds them. Three
rules are laxer, because people write as they like: list items and quotations count at any
indentation; code in a list item may be indented less than the item unless its fence stands on the
line of the list mark; and a pasted page stays inside a fence of no language if the fences of a
language in it are closed before it. Headings underlined with `===` or `---` are text and a rule.

The work grows with the length of the text and no faster. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later

BLANK = "blank"
FENCE_OPEN = "fence_open"
FENCED = "fenced"
FENCE_CLOSE = "fence_close"
HEADING = "heading"
LIST_ITEM = "list_item"
TABLE_ROW = "table_row"
RULE = "rule"
TEXT = "text"

# Characters; a longer line behind `#` is a paragraph. Chosen by hand.
_LONGEST_HEADING = 300
_FENCE_KINDS = frozenset((FENCE_OPEN, FENCED, FENCE_CLOSE))
# Columns; what is indented further is indented code (CommonMark, section 4.4).
_MOST_INDENT = 3
# Columns; a mark that is indented further, or followed by more blanks, belongs to aligned code.
# Chosen by hand.
_MOST_ITEM_INDENT = 24
_TAB_STOP = 4
_SHORTEST_FENCE = 3
_SHORTEST_RULE = 3
_QUOTE_MARK = compile_later(r"[ \t]*> ?")
# A fence inside a fence: the name of a language behind its mark.
_LANGUAGE = compile_later(r"[\w+.#-]{1,24}")
# Lines that are searched for the end of a fence with fences inside it. Chosen by hand.
_MOST_NESTED_LINES = 400
_MOST_INNER_FENCES = 60
_FENCE_STARTS = ("```", "~~~")
_LIST_MARK_STARTS = frozenset("-*+0123456789")
_LIST_MARK = compile_later(r"([-*+]|[0-9]{1,3}[.)])([ \t]{1,6})(?=\S)")


@dataclass(frozen=True, slots=True)
class MarkdownLine:
    """One line and what it is.

    `text` is the line without its line end, `start` and `end` are its offsets.
    `kind` is one of the constants of this module. `content` is what follows the mark: the title of
    a heading, the words of a list item, the info string of an opening fence; of other lines the
    words without indentation. `level` is 1 to 6 for a heading, else 0. `indent` counts columns
    before the mark or words, after the quotation marks of which `quote_depth` tells the number.
    """

    text: str
    start: int
    kind: str
    content: str
    indent: int = 0
    level: int = 0
    is_ordered: bool = False
    quote_depth: int = 0

    @property
    def end(self) -> int:
        """The offset behind the last character of the line."""
        return self.start + len(self.text)

    @property
    def is_code(self) -> bool:
        """Whether the line is a fence or stands between two."""
        return self.kind in _FENCE_KINDS


def classify_text(text: str) -> Iterator[MarkdownLine]:
    """Classify every line of a text, in order."""
    return classify_lines(text.split("\n"))


def classify_lines(lines: Iterable[str]) -> Iterator[MarkdownLine]:
    """Classify lines that were split at line feeds; offsets count from the first of them."""
    all_lines = list(lines)
    classifier = _Classifier(all_lines)
    start = 0
    for line in all_lines:
        yield classifier.classify(line, start)
        start += len(line) + 1


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open fence: its character, its length, and the quotation and column that it stands in.

    Words that are indented by less than `least_indent` end it, as they end its list item.
    `has_fences_inside` says that fences of a language stand inside it, each with an end of its own.
    """

    character: str
    length: int
    quote_depth: int
    column: int
    least_indent: int
    has_fences_inside: bool


class _Classifier:
    """Reads lines one after the other and remembers what the next one may stand in."""

    def __init__(self, lines: Sequence[str]) -> None:
        # Lines that may be fences, by their numbers, without indentation and quotation marks.
        self._fence_words = [
            (number, words)
            for number, line in enumerate(lines)
            if (words := line.strip(" \t>")).startswith(_FENCE_STARTS)
        ]
        # The number of the line that is classified next.
        self._number = 0
        # How many fences inside the open one are open.
        self._inner_fences = 0
        self._fence: _Fence | None = None
        # Quotation depth and content column of each list item that is open, the outermost first.
        self._items: list[tuple[int, int]] = []
        self._is_in_paragraph = False

    def classify(self, text: str, start: int) -> MarkdownLine:
        """Classify the next line; `start` is its offset."""
        self._number += 1
        if self._fence is not None:
            depth, indent, content = _split_prefix(text, self._fence.quote_depth)
            is_inside = indent >= self._fence.least_indent or not content
            if depth == self._fence.quote_depth and is_inside:
                kind = self._classify_inside_fence(self._fence, indent, content)
                return MarkdownLine(text, start, kind, content, indent, quote_depth=depth)
            # The quotation or list item around the fence has ended, and the fence with it.
            self._fence = None
        depth, indent, content = _split_prefix(text)
        if not content:
            self._is_in_paragraph = False
            return MarkdownLine(text, start, BLANK, "", indent, quote_depth=depth)
        kind, content, level, is_ordered = self._classify_words(content, indent, depth)
        self._is_in_paragraph = kind in (TEXT, LIST_ITEM)
        return MarkdownLine(text, start, kind, content, indent, level, is_ordered, depth)

    def _classify_inside_fence(self, fence: _Fence, indent: int, content: str) -> str:
        is_closing = (
            len(content) >= fence.length
            and content.count(fence.character) == len(content)
            and indent <= fence.column + _MOST_INDENT
        )
        if not is_closing:
            self._inner_fences += fence.has_fences_inside and _opens_language(content)
            return FENCED
        if self._inner_fences:
            self._inner_fences -= 1
            return FENCED
        self._fence = None
        return FENCE_CLOSE

    def _classify_words(self, words: str, indent: int, depth: int) -> tuple[str, str, int, bool]:
        """Kind, content, heading level and whether the list item is numbered."""
        if _is_rule(words):
            self._close_items(indent, depth)
            return RULE, words, 0, False
        mark = _LIST_MARK.match(words) if words[0] in _LIST_MARK_STARTS else None
        if mark is not None and indent <= _MOST_ITEM_INDENT:
            self._close_items(indent, depth)
            return self._open_item(mark, words, indent, depth)
        heading = _split_heading(words) if indent <= _MOST_INDENT else None
        if heading is not None:
            self._close_items(indent, depth)
            return HEADING, heading[1], heading[0], False
        fence = _split_fence(words)
        # A line of words may go on with a paragraph of the list item without any indentation.
        if fence is not None or not self._is_in_paragraph:
            self._close_items(indent, depth)
        if fence is not None and self._open_fence(fence, indent, depth):
            return FENCE_OPEN, fence[2], 0, False
        return (TABLE_ROW if words[0] == "|" else TEXT), words, 0, False

    def _open_item(
        self, mark: re.Match[str], words: str, indent: int, depth: int
    ) -> tuple[str, str, int, bool]:
        """Open a list item; one that begins with a fence or a rule counts as that."""
        blanks = len(mark[2].expandtabs(_TAB_STOP))
        column = indent + len(mark[1]) + (blanks if blanks <= _TAB_STOP else 1)
        self._items.append((depth, column))
        content = words[mark.end() :]
        fence = _split_fence(content)
        if fence is not None and self._open_fence(fence, column, depth, least_indent=column):
            return FENCE_OPEN, fence[2], 0, False
        if _is_rule(content):
            return RULE, content, 0, False
        return LIST_ITEM, content, 0, mark[1][0].isdigit()

    def _close_items(self, indent: int, depth: int) -> None:
        """Close the list items that a line with this indentation does not belong to."""
        while self._items and self._items[-1] > (depth, indent):
            self._items.pop()

    def _open_fence(
        self, fence: tuple[str, int, str], indent: int, depth: int, least_indent: int = 0
    ) -> bool:
        """Open a fence unless it is indented so far that it is indented code."""
        item = self._items[-1] if self._items else (0, 0)
        column = item[1] if item[0] == depth and item[1] <= indent else 0
        if indent > column + _MOST_INDENT:
            return False
        character, length, info = fence
        has_fences_inside = not info and self._find_fences_inside(character, length)
        self._fence = _Fence(character, length, depth, column, least_indent, has_fences_inside)
        self._inner_fences = 0
        return True

    def _find_fences_inside(self, character: str, length: int) -> bool:
        """Whether the fence that opens now holds fences of a language and is closed after them."""
        first = bisect_left(self._fence_words, (self._number,))
        inner = 0
        seen = False
        for number, words in self._fence_words[first : first + _MOST_INNER_FENCES]:
            if number >= self._number + _MOST_NESTED_LINES:
                break
            if not words.startswith(character):
                continue
            if words.count(character) == len(words):
                if len(words) < length:
                    continue
                if not inner:
                    return seen
                inner -= 1
            elif _opens_language(words):
                inner += 1
                seen = True
        return False


def _split_prefix(text: str, most_quotes: int | None = None) -> tuple[int, int, str]:
    """Return quotation depth, columns of indentation behind the quotation, and the words."""
    depth = position = 0
    while most_quotes is None or depth < most_quotes:
        mark = _QUOTE_MARK.match(text, position)
        if mark is None:
            break
        depth, position = depth + 1, mark.end()
    rest = text[position:] if position else text
    words = rest.lstrip(" \t")
    indent = len(rest) - len(words)
    if indent and "\t" in rest[:indent]:
        indent = len(rest[:indent].expandtabs(_TAB_STOP))
    return depth, indent, words.rstrip()


def _split_fence(words: str) -> tuple[str, int, str] | None:
    """Character, length and info string, if this is an opening fence."""
    character = words[:1]
    if character not in ("`", "~"):
        return None
    after = words.lstrip(character)
    length = len(words) - len(after)
    if length < _SHORTEST_FENCE or (character == "`" and "`" in after):
        return None
    return character, length, after.strip()


def _opens_language(words: str) -> bool:
    """Whether this is an opening fence with the name of a language and nothing else."""
    fence = _split_fence(words)
    return fence is not None and _LANGUAGE.fullmatch(fence[2]) is not None


def _split_heading(words: str) -> tuple[int, str] | None:
    """Level and title, if this is a heading; `#` signs that close the title are no part of it."""
    if not words.startswith("#"):
        return None
    title = words.lstrip("#")
    level = len(words) - len(title)
    if level > 6 or title[:1] not in (" ", "\t"):
        return None
    title = title.strip()
    unclosed = title.rstrip("#")
    if not unclosed or unclosed[-1] in " \t":
        title = unclosed.rstrip()
    return (level, title) if title and len(title) <= _LONGEST_HEADING else None


def _is_rule(words: str) -> bool:
    """Whether a line is a thematic break, or the line below an underlined heading."""
    mark = words[0]
    if mark not in "-*_=":
        return False
    count = words.count(mark)
    return count >= _SHORTEST_RULE and count + words.count(" ") + words.count("\t") == len(words)
