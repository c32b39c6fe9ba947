"""Small files that stand beside a transcript, and the places they name."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from memctl.readers.values import as_name

_PAIR = re.compile(r"([A-Za-z_][\w-]{0,60}):[ \t]{0,8}(.{0,2000})")
_FOLDED = frozenset(["|", ">", "|-", ">-", "|+", ">+"])
_DRIVE = re.compile(r"/[A-Za-z]:")


def parse_simple_yaml(raw: bytes) -> dict[str, str]:
    """The `key: value` lines at the left margin; of a longer text its first line. Everything else of YAML is passed over."""
    found: dict[str, str] = {}
    waiting = ""
    for line in raw.decode("utf-8", "replace").splitlines():
        pair = _PAIR.fullmatch(line.rstrip())
        if pair and pair[2].strip() in _FOLDED:
            waiting = pair[1]
        elif pair:
            found[pair[1]], waiting = _parse_scalar(pair[2]), ""
        elif waiting and line.strip():
            found[waiting], waiting = line.strip(), ""
    return {key: value for key, value in found.items() if value and value not in ("null", "~")}


def _parse_scalar(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].strip()


def parse_file_uri(uri: object) -> str | None:
    """The path that a `file:` URI means, or the path itself; None for what lies on another machine."""
    text = as_name(uri)
    if text is None or "://" not in text:
        return text if text and (text.startswith("/") or _DRIVE.match(f"/{text}")) else None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path, errors="replace")
    return as_name(path[1:] if _DRIVE.match(path) else path)
