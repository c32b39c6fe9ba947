"""Read a model's answer as a value that fits a JSON Schema. Pure.

Text around the JSON is ignored, and what does not fit the schema is left out. It knows the part of
JSON Schema that the prompts use: type, properties, required, items, enum, maxItems, maxLength.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from memctl.core.typing_lite import Any

# How many braces may turn out to begin nothing.
_MAX_TRIES = 40
_THOUGHT_END = "</think>"
_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}

Schema = Mapping[str, Any]


class SchemaMismatch(Exception):
    """A value does not fit its schema."""


def parse_answer(text: str, schema: Schema) -> Any:
    """Return the first JSON object in a text that fits the schema.

    Raises SchemaMismatch, which says what was there instead.
    """
    text = text.rpartition(_THOUGHT_END)[2]
    why = "the answer holds no JSON object"
    start = text.find("{")
    for _ in range(_MAX_TRIES):
        if start < 0:
            break
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
            return fit_to_schema(value, schema)
        except SchemaMismatch as error:
            why, start = str(error), text.find("{", end)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    raise SchemaMismatch(why)


def fit_to_schema(value: Any, schema: Schema, at: str = "the answer") -> Any:
    """Return the value with only what the schema names.

    Raises SchemaMismatch; an item of a list that does not fit is left out instead.
    """
    kind = schema["type"]
    if not _has_kind(value, kind):
        raise SchemaMismatch(f"{at} is not of type {kind}")
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaMismatch(f"{at} is none of {', '.join(map(str, schema['enum']))}")
    if kind == "object":
        return _fit_object(value, schema, at)
    if kind == "array":
        return _fit_array(value, schema, at)
    if kind == "string" and len(value) > schema.get("maxLength", len(value)):
        raise SchemaMismatch(f"{at} is longer than {schema['maxLength']} characters")
    return value


def _has_kind(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _fit_object(value: Mapping[str, Any], schema: Schema, at: str) -> dict[str, Any]:
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        raise SchemaMismatch(f"{at} lacks {', '.join(missing)}")
    known = schema.get("properties", {})
    optional = {name for name in known if name not in schema.get("required", ())}
    # Many models write null for what they leave out.
    given = {
        name: item
        for name, item in value.items()
        if name in known and not (item is None and name in optional)
    }
    return {name: fit_to_schema(item, known[name], name) for name, item in given.items()}


def _fit_array(value: list[Any], schema: Schema, at: str) -> list[Any]:
    fitting = []
    for item in value[: schema.get("maxItems", len(value))]:
        try:
            fitting.append(fit_to_schema(item, schema["items"], f"an item of {at}"))
        except SchemaMismatch:
            continue
    return fitting
