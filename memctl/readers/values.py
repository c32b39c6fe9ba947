"""Reading values from foreign files.

A foreign file may hold a value of any type anywhere. A reader asks for text, an object, a list, a
name or a time, and gets an empty one if the value is something else. Text is cleaned of what memctl
itself handed out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from memctl.core import timestamps
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import CONTEXT_NOTICE, SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.core.typing_lite import Any

_ISO_WITH_MILLISECONDS = compile_later(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
# The marks around a context, in upper or lower case, also as HTML escapes them.
_CONTEXT_MARK = compile_later(
    rf"(?:<|&lt;)(?:(/){SENTINEL_CLOSE[2:-1]}(?:>|&gt;)|{SENTINEL_OPEN[1:]})", re.IGNORECASE
)
_SHORT_ID = r"0[0-9A-HJKMNP-TV-Z]{9,25}"
# The remains of a context that lost its marks: its notice, and each line that begins with a short
# id, together with the indented lines below it.
_CONTEXT_LINES = compile_later(
    r"^[ \t>*]{0,8}(?:"
    rf"(?:(?:- )?\[{_SHORT_ID}\] "
    rf"|(?:<|&lt;)memory id=(?:\"|&quot;){_SHORT_ID}(?:\"|&quot;)(?:>|&gt;)).*"
    r"(?:\n[ \t>]{0,8}\| .*|\n(?:> ?)?    \S.*)*"
    rf"|(?:(?:<|&lt;)notice(?:>|&gt;))?{re.escape(CONTEXT_NOTICE)}.*)",
    re.MULTILINE | re.IGNORECASE,
)
_LONE_SURROGATE = compile_later("[\ud800-\udfff]")
# A larger number is read as milliseconds; as seconds it would lie after the year 5138.
_MAX_SECONDS = 1e11


def as_text(value: object) -> str:
    """Return the value if it is text, else an empty text."""
    return value if isinstance(value, str) else ""


def as_dict(value: object) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_dicts(value: object) -> list[dict[str, Any]]:
    """Return the items of a list, with an empty object for each item that is no object."""
    return [as_dict(item) for item in as_list(value)]


def as_name(value: object) -> str | None:
    """Return an id, path or title as cleaned text, or None if nothing is left."""
    return clean_text(as_text(value)) or None


def parse_time(value: object) -> str | None:
    """Convert ISO text, Unix seconds or Unix milliseconds to ISO 8601 UTC with milliseconds.

    None for anything else.
    """
    try:
        if isinstance(value, str):
            return _parse_time_text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return timestamps.format_iso(value / 1000 if value > _MAX_SECONDS else value)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _parse_time_text(text: str) -> str:
    """Check a time in memctl's own form, and rewrite any other form."""
    if _ISO_WITH_MILLISECONDS.fullmatch(text):
        datetime.fromisoformat(text)
        return text
    return timestamps.format_iso(timestamps.parse_iso(text.strip()))


def clean_text(text: str) -> str:
    """Return the text without memctl's own contexts, lone surrogates and outer white space."""
    lower = text.lower()
    if "[0" in text or "memory id=" in lower or "memctl" in lower:
        text = _CONTEXT_LINES.sub("", _remove_contexts(text))
    if not text.isascii():
        text = _LONE_SURROGATE.sub("\ufffd", text)
    return text.strip()


def clean_values(value: Any) -> Any:
    """Apply `clean_text` to every string inside a value of mappings, lists and strings."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean_values(child) for child in value]
    if isinstance(value, Mapping):
        return {key: clean_values(child) for key, child in value.items()}
    return value


def _remove_contexts(text: str) -> str:
    """Cut out every marked context; an unclosed one reaches to the end of the text."""
    outside, start, is_inside = [], 0, False
    for mark in _CONTEXT_MARK.finditer(text):
        if not is_inside:
            outside.append(text[start : mark.start()])
        is_inside, start = not mark[1], mark.end()
    if not is_inside:
        outside.append(text[start:])
    return "".join(outside)
