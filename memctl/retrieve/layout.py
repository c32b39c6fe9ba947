"""How a context is written: Markdown, XML or plain text. Pure.

Kept true in every format: the fence by which capture cuts the context out again, and the notice,
stand around everything; stored text can neither close the fence nor start a line, an element or a
section of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from memctl.core.frozen import dataclass
from memctl.core.model import CONTEXT_NOTICE, SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.text.framing import break_markers

# Compiled by re at first use: hardly a text speaks of memctl.
_FENCE = r"(?i)(?:<|&(?:lt|#0{0,8}60|#x0{0,8}3c);?)(?=[\s/]{0,8}memctl)"
_IN_NAMES = frozenset("_ .:/@+-")
# What stands before each further line of a record: nothing that its text says can stand in the
# first column.
_BAR = "\n  | "
# The same in plain text.
_INDENT = "\n    "
_FOOT = SENTINEL_CLOSE + "\n"


@dataclass(frozen=True, slots=True)
class Layout:
    """One format: what stands around everything, around a section (by name and title), how a
    record stands under its short id, a remark.
    """

    head: Callable[[str | None], str]
    opening: Callable[[str, str], str]
    closing: str
    line: Callable[[str, str], str]
    remark: Callable[[str], str]
    foot: str = _FOOT


@lru_cache(maxsize=256)  # title, summary and content of a record are often the same words
def clean_line(text: str) -> str:
    """Stored text as a part of one line: no control characters, no line breaks, no fence, no sign
    of a chat template.
    """
    lines = map(_drop_invisible, text.splitlines())
    line = " ".join(break_markers("\n".join(lines)).split())
    return re.sub(_FENCE, "(", line) if "memctl" in line.lower() else line


def format_block(text: str) -> str:
    """Stored text as several lines that cannot be taken for the context's own: each is marked."""
    parts = (clean_line(part) for part in text.splitlines())
    return "\n".join(f"{_BAR[1:]}{part}" for part in parts if part)


def _drop_invisible(text: str) -> str:
    """The text without format and control characters, which could hide a fence or forge a line."""
    if text.isascii() and text.isprintable():
        return text
    import unicodedata  # here, because plain ASCII has no need of its tables

    return "".join(
        " " if kind == "Cc" else char
        for char in text
        if (kind := unicodedata.category(char)) not in ("Cf", "Cs", "Co", "Cn")
    )


def _format_sentinel(project: str | None) -> str:
    plain = "".join(
        char if char.isalnum() or char in _IN_NAMES else " " for char in clean_line(project or "")
    )
    name = " ".join(plain.split())[:80].strip()
    return f'{SENTINEL_OPEN} version="1"{f" project={chr(34)}{name}{chr(34)}" if name else ""}>\n'


def _escape_xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


LAYOUTS: Mapping[str, Layout] = {
    "markdown": Layout(
        head=lambda project: (
            f"{_format_sentinel(project)}{CONTEXT_NOTICE} "
            "`memctl explain ID` shows where a line comes from.\n"
        ),
        opening=lambda _name, title: f"\n## {title}\n",
        closing="",
        line=lambda short, text: f"- [{short}] {text}\n",
        remark=lambda text: f"\n({text})\n",
    ),
    "xml": Layout(
        head=lambda project: (
            f"{_format_sentinel(project)}<notice>{CONTEXT_NOTICE} "
            "memctl explain ID shows where a memory comes from.</notice>\n"
        ),
        opening=lambda name, title: f'<section name="{name}" title="{title}">\n',
        closing="</section>\n",
        line=lambda short, text: f'<memory id="{short}">{_escape_xml(text)}</memory>\n',
        remark=lambda text: f"<notice>{text}</notice>\n",
    ),
    "plain": Layout(
        head=lambda project: (
            f"{_format_sentinel(project)}{CONTEXT_NOTICE} "
            "memctl explain ID shows where a line comes from.\n"
        ),
        opening=lambda _name, title: f"\n{title}\n",
        closing="",
        line=lambda short, text: f"[{short}] {text.replace(_BAR, _INDENT)}\n",
        remark=lambda text: f"\n({text})\n",
    ),
}
FORMATS = tuple(LAYOUTS)
