"""JSON schemas of arguments (draft 2020-12), and the stricter form that some model providers want.

Only what `arguments` checks is used: objects of texts, numbers, flags and lists of texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Characters. A statement that is longer is a document, which has other ways in.
MAX_CONTENT_CHARACTERS = 8_000
MAX_LINE_CHARACTERS = 1_000
# A record's id, or the beginning of one.
MAX_ID_CHARACTERS = 40
# What strict function calling does not take; `describe_default` says the default in words.
_NOT_STRICT = ("default", "minLength", "maxLength", "uniqueItems")

Schema = dict[str, Any]


def declare_object(required: Sequence[str] = (), **properties: Schema) -> Schema:
    """Declare an object of these properties, and of no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def declare_text(description: str, *, longest: int = MAX_LINE_CHARACTERS) -> Schema:
    """Declare a text that is not empty; `longest` in characters."""
    return {
        "type": "string",
        "description": description,
        "minLength": 1,
        "maxLength": longest,
    }


def declare_id(description: str) -> Schema:
    """Declare the id of a record, or its beginning."""
    return declare_text(description, longest=MAX_ID_CHARACTERS)


def declare_choice(description: str, words: Sequence[str], default: str | None = None) -> Schema:
    """Declare one of several words."""
    schema: Schema = {"type": "string", "description": description, "enum": list(words)}
    return schema if default is None else {**schema, "default": default}


def declare_whole_number(description: str, lowest: int, highest: int, default: int) -> Schema:
    """Declare a whole number within limits."""
    return {
        "type": "integer",
        "description": description,
        "minimum": lowest,
        "maximum": highest,
        "default": default,
    }


def declare_share(description: str) -> Schema:
    """Declare a number from 0 to 1."""
    return {"type": "number", "description": description, "minimum": 0, "maximum": 1}


def declare_flag(description: str, *, default: bool = False) -> Schema:
    """Declare true or false."""
    return {"type": "boolean", "description": description, "default": default}


def declare_texts(description: str, *, most: int, fewest: int = 0) -> Schema:
    """Declare a list of texts, from `fewest` to `most`."""
    return {
        "type": "array",
        "description": description,
        "items": {"type": "string", "minLength": 1, "maxLength": MAX_LINE_CHARACTERS},
        "minItems": fewest,
        "maxItems": most,
    }


def build_strict_schema(schema: Mapping[str, Any]) -> Schema:
    """Return the schema as strict function calling wants it: every property is required, and one
    that may be left out may be null; defaults are said in words.
    """
    required = schema.get("required", ())
    properties = {
        name: _make_strict(declared, may_be_null=name not in required)
        for name, declared in schema["properties"].items()
    }
    return declare_object(list(properties), **properties)


def _make_strict(declared: Mapping[str, Any], *, may_be_null: bool) -> Schema:
    strict = {name: value for name, value in declared.items() if name not in _NOT_STRICT}
    if "items" in strict:
        strict["items"] = _make_strict(strict["items"], may_be_null=False)
    if not may_be_null:
        return strict
    strict["type"] = [declared["type"], "null"]
    if "enum" in strict:
        strict["enum"] = [*strict["enum"], None]
    if "default" in declared:
        strict["description"] += f" Null means {_say(declared['default'])}."
    return strict


def _say(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
