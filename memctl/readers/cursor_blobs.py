"""The blobs of Cursor's `store.db`: messages keyed by their hashes, and nodes that refer to them.

A node is a protocol buffer whose 32-byte fields are hashes of further nodes or of messages;
messages are JSON.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.typing_lite import Any
from memctl.readers.base import Tables, parse_json
from memctl.readers.values import as_text

_HASH_BYTES = 32
# Number of the root's field that names the folder of the session.
_WORKSPACE_FIELD = 9
# Most blobs of a store that are followed; a guard against broken stores.
_MAX_BLOBS = 200_000
# Wire types of protocol buffers.
_VARINT = 0
_FIXED_64 = 1
_WITH_LENGTH = 2
_FIXED_32 = 5
_FIXED_SIZES = {_FIXED_64: 8, _FIXED_32: 4}


def parse_meta(tables: Tables) -> dict[str, Any]:
    """Return what the store says of its session: hexadecimal JSON under one key, or a row each."""
    rows = {str(row.get("key")): row.get("value") for row in tables.rows("meta")}
    whole = rows.get("0")
    if isinstance(whole, str) and not whole.startswith("{"):
        try:
            whole = bytes.fromhex(whole)
        except ValueError:
            return rows
    parsed = parse_json(whole) if isinstance(whole, (str, bytes)) else None
    return parsed if isinstance(parsed, dict) else rows


def find_workspace(tables: Tables, root: str) -> str:
    """Return the folder that the root names, a path or a URI; empty if it names none."""
    fields = _list_fields(_fetch_blob(tables, root) or b"")
    paths = (value for number, value in fields if number == _WORKSPACE_FIELD)
    return next(paths, b"").decode("utf-8", "replace")


def list_messages(tables: Tables, root: str) -> Iterator[bytes]:
    """Yield the messages below the root, depth first in their order.

    If the root leads to no message, yield all messages of the store.
    """
    pending, seen = [root], {""}
    has_message = False
    while pending and len(seen) < _MAX_BLOBS:
        name = pending.pop()
        blob = None if name in seen else _fetch_blob(tables, name)
        seen.add(name)
        if blob is None:
            continue
        if _is_message(blob):
            has_message = True
            yield blob
        else:
            values = (value for _, value in reversed(_list_fields(blob)))
            pending += [value.hex() for value in values if len(value) == _HASH_BYTES]
    if not has_message:
        blobs = (to_bytes(row.get("data")) for row in tables.rows("blobs", order_by="rowid"))
        yield from filter(_is_message, blobs)


def to_bytes(value: object) -> bytes:
    """Return a column's value as bytes: text is encoded, anything else is empty."""
    return value if isinstance(value, bytes) else as_text(value).encode("utf-8", "replace")


def _is_message(blob: bytes) -> bool:
    return blob.lstrip()[:1] == b"{"


def _fetch_blob(tables: Tables, name: str) -> bytes | None:
    row = next(tables.rows("blobs", "id = ?", (name,)), None) if name else None
    return to_bytes(row.get("data")) if row else None


def _list_fields(data: bytes) -> list[tuple[int, bytes]]:
    """Return number and value of a protocol buffer's fields that have a length.

    Reading stops at anything that is not a field.
    """
    fields: list[tuple[int, bytes]] = []
    position = 0
    while position < len(data):
        tag, position = _read_varint(data, position)
        wire_type = tag & 7
        if wire_type == _WITH_LENGTH:
            size, position = _read_varint(data, position)
            if size > len(data) - position:
                break
            fields.append((tag >> 3, data[position : position + size]))
            position += size
        elif wire_type == _VARINT:
            _, position = _read_varint(data, position)
        elif wire_type in _FIXED_SIZES:
            position += _FIXED_SIZES[wire_type]
        else:
            break
    return fields


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number at a position, and the position after it."""
    value = shift = 0
    while position < len(data) and shift < 64:
        byte = data[position]
        value |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            break
    return value, position
