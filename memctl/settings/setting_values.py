"""Checking a setting's value, from the file or from a variable: its type, its range, its words.

A value that does not fit raises ConfigError, which names the place, the setting, what would be
right, and what was found.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.errors import ConfigError
from memctl.core.typing_lite import Any
from memctl.settings.definitions import Setting

_TRUE_WORDS = {"1", "true", "yes", "on"}
_FALSE_WORDS = {"0", "false", "no", "off"}
# Characters of a wrong value that an error shows.
_MAX_SHOWN = 60
_SECTION_OF_COUNTS = "limits.max_active"
_RULES = "promotion.rules"


def check_value(place: str, setting: Setting, value: Any) -> Any:
    """Return the value of a setting as it counts. Raises ConfigError."""
    wanted = type(setting.default)
    if wanted is float and type(value) is int:
        value = _to_float(value)
    if type(value) is not wanted:
        raise ConfigError(
            f"{place}: {setting.key} must be {describe_range(setting)}, not {_shorten(value)}"
        )
    if wanted is dict:
        return _check_section(place, setting, value)
    if wanted is list:
        return _check_list(place, setting, value)
    if wanted in (int, float):
        _check_number(place, setting, setting.key, value)
    elif setting.choices and value not in setting.choices:
        raise ConfigError(
            f"{place}: {setting.key} must be {describe_range(setting)}, not {_shorten(value)}"
        )
    return value


def parse_variable(setting: Setting, variable: str, text: str) -> Any:
    """Return the value that a variable's text stands for. Raises ConfigError."""
    wanted = type(setting.default)
    if wanted is str:
        value: Any = text
    elif wanted is bool:
        word = text.strip().lower()
        value = True if word in _TRUE_WORDS else False if word in _FALSE_WORDS else text
    elif wanted in (int, float):
        try:
            value = wanted(text)
        except ValueError:
            value = text
    else:
        value = _parse_flow(variable, text)
    return check_value(variable, setting, value)


def describe_range(setting: Setting) -> str:
    """Return what a setting takes, in words: `a whole number from 1 to 1000`."""
    wanted = type(setting.default)
    words = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a section",
    }[wanted]
    if wanted in (int, float):
        return f"{words} from {setting.low:g} to {setting.high:.12g}"
    if setting.choices:
        listed = ", ".join(setting.choices)
        return f"one of {listed}" if wanted is str else f"{words} of {listed}"
    return words


def _to_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _check_number(place: str, setting: Setting, name: str, value: Any) -> None:
    """Refuse a number out of range; `not <=` so that NaN is out of any."""
    if not setting.low <= value <= setting.high:
        kind = "a whole number" if type(setting.default) is int else "a number"
        raise ConfigError(
            f"{place}: {name} must be {kind} from {setting.low:g} to {setting.high:.12g}, "
            f"not {_shorten(value)}"
        )


def _check_list(place: str, setting: Setting, items: list[Any]) -> list[Any]:
    if setting.key == _RULES:
        from memctl.settings import policy

        try:
            return list(policy.read_promotion_rules(items))
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from error
    for item in items:
        if not isinstance(item, str) or (setting.choices and item not in setting.choices):
            allowed = setting.choices or ("texts",)
            raise ConfigError(
                f"{place}: {setting.key} must be a list of {', '.join(allowed)}, "
                f"not with {_shorten(item)}"
            )
    return items


def _check_section(place: str, setting: Setting, value: Mapping[Any, Any]) -> dict[str, Any]:
    is_numbers = all(isinstance(item, int | float) for item in setting.default.values())
    return (
        _check_numbers(place, setting, value) if is_numbers else _check_lists(place, setting, value)
    )


def _check_numbers(place: str, setting: Setting, given: Mapping[Any, Any]) -> dict[str, Any]:
    """Check a setting with numbers by name; names left out keep their defaults."""
    known: Mapping[str, Any] = setting.default
    for name, item in given.items():
        if known and name not in known:
            raise ConfigError(
                f"{place}: {setting.key} has {', '.join(known)}, not {_shorten(name)}"
            )
        if setting.key == _SECTION_OF_COUNTS:
            _check_crowd(place, setting.key, name)
        if isinstance(item, bool) or not isinstance(item, int | float):
            item = float("nan") if not isinstance(item, str) else item
        if isinstance(item, str) or not setting.low <= item <= setting.high:
            raise ConfigError(
                f"{place}: {setting.key}.{_shorten(name, bare=True)} must be a number from "
                f"{setting.low:g} to {setting.high:.12g}, not {_shorten(given[name])}"
            )
    return {**known, **{str(name): item for name, item in given.items()}}


def _check_crowd(place: str, key: str, name: Any) -> None:
    """Refuse a name that is neither a type nor a scope and a type, or all types."""
    from memctl.core.model import SCOPES, TYPES

    scope, _, type_ = str(name).rpartition("/")
    is_known = type_ in TYPES or (bool(scope) and type_ == "*")
    if not is_known or (scope and scope not in SCOPES):
        raise ConfigError(
            f"{place}: {key}: {_shorten(name)} is no type, scope/type or scope/*; "
            f"types are {', '.join(TYPES)}; scopes are {', '.join(SCOPES)}"
        )


def _check_lists(place: str, setting: Setting, given: Mapping[Any, Any]) -> dict[str, list[str]]:
    """Check a setting with lists of texts, also for an expression that cannot be bounded."""
    known: Mapping[str, Any] = setting.default
    for name, items in given.items():
        if name not in known:
            raise ConfigError(
                f"{place}: {setting.key} has {', '.join(known)}, not {_shorten(name)}"
            )
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ConfigError(
                f"{place}: {setting.key}.{name} must be a list of texts, not {_shorten(items)}"
            )
    for item in given.get("patterns", ()):
        _check_pattern(place, f"{setting.key}.patterns", item)
    return {name: given.get(name, []) for name in known}


def _check_pattern(place: str, key: str, text: str) -> None:
    from memctl.text.safe_regex import UnsafePattern, compile_bounded

    try:
        compile_bounded(text)
    except UnsafePattern as error:
        raise ConfigError(f"{place}: {key}: {_shorten(text)} cannot be used: {error}") from error


def _parse_flow(variable: str, text: str) -> Any:
    """Parse a list or a section as YAML writes it on one line; a list may go without brackets."""
    from memctl.settings.config_file import parse_yaml

    bare = text.strip()
    return parse_yaml(variable, bare if bare.startswith(("[", "{")) else f"[{bare}]")


def _shorten(value: Any, *, bare: bool = False) -> str:
    """Return a wrong value as an error shows it, however large it is."""
    import reprlib

    shown = str(value) if bare and isinstance(value, str) else _represent(reprlib, value)
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}..."


def _represent(reprlib: Any, value: Any) -> str:
    try:
        return str(reprlib.repr(value))
    except ValueError:  # a number with more digits than Python writes
        return "a number with thousands of digits"
