"""Memories written by hand in a YAML, JSON or JSONL file (`memctl ingest --file`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from memctl.cli import yaml_io
from memctl.cli.declarations import MalformedValue
from memctl.cli.input_files import decode_text, read_file
from memctl.cli.options import parse_entity
from memctl.core.errors import UsageError
from memctl.core.frozen import fields
from memctl.core.model import EntityRef, NewMemory
from memctl.core.typing_lite import Any

# Keys that a file spells differently from the fields of NewMemory.
_RENAMED_KEYS = {"agent": "agent_id", "session": "session_id"}
_FIELDS = {field.name for field in fields(NewMemory)}
ITEM_KEYS = tuple(sorted(_FIELDS - set(_RENAMED_KEYS.values()) | set(_RENAMED_KEYS)))
_BOOLEAN_KEYS = ("always_load", "protected")


def read_memories(file: Path, defaults: Mapping[str, Any]) -> list[NewMemory]:
    """Return the memories in a file; `defaults` fill what an item leaves open.

    Raises UsageError that names the line or the item.
    """
    raw = read_file(file)
    text = decode_text(raw, str(file)).replace("\r\n", "\n").replace("\r", "\n")
    return [
        _build_memory(f"{file}: {where}", item, defaults) for where, item in _list_items(file, text)
    ]


def _list_items(file: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield each item, and before it where it stands in the file."""
    if file.suffix in (".jsonl", ".ndjson"):
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield f"line {number}", _parse_json(f"{file}: line {number}", line)
        return
    lines: list[int] = []
    if file.suffix == ".json":
        value = _parse_json(str(file), text)
    else:
        value, lines = _parse_yaml(file, text)
    if isinstance(value, dict):
        if set(value) - {"items"}:
            raise UsageError(f"{file}: an object with `items`, or a list of objects, is wanted")
        value = value["items"]
    if not isinstance(value, list) or not value:
        raise UsageError(f"{file}: holds no list of items")
    for number, item in enumerate(value, 1):
        yield f"line {lines[number - 1]} (item {number})" if lines else f"item {number}", item


def _build_memory(where: str, item: Any, defaults: Mapping[str, Any]) -> NewMemory:
    if not isinstance(item, dict):
        raise UsageError(f"{where}: is not an object with keys")
    unknown = sorted(str(key) for key in item if key not in ITEM_KEYS)
    if unknown:
        raise UsageError(
            f"{where}: no such key: {', '.join(unknown)}", hint=f"known are {', '.join(ITEM_KEYS)}"
        )
    values = dict(defaults)
    for key, value in item.items():
        if value is not None:
            values[_RENAMED_KEYS.get(str(key), str(key))] = _convert_value(where, key, value)
    if not values.get("content"):
        raise UsageError(f"{where}: has no content")
    return NewMemory(**values)


def _convert_value(where: str, key: str, value: Any) -> Any:
    if key in _BOOLEAN_KEYS:
        return _demand_type(where, key, value, bool, "true or false")
    if key == "confidence":
        return float(_demand_type(where, key, value, (int, float), "a number"))
    if key == "alternatives":
        parts = _demand_type(where, key, value, list, "a list of texts")
        return tuple(_convert_text(where, key, part) for part in parts)
    if key == "entities":
        parts = _demand_type(where, key, value, list, "a list of KIND:NAME")
        return tuple(_convert_entity(where, part) for part in parts)
    return _convert_text(where, key, value)


def _convert_entity(where: str, value: Any) -> EntityRef:
    if isinstance(value, dict):
        text = f"{value.get('kind')}:{value.get('name', '')}"
    else:
        text = _convert_text(where, "entities", value)
    try:
        return parse_entity(text)
    except MalformedValue as error:
        raise UsageError(f"{where}: {error}") from error


def _convert_text(where: str, key: str, value: Any) -> str:
    # YAML reads a date as a date and `no` as false. The date is meant; the boolean is a mistake.
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{where}: {key} must be text", hint="put it in quotes")
    return str(value)


def _demand_type(
    where: str, key: str, value: Any, wanted: type | tuple[type, ...], words: str
) -> Any:
    # A boolean is an int to Python.
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise UsageError(f"{where}: {key} must be {words}")
    return value


def _parse_json(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not valid JSON: {error}") from error


def _parse_yaml(file: Path, text: str) -> tuple[Any, list[int]]:
    try:
        return yaml_io.load_yaml(text)
    except UsageError as error:
        raise UsageError(f"{file}: {error}", hint=error.hint) from error
