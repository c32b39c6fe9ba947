"""Conversions between rows and records, shared by all modules.

JSON columns are canonical: sorted keys, no spaces.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from memctl.core.errors import NotFound, StoreDamaged
from memctl.core.frozen import fields, fill_instance
from memctl.core.typing_lite import Any, TypeVar
from memctl.store.checksums import COLUMN
from memctl.store.database import Database, Row

T = TypeVar("T")
_ID_LENGTH = 26
# Bytes of a blob, unpacked: as much as the longest line of an export.
LONGEST_BLOB = 1 << 29
_FIELDS: dict[type, tuple[str, ...]] = {}
# Where the fields of a class stand among the columns of a row.
_PLACES: dict[tuple[type[Any], tuple[str, ...]], list[int]] = {}
# `json.dumps` would make a new encoder for every value.
_canonical = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def to_canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no spaces: equal values have equal text."""
    return _canonical(value)


def compute_sha256(text: str) -> str:
    """Return the SHA-256 of a text in hex."""
    import hashlib  # here, because it loads OpenSSL, and reading needs no hash

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse_json_column(text: str) -> Any:
    """Parse a JSON column.

    Raises StoreDamaged: the schema lets nothing but JSON in, so the file was damaged.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreDamaged(
            f"a stored value is no JSON any more: {text[:40]!r}",
            hint="`memctl doctor` says what is damaged",
        ) from error


def to_json_array(values: Iterable[Any] | None) -> str | None:
    """Return a JSON array for a statement that reads sets with json_each.

    None stays None; so does an empty set, which means no filter.
    """
    items = None if values is None else list(values)
    return json.dumps(items) if items else None


def read_readable(db: Database, name: str, /, **params: Any) -> list[Row]:
    """Return the rows of a named statement; damaged ones are left out, and told of.

    For answers to a person only. What changes or erases rows must not overlook one.
    """
    reads_on, db.reads_on = db.reads_on, False
    try:
        return db.all(name, **params)
    except StoreDamaged:
        from memctl.store import readable_rows  # here, because nothing else needs it

        return readable_rows.read_leniently(db, name, **params)
    finally:
        db.reads_on = reads_on


def build_from_row(cls: type[T], row: Row, **parsed: Any) -> T:
    """Build a data class from the columns of the same names.

    `parsed` replaces columns that need reading.
    """
    names = _FIELDS.get(cls) or _FIELDS.setdefault(cls, tuple(f.name for f in fields(cls)))
    if isinstance(row, dict):
        return fill_instance(cls, [parsed[name] if name in parsed else row[name] for name in names])
    # A column is found by its place: finding it by its name takes three times as long.
    columns = tuple(row.keys())
    places = _PLACES.get((cls, columns)) or _PLACES.setdefault(
        (cls, columns), [columns.index(name) if name in columns else -1 for name in names]
    )
    values = list(map(tuple(row).__getitem__, places))
    for name, value in parsed.items():
        values[names.index(name)] = value
    if -1 in places and (lost := {*names} - {*columns} - parsed.keys()):
        raise KeyError(f"no column {', '.join(sorted(lost))}")
    return fill_instance(cls, values)


def copy_row(row: Row) -> dict[str, Any]:
    """Return a row by its columns, without the checksum that is no content of it."""
    values = dict(row)
    values.pop(COLUMN, None)
    return values


def decompress(packed: bytes) -> bytes:
    """Decompress a stored blob; one that would grow beyond all that is stored is refused.

    Raises zlib.error.
    """
    import zlib  # here, because a search unpacks nothing

    stream = zlib.decompressobj()
    plain = stream.decompress(packed, LONGEST_BLOB)
    if stream.unconsumed_tail or (len(plain) >= LONGEST_BLOB and not stream.eof):
        raise zlib.error("it would be larger than anything that is stored")
    if not stream.eof:
        raise zlib.error("incomplete or truncated stream")
    return plain


def resolve_id(db: Database, statement: str, text: str, what: str) -> str:
    """Return the full id that a unique prefix stands for.

    Raises NotFound, which names the candidates of an ambiguous prefix.
    """
    prefix = text.strip().upper()
    found = (
        [row["id"] for row in db.all(statement, prefix=prefix, upper=prefix + "\uffff")]
        if _may_be_id(prefix)
        else []
    )
    if len(found) == 1 or (len(prefix) == _ID_LENGTH and prefix in found):
        return prefix if prefix in found else str(found[0])
    if not found:
        from memctl.store import which_id  # hardly an id is wrong

        raise NotFound(f"no {what} begins with {text!r}", hint=which_id.describe_id(db, text, what))
    shown = ", ".join(found[:8]) + (" ..." if len(found) > 8 else "")
    raise NotFound(f"{text!r} fits more than one {what}: {shown}")


def _may_be_id(text: str) -> bool:
    return text.isascii() and text.isalnum()


def compute_changes(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the old and the new values of the keys in which two mappings differ."""
    keys = [key for key in after if before.get(key) != after[key]]
    return {key: before.get(key) for key in keys}, {key: after[key] for key in keys}
