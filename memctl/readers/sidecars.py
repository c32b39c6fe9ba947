"""Small files beside a transcript, and the paths in them."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from memctl.core.lazy_pattern import compile_later
from memctl.readers.values import as_name

_FIELD = compile_later(r"([A-Za-z_][\w-]{0,60}):[ \t]{0,8}(.{0,2000})")
# Marks of a value that is on the lines below.
_BLOCK_MARKS = frozenset(["|", ">", "|-", ">-", "|+", ">+"])
_NULLS = ("", "null", "~")
_WINDOWS_DRIVE = compile_later(r"/[A-Za-z]:")


def parse_simple_yaml(raw: bytes) -> dict[str, str]:
    """Return the `key: value` lines at the left margin; everything else in the YAML is ignored.

    If a value spans several lines, only its first line is returned.
    """
    fields: dict[str, str] = {}
    pending = ""
    for line in raw.decode("utf-8", "replace").splitlines():
        field = _FIELD.fullmatch(line.rstrip())
        if field and field[2].strip() in _BLOCK_MARKS:
            pending = field[1]
        elif field:
            fields[field[1]], pending = _parse_scalar(field[2]), ""
        elif pending and line.strip():
            fields[pending], pending = line.strip(), ""
    return {name: value for name, value in fields.items() if value not in _NULLS}


def _parse_scalar(value: str) -> str:
    """Return a value without its quotes or the comment after it."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].strip()


def parse_file_uri(uri: object) -> str | None:
    """Return the path in a `file:` URI, or the path itself if it is absolute.

    None for relative paths and for files on another machine.
    """
    text = as_name(uri)
    if text is None:
        return None
    if "://" not in text:
        is_absolute = text.startswith("/") or _WINDOWS_DRIVE.match(f"/{text}")
        return text if is_absolute else None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path, errors="replace")
    return as_name(path[1:] if _WINDOWS_DRIVE.match(path) else path)
