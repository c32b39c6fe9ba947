"""The arguments of a call, checked against the tool's schema.

An error names the argument, what it should be and what it was, so that a model can mend its call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from memctl.core.errors import UsageError

# Characters of a wrong value that an error repeats.
_SHOWN_CHARACTERS = 40
# Characters of arguments that are read at all; every declared text together is shorter.
_MAX_CHARACTERS = 200_000
_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}


def read_arguments(given: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """Read arguments that may be JSON text, as models write them. Raises UsageError."""
    if given is None:
        return {}
    if isinstance(given, str | bytes | bytearray):
        if len(given) > _MAX_CHARACTERS:
            raise UsageError(f"the arguments are longer than {_MAX_CHARACTERS:,} characters")
        if not given.strip():
            return {}
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the arguments are no JSON: {error}") from error
    if not isinstance(given, Mapping):
        raise UsageError(f"the arguments are an object, not {_show(given)}")
    return dict(given)


def check_arguments(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each property of the schema: the given one, its default, or None.

    Null is the same as not given. Raises UsageError with everything that does not fit.
    """
    problems = list(_find_problems(schema, given))
    if problems:
        hint = "call the tool again with arguments that fit its schema"
        raise UsageError("; ".join(problems), hint=hint)
    declared: Mapping[str, Mapping[str, Any]] = schema["properties"]
    return {name: _choose_value(rules, given.get(name)) for name, rules in declared.items()}


def _choose_value(rules: Mapping[str, Any], value: Any) -> Any:
    if value is None:
        return rules.get("default")
    return int(value) if rules["type"] == "integer" else value


def _find_problems(schema: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    declared: Mapping[str, Mapping[str, Any]] = schema["properties"]
    for name in given:
        if name not in declared:
            yield _describe_unknown(str(name), list(declared))
    for name, rules in declared.items():
        value = given.get(name)
        if value is not None:
            yield from _check_value(name, rules, value)
        elif name in schema.get("required", ()):
            yield f"{name} is missing: {rules['description']}"


def _describe_unknown(name: str, declared: list[str]) -> str:
    near = get_close_matches(name[:_SHOWN_CHARACTERS], declared, 1)
    known = f"did you mean {near[0]}?" if near else f"it takes {', '.join(declared) or 'nothing'}"
    return f"there is no argument {_show(name)}: {known}"


def _check_value(name: str, rules: Mapping[str, Any], value: Any) -> Iterator[str]:
    kind = rules["type"]
    if not _is_of_kind(kind, value):
        yield f"{name} is {_NAMES[kind]}, not {_show(value)}"
    elif kind == "string":
        yield from _check_text(name, rules, value)
    elif kind in ("integer", "number"):
        if not rules["minimum"] <= value <= rules["maximum"]:
            yield f"{name} is from {rules['minimum']} to {rules['maximum']}, not {_show(value)}"
    elif kind == "array":
        if not rules["minItems"] <= len(value) <= rules["maxItems"]:
            yield f"{name} has {rules['minItems']} to {rules['maxItems']} items, not {len(value)}"
        for position, item in enumerate(value[: rules["maxItems"]]):
            yield from _check_value(f"{name}[{position}]", rules["items"], item)


def _is_of_kind(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "number": (int, float),
        "array": (list, tuple),
        "boolean": bool,
    }
    return isinstance(value, kinds[kind])


def _check_text(name: str, rules: Mapping[str, Any], value: str) -> Iterator[str]:
    if "enum" in rules:
        if value not in rules["enum"]:
            yield f"{name} is one of {', '.join(rules['enum'])}, not {_show(value)}"
    elif not value.strip():
        yield f"{name} is empty"
    elif len(value) > rules["maxLength"]:
        yield f"{name} has at most {rules['maxLength']:,} characters, not {len(value):,}"
    if _has_lone_surrogate(value):
        yield f"{name} holds half of a character (a lone surrogate)"


def _has_lone_surrogate(value: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in value)


def _show(value: Any) -> str:
    """The value as JSON, cut, in ASCII."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
