"""Cheap looks at the first bytes of a file, for readers to tell their format by."""

from __future__ import annotations

from typing import Any

from memctl.readers.base import HEAD_BYTES, parse_json

_LOOK_AT = 40


def parse_head_objects(head: bytes) -> list[dict[str, Any]]:
    """The JSON objects among the first lines; a last line that the head cuts off is left out."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", _LOOK_AT)
    if len(lines) > _LOOK_AT or len(head) >= HEAD_BYTES:
        lines.pop()
    values = (parse_json(line) for line in lines if line.lstrip().startswith(b"{"))
    return [value for value in values if isinstance(value, dict)]


def has_keys(head: bytes, *keys: str) -> bool:
    """Whether all these names stand as JSON keys in the head (spacing aside), however long the lines are."""
    squeezed = head.replace(b'" :', b'":')
    return all(f'"{key}":'.encode() in squeezed for key in keys)
