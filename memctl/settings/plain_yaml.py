"""The plain part of YAML: sections with settings, one a line, as most config files are written.

Loading the YAML library takes longer than a hook's own work. What is read here is read as the
library reads it; anything else (quotes, block lists, anchors, other words for true and false) is
left to it.
"""

from __future__ import annotations

from memctl.core.typing_lite import Any

# Words that YAML may read as something other than themselves; `true` and `false` are read here.
_OTHER_WORDS = frozenset(("yes", "no", "on", "off", "y", "n", "null", "true", "false"))
_WORD_SIGNS = str.maketrans("", "", "_-./")
# Characters. Python reads no number of many thousand digits; no setting has so many.
_MOST_DIGITS = 15
_TRUTHS = {"true": True, "false": False}
_UNREAD: Any = object()


def parse_plain_yaml(text: str) -> dict[str, Any] | None:
    """Return the sections, each a mapping or None; None if the library has to read the text."""
    if not text.isascii():
        return None
    sections: dict[str, Any] = {}
    section, indent = "", 0
    for line in text.split("\n"):
        if not line.isprintable():
            return None
        bare = line.partition(" #")[0].strip(" ")
        if not bare or line.lstrip(" ").startswith("#"):
            continue
        name, colon, said = bare.partition(":")
        depth = len(line) - len(line.lstrip(" "))
        if not colon or not _is_word(name) or "." in name or (said and said[0] != " "):
            return None
        if not depth:
            if said or name in sections:
                return None
            section, indent, sections[name] = name, 0, None
            continue
        value = _read_value(said.strip(" "))
        values = sections.get(section) or {}
        if value is _UNREAD or not section or name in values or depth != (indent or depth):
            return None
        indent, sections[section] = depth, {**values, name: value}
    return sections


def _read_value(said: str) -> Any:
    if said == "{}":
        return {}
    if not said.startswith("["):
        return _read_scalar(said)
    inside = said[1:-1].strip(" ")
    if not said.endswith("]") or len(said) < len("[]"):
        return _UNREAD
    values = [_read_scalar(part.strip(" ")) for part in inside.split(",")] if inside else []
    return _UNREAD if _UNREAD in values else values


def _read_scalar(said: str) -> Any:
    if said in _TRUTHS:
        return _TRUTHS[said]
    whole, point, part = said.partition(".")
    if whole.isdigit() and (whole == "0" or whole[0] != "0") and len(said) <= _MOST_DIGITS:
        if not point:
            return int(whole)
        if part.isdigit():
            return float(said)
    return said if _is_word(said) else _UNREAD


def _is_word(said: str) -> bool:
    """Whether this stands for itself in YAML: it begins with a letter and has no odd signs."""
    return (
        said[:1].isalpha()
        and said.translate(_WORD_SIGNS).isalnum()
        and said.lower() not in _OTHER_WORDS
    )
