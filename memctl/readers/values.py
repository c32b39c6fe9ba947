"""Values out of foreign files: of the expected type, and without what memctl itself handed out.

A foreign file may hold a value of any type in any place, so a reader never trusts one: it asks for
text, an object, a list, a name or a time, and gets an empty one where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memctl.core import timestamps
from memctl.core.model import CONTEXT_NOTICE, SENTINEL_CLOSE, SENTINEL_OPEN

_ISO_WITH_MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
# The marks around a context in any case, also as a web page escapes them.
_CONTEXT_MARK = re.compile(
    rf"(?:<|&lt;)(?:(/){SENTINEL_CLOSE[2:-1]}(?:>|&gt;)|{SENTINEL_OPEN[1:]})", re.IGNORECASE
)
_SHORT_ID = r"0[0-9A-HJKMNP-TV-Z]{9,25}"
# What is left of a context that lost its marks: its notice, and each line that begins with a short
# id, together with the indented lines below it.
_CONTEXT_LINES = re.compile(
    r"^[ \t>*]{0,8}(?:"
    rf"(?:(?:- )?\[{_SHORT_ID}\] "
    rf"|(?:<|&lt;)memory id=(?:\"|&quot;){_SHORT_ID}(?:\"|&quot;)(?:>|&gt;)).*"
    r"(?:\n[ \t>]{0,8}\| .*|\n(?:> ?)?    \S.*)*"
    rf"|(?:(?:<|&lt;)notice(?:>|&gt;))?{re.escape(CONTEXT_NOTICE)}.*)",
    re.MULTILINE | re.IGNORECASE,
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# A larger number (in seconds: after the year 5138) is read as milliseconds.
_MAX_SECONDS = 1e11


def as_text(value: object) -> str:
    """The value if it is text, else an empty text."""
    return value if isinstance(value, str) else ""


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_dicts(value: object) -> list[dict[str, Any]]:
    """The items of a list, each of them as an object."""
    return [as_dict(item) for item in as_list(value)]


def as_name(value: object) -> str | None:
    """An id, path or title: cleaned text, or None where nothing is left."""
    return clean_text(as_text(value)) or None


def parse_time(value: object) -> str | None:
    """ISO text, Unix seconds or Unix milliseconds as ISO 8601 UTC with milliseconds, or None."""
    try:
        if isinstance(value, str):
            return _parse_time_text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return timestamps.format_iso(value / 1000 if value > _MAX_SECONDS else value)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _parse_time_text(text: str) -> str:
    """The usual form passes unchanged once its digits are checked; other forms are rewritten."""
    if _ISO_WITH_MILLISECONDS.fullmatch(text):
        datetime.fromisoformat(text)
        return text
    return timestamps.format_iso(timestamps.parse_iso(text.strip()))


def clean_text(text: str) -> str:
    """The text without memctl's own contexts, lone surrogates and outer white space."""
    lower = text.lower()
    if "[0" in text or "memory id=" in lower or "memctl" in lower:
        text = _CONTEXT_LINES.sub("", _remove_contexts(text))
    if not text.isascii():
        text = _LONE_SURROGATE.sub("\ufffd", text)
    return text.strip()


def clean_values(value: Any) -> Any:
    """`clean_text` for every string inside a value of mappings, lists and strings."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean_values(child) for child in value]
    if isinstance(value, Mapping):
        return {key: clean_values(child) for key, child in value.items()}
    return value


def _remove_contexts(text: str) -> str:
    """Cut out every marked context; one that is never closed reaches to the end of the text."""
    outside, start, is_inside = [], 0, False
    for mark in _CONTEXT_MARK.finditer(text):
        if not is_inside:
            outside.append(text[start : mark.start()])
        is_inside, start = not mark[1], mark.end()
    if not is_inside:
        outside.append(text[start:])
    return "".join(outside)
