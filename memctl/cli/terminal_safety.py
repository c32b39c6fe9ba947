"""Makes visible what could steer a terminal, hide text or reorder it in stored text. Pure.

That is C0 and C1 controls (ESC among them), DEL, direction marks and overrides, zero-width and
other invisible characters, tag characters, variation selectors that can hide data, line separators
and lone surrogates.
"""

from __future__ import annotations

import re

_DANGEROUS = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Strings, because a command needs one of the two: re compiles it at first use.
_IN_TEXT = f"[{_DANGEROUS}]"
# json.dumps has escaped C0; the line feeds that are left are its own.
_IN_JSON = f"[{_DANGEROUS.removeprefix(chr(0) + '-' + chr(0x1F))}]"


def make_line_safe(text: str) -> str:
    """Return a line, dangerous characters as \\x1b, \\u202e or \\U000e0041, a tab as a space."""
    text = restore_letters(text.replace("\t", " "))
    # Most lines are printable ASCII, for which no pattern is needed.
    return text if text.isascii() and text.isprintable() else re.sub(_IN_TEXT, _make_visible, text)


def restore_letters(text: str) -> str:
    """Return text with the letters of names that a locale without UTF-8 gave us as single bytes.

    Python hands on each such byte of an argument or file name as a lone surrogate. Bytes that are
    no text stay as they are.
    """
    return text if text.isascii() else re.sub("[\udc80-\udcff]+", _decode_bytes, text)


def _decode_bytes(match: re.Match[str]) -> str:
    try:
        return match[0].encode("ascii", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def escape_letters(text: str) -> str:
    """Return serialised JSON in ASCII; its value is the same."""
    return text if text.isascii() else re.sub(r"[^\x00-\x7f]", _escape, text)


def make_json_safe(text: str) -> str:
    """Return serialised JSON with dangerous characters as \\u escapes; its value is the same."""
    return text if text.isascii() and "\x7f" not in text else re.sub(_IN_JSON, _escape, text)


def _make_visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
