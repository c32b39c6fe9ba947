"""Stored text as a part of one line of Markdown that can be nothing but text. Pure.

It begins no heading, list, quotation, fence or HTML, makes no link, embeds nothing, hides nothing
and ends nothing that stands around it. Code between single backticks stays code.
"""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later
from memctl.records.drafts import shorten
from memctl.retrieve.layout import clean_line

# What would begin a block at the start of a list item.
_BLOCK_START = compile_later(
    r"(?:[-+*#=|:]|[0-9]{1,9}[.)]|~~~|---)(?=\s|$|[-=~|:>#])|>|\[(?=[ xX]\]|[^\]]*\]:)"
)
# What is read as markup in running text: HTML and comments, entities, links, images, footnotes,
# wikilinks, emphasis, tags, strike-through, highlights, and Obsidian's comments and sums.
_MARKUP = compile_later(
    r"\\(?=[!-/:-@\[-`{-~])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=\[|\^)|\](?=[\[(:\]])|!(?=\[)|\^(?=\[)"
    r"|(?<![^\W_])_|_(?![^\W_])|\*(?=\S)|(?<=\S)\*"
    r"|(?<![\w&/])#(?=[^\W\d])|~(?=~)|=(?==)|%(?=%)|\$(?=\S[^$]*\$)"
)
_CODE = compile_later(r"(?<!`)`([^`]+)`(?!`)")
# What some reader of Markdown finds even in code.
_COMMENT_SIGNS = (("<!--", "<! --"), ("-->", "-- >"), ("[[", "[ ["), ("]]", "] ]"), ("%%", "% %"))


def make_inert(text: str, length: int | None = None) -> str:
    """Return text as a part of a line; a longer one than `length` characters ends in an
    ellipsis.
    """
    line = clean_line(text)
    if length is not None:
        line = shorten(line, length)
    if line.count("`") != 2 * len(_CODE.findall(line)):
        return _guard_start(_escape(line).replace("`", "\\`"))
    parts, at = [], 0
    for code in _CODE.finditer(line):
        parts += [_escape(line[at : code.start()]), f"`{_break_signs(code[1])}`"]
        at = code.end()
    return _guard_start("".join([*parts, _escape(line[at:])]))


def make_inert_name(text: str) -> str:
    """Return a name as a part of a heading, without anything that could be markup."""
    line = "".join(char for char in clean_line(text) if char not in "`*_<>[]#|\\")
    return shorten(" ".join(line.split()), 80) or "unnamed"


def _escape(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found[0], text)


def _break_signs(code: str) -> str:
    for sign, broken in _COMMENT_SIGNS:
        code = code.replace(sign, broken)
    return code


def _guard_start(line: str) -> str:
    """A line that begins no block; `1. x` becomes `1\\. x`."""
    found = _BLOCK_START.match(line)
    if found is None:
        return line
    if found[0][0].isdigit():
        return f"{found[0][:-1]}\\{line[found.end() - 1 :]}"
    return "\\" + line
