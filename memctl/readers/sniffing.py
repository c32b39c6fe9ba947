"""Cheap tests on the first bytes of a file, for readers to recognise their format."""

from __future__ import annotations

from memctl.core.typing_lite import Any
from memctl.readers.base import HEAD_BYTES, parse_json

_MAX_LINES = 40


def parse_head_objects(head: bytes) -> list[dict[str, Any]]:
    """Return the JSON objects among the first lines, without a last line that was cut off."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", _MAX_LINES)
    if len(lines) > _MAX_LINES or len(head) >= HEAD_BYTES:
        lines.pop()
    values = (parse_json(line) for line in lines if line.lstrip().startswith(b"{"))
    return [value for value in values if isinstance(value, dict)]


def has_keys(head: bytes, *keys: str) -> bool:
    """Return whether the head contains all these JSON keys, with any spacing and line length."""
    squeezed = head.replace(b'" :', b'":')
    return all(f'"{key}":'.encode() in squeezed for key in keys)
