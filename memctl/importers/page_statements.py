"""Split a page of Markdown into the statements that it makes.

A statement is a list item with what belongs to it, a short paragraph, a numbered list of steps, or
a command with its comment. Headings, tables, code, links alone, imports, folder trees, comments and
what memctl wrote itself are no statements. Every pattern is linear; a page is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.readers.text_document import TextDocument
from memctl.text.markdown_lines import (
    BLANK,
    FENCE_CLOSE,
    FENCE_OPEN,
    FENCED,
    HEADING,
    LIST_ITEM,
    RULE,
    TABLE_ROW,
    MarkdownLine,
    classify_lines,
)
from memctl.text.private_blocks import PRIVATE

# The marks that `memctl setup` puts around what it adds to somebody's file.
OWN_BLOCK_BEGIN = "memctl setup: begin"
OWN_BLOCK_END = "memctl setup: end"
# What stands in the first lines of a file that `memctl setup` wrote as a whole.
OWN_FILE_MARK = "Written by memctl setup"
_OWN_FILE_MARK_LINES = 5
# Characters. A longer list item is split into its sub-items; longer steps are single items.
LONGEST_STATEMENT = 600
_LONGEST_STEPS = 900
# Characters of a sub-item's label, and of a command in a fence.
_LONGEST_INNER_LABEL = 80
_LONGEST_COMMAND = 200
_TAGS_ALONE = compile_later(r"[ \t]*(?:</?[A-Za-z][\w:.-]{0,60}(?: [^<>\n]{0,300})?/?>[ \t]*){1,4}")
_LANGUAGE = compile_later(r"[\w+-]{0,20}")
# Words of a heading that say that the order of the items below matters.
_IN_ORDER = compile_later(
    r"step|flow|pipeline|process|procedure|how to|sequence|lifecycle|checklist|before|after|when "
    r"|adding|creating|releas|deploy|publish"
)
_SHELLS = frozenset(
    {"", "bash", "sh", "shell", "zsh", "console", "fish", "powershell", "cmd", "text"}
)


@dataclass(frozen=True, slots=True)
class PageStatement:
    """One statement: its exact words, its first line, the headings above it from the outermost in.

    `form` is `item`, `steps` (a numbered list), `paragraph` or `shell` (a command of a fence).
    `lead` is the line that introduces it. `below` holds its short sub-items; of a command, the
    command and its comments.
    """

    form: str
    text: str
    line: int
    headings: tuple[str, ...] = ()
    lead: str = ""
    below: tuple[str, ...] = ()

    @property
    def on_one_line(self) -> str:
        """The words on one line, followed by the sub-items."""
        if not self.below:
            return " ".join(self.text.split())
        first_line = " ".join(self.text.split("\n", 1)[0].split())
        parts = "; ".join(part.rstrip(" .;") for part in self.below)
        return f"{first_line.rstrip(' :.')}: {parts}"


@dataclass(frozen=True, slots=True)
class _PageLine:
    """A line as `heading`, `item`, `text`, `shell` or `gap`.

    `depth` is the level of a heading, or the indentation of an item or of text.
    """

    kind: str
    text: str
    line: int
    depth: int = 0
    is_numbered: bool = False


def find_statements(page: TextDocument) -> Iterator[PageStatement]:
    """Yield the statements of a page, in order."""
    if any(OWN_FILE_MARK in line for line in page.lines[:_OWN_FILE_MARK_LINES]):
        return
    yield from _StatementFinder().find(_classify_page(page))


class _StatementFinder:
    """One pass over the lines of a page.

    Holds the headings above, the line that leads in, and the block that is being gathered.
    """

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._lead = ""
        self._block: list[_PageLine] = []

    def find(self, lines: Iterator[_PageLine]) -> Iterator[PageStatement]:
        """Yield the statements among the lines."""
        for line in lines:
            if not self._continues_block(line):
                yield from self._finish_block()
            if line.kind == "heading":
                self._enter_heading(line)
            elif line.kind == "shell":
                command = _split_command(line.text)
                yield PageStatement(
                    "shell", line.text, line.line, self._headings_above(), self._lead, command
                )
            elif line.kind != "gap" or self._is_in_list():
                self._block.append(line)
        yield from self._finish_block()

    def _is_in_list(self) -> bool:
        return bool(self._block) and self._block[0].kind == "item"

    def _continues_block(self, line: _PageLine) -> bool:
        """Whether a line belongs to the block that is being gathered."""
        if not self._block or line.kind in ("heading", "shell"):
            return False
        if not self._is_in_list():
            return line.kind == "text"
        if line.kind == "text" and self._block[-1].kind == "gap":
            return line.depth > self._block[0].depth
        return True

    def _headings_above(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def _enter_heading(self, line: _PageLine) -> None:
        self._headings = [above for above in self._headings if above[0] < line.depth]
        self._headings.append((line.depth, strip_emphasis_and_links(line.text).rstrip(" :#")))
        self._lead = ""

    def _finish_block(self) -> Iterator[PageStatement]:
        block = [line for line in self._block if line.kind != "gap"]
        self._block = []
        if not block:
            return
        if block[0].kind == "item":
            items = _build_item_tree(block)
            yield from _split_list(items, self._headings_above(), self._lead)
            return
        words, lead = _split_lead("\n".join(line.text for line in block))
        self._lead = strip_emphasis_and_links(lead).rstrip(" :")
        if words:
            yield PageStatement("paragraph", words, block[0].line, self._headings_above())


def _split_lead(text: str) -> tuple[str, str]:
    """Split a paragraph into what it says, and its last sentence if that leads in what follows."""
    if not text.rstrip(" *_").endswith(":"):
        return text, ""
    end = max(text.rfind(". "), text.rfind(".\n")) + 1
    return text[:end].strip(), text[end:].strip()


@dataclass(frozen=True, slots=True)
class _ListItem:
    """A list item: its first line, the lines that continue it and the items below it."""

    first_line: _PageLine
    more_lines: list[str]
    children: list[_ListItem]

    def own_text(self) -> str:
        """The words of the item without those of its sub-items."""
        return "\n".join([self.first_line.text, *self.more_lines])

    def count_characters(self) -> int:
        """Length of the item with all of its sub-items."""
        return len(self.own_text()) + sum(child.count_characters() for child in self.children)

    def to_markdown(self) -> str:
        """The item as it stands, its sub-items below."""
        below = ("- " + child.to_markdown().replace("\n", "\n  ") for child in self.children)
        return "\n".join([self.own_text(), *below])

    def to_one_line(self) -> str:
        """The item on one line, its sub-items in parentheses."""
        below = "".join(f" ({child.to_one_line()})" for child in self.children)
        return " ".join(self.own_text().split()) + below


def _build_item_tree(lines: Sequence[_PageLine]) -> list[_ListItem]:
    """Nest the lines of a list by their indentation."""
    roots: list[_ListItem] = []
    open_items: list[_ListItem] = []
    for line in lines:
        if line.kind != "item":
            open_items[-1].more_lines.append(line.text)
            continue
        while open_items and open_items[-1].first_line.depth >= line.depth:
            open_items.pop()
        item = _ListItem(line, [], [])
        siblings = open_items[-1].children if open_items else roots
        siblings.append(item)
        open_items.append(item)
    return roots


def _split_list(
    items: list[_ListItem], headings: tuple[str, ...], lead: str
) -> Iterator[PageStatement]:
    """Yield a numbered list of steps as one statement, else each item."""
    is_numbered = len(items) > 1 and all(item.first_line.is_numbered for item in items)
    steps = _join_steps(items, headings, lead) if is_numbered else None
    if steps is not None:
        yield steps
        return
    for item in items:
        yield from _split_item(item, headings, lead)


def _split_item(item: _ListItem, headings: tuple[str, ...], lead: str) -> Iterator[PageStatement]:
    """Yield an item with its short sub-items as one, else each sub-item by itself."""
    text, line = item.own_text(), item.first_line.line
    is_label = _is_label(text)
    if item.children and (is_label or item.count_characters() > LONGEST_STATEMENT):
        inner_lead = strip_emphasis_and_links(text).rstrip(" :")
        if not is_label:
            yield PageStatement("item", text, line, headings, lead)
        for child in item.children:
            child_lead = inner_lead if len(inner_lead) <= _LONGEST_INNER_LABEL else lead
            yield from _split_item(child, headings, child_lead)
        return
    below = tuple(child.to_one_line() for child in item.children)
    yield PageStatement("item", item.to_markdown(), line, headings, lead, below)


def _join_steps(
    items: list[_ListItem], headings: tuple[str, ...], lead: str
) -> PageStatement | None:
    """Join a short numbered list if the words above it say that the order matters."""
    above = " ".join((*headings[-1:], lead)).lower()
    size = sum(item.count_characters() for item in items)
    if size > _LONGEST_STEPS or not _IN_ORDER.search(above):
        return None
    text = "\n".join(f"{number}. {item.to_markdown()}" for number, item in enumerate(items, 1))
    nearest_heading = headings[-1] if headings else ""
    return PageStatement("steps", text, items[0].first_line.line, headings, lead or nearest_heading)


def _is_label(text: str) -> bool:
    """Whether an item only names what stands below it."""
    bare = text.strip()
    is_bold = bare.startswith("**") and bare.endswith("**")
    return is_bold or bare.rstrip("*_ ").endswith(":") or len(bare.split()) <= 2


def strip_emphasis_and_links(text: str) -> str:
    """Put the words on one line, without bold marks and with the text of links alone."""
    text = re.sub(r"!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)", r"\1", text)
    return " ".join(text.replace("**", "").replace("__", "").split())


def _classify_page(page: TextDocument) -> Iterator[_PageLine]:
    """Yield every line as what it can be in a statement; commands of a shell fence at its end."""
    lines = _remove_comments(_blank_own_block(page.lines))
    language = ""
    code: list[_PageLine] = []
    for number, line in enumerate(classify_lines(lines), page.first_line):
        if line.kind == FENCED:
            code.append(_PageLine("shell", line.content, number))
            continue
        if line.kind == FENCE_CLOSE and language in _SHELLS:
            yield from _find_commands(code)
        if line.kind == FENCE_OPEN:
            language_match = _LANGUAGE.match(line.content)
            language = language_match[0].lower() if language_match else ""
            code = []
        yield _to_page_line(line, number)


def _to_page_line(line: MarkdownLine, number: int) -> _PageLine:
    if line.kind == HEADING:
        return _PageLine("heading", line.content, number, line.level)
    # The lists of a quotation are read flat.
    indent = 0 if line.quote_depth else line.indent
    if line.kind == LIST_ITEM:
        return _PageLine("item", line.content, number, indent, line.is_ordered)
    text = line.content.strip()
    if line.is_code or line.kind in (BLANK, RULE, TABLE_ROW):
        return _PageLine("gap", "", number)
    if text.startswith(("[!", PRIVATE)) or _TAGS_ALONE.fullmatch(text):
        return _PageLine("gap", "", number)
    return _PageLine("text", text, number, indent)


def _find_commands(code: list[_PageLine]) -> Iterator[_PageLine]:
    """Yield the command lines that a comment explains, each with the comment above it.

    A comment counts for all commands up to the next blank line or comment.
    """
    comment = ""
    for line in code:
        text = line.text.strip().removeprefix("$ ")
        if not text or text.startswith("#"):
            comment = text
        elif (comment or " #" in text) and len(text) <= _LONGEST_COMMAND:
            yield replace(line, text=f"{comment}\n{text}" if comment else text)


def _split_command(text: str) -> tuple[str, str]:
    """Split a command line with its comments into the command and the comments."""
    above, _, line = text.rpartition("\n")
    command, _, behind = line.partition(" #")
    comments = (comment.strip("# \t") for comment in (above, behind))
    return command.strip(), ", ".join(filter(None, comments))


def _blank_own_block(lines: Sequence[str]) -> list[str]:
    """Blank the block that memctl wrote; one that is not closed reaches to the end."""
    remaining: list[str] = []
    is_inside = False
    for line in lines:
        is_inside = is_inside or OWN_BLOCK_BEGIN in line
        remaining.append("" if is_inside else line)
        is_inside = is_inside and OWN_BLOCK_END not in line
    return remaining


def _remove_comments(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without HTML comments; a comment that is never closed is text."""
    closing_lines = [index for index, line in enumerate(lines) if "-->" in line]
    last_closing = closing_lines[-1] if closing_lines else -1
    is_inside = False
    for index, line in enumerate(lines):
        visible, rest = "", line
        while rest:
            if is_inside:
                _, mark, rest = rest.partition("-->")
            elif index <= last_closing:
                before, mark, rest = rest.partition("<!--")
                visible += before
            else:
                before, mark, rest = rest, "", ""
                visible += before
            is_inside = is_inside != bool(mark)
        yield visible
