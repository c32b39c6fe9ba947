"""What a model answered as a value that fits a JSON Schema, or nothing: text around it is passed over, what does not fit is left out.

Pure. Of JSON Schema it knows what the prompts use: type, properties, required, items, enum, maxItems, maxLength.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# How many braces may turn out to begin nothing.
_TRIES = 40
_THOUGHT = "</think>"
_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}

Schema = Mapping[str, Any]


class Misfit(Exception):
    """The value is not what the schema asks for."""


def read(text: str, schema: Schema) -> Any:
    """The first JSON object in a text that fits the schema. Raises Misfit that says what was there instead."""
    text = text.rpartition(_THOUGHT)[2]
    why = "the answer holds no JSON object"
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            break
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
            return fit(value, schema)
        except Misfit as error:
            why, start = str(error), text.find("{", end)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    raise Misfit(why)


def fit(value: Any, schema: Schema, at: str = "the answer") -> Any:
    """The value with only what the schema names. Raises Misfit; an item of a list that does not fit is left out instead."""
    kind = schema["type"]
    if not _is(value, kind):
        raise Misfit(f"{at} is not of type {kind}")
    if "enum" in schema and value not in schema["enum"]:
        raise Misfit(f"{at} is none of {', '.join(map(str, schema['enum']))}")
    if kind == "object":
        return _object(value, schema, at)
    if kind == "array":
        return _array(value, schema, at)
    if kind == "string" and len(value) > schema.get("maxLength", len(value)):
        raise Misfit(f"{at} is longer than {schema['maxLength']} characters")
    return value


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _object(value: Mapping[str, Any], schema: Schema, at: str) -> dict[str, Any]:
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        raise Misfit(f"{at} lacks {', '.join(missing)}")
    known = schema.get("properties", {})
    optional = {name for name in known if name not in schema.get("required", ())}
    # Many models write null for what they leave out.
    given = {
        name: item
        for name, item in value.items()
        if name in known and not (item is None and name in optional)
    }
    return {name: fit(item, known[name], name) for name, item in given.items()}


def _array(value: list[Any], schema: Schema, at: str) -> list[Any]:
    fitting = []
    for item in value[: schema.get("maxItems", len(value))]:
        try:
            fitting.append(fit(item, schema["items"], f"an item of {at}"))
        except Misfit:
            continue
    return fitting
