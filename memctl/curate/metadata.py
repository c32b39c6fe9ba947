"""What a program says of a memory beside its words: the fields of its metadata, read.

`manage` takes such a mapping; each key and value is checked before anything is written. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memctl.core.errors import UsageError
from memctl.core.model import ENTITY_KINDS, EntityKind, EntityRef, NewMemory
from memctl.core.typing_lite import Any

# What an entity is taken for that has only a name.
_USUAL_ENTITY: EntityKind = "concept"
# Fields that hold a text, under their own name.
_TEXTS = (
    "type",
    "kind",
    "title",
    "summary",
    "subject",
    "rationale",
    "valid_from",
    "valid_until",
    "observed_at",
    "quote",
)
# Fields that a record keeps for good: a write may name them, an update may not.
_AT_WRITING_ONLY = frozenset(("observed_at", "quote", "source"))
# What says why something is changed, and is no field of a record.
REASON = "reason"
KEYS = (
    *_TEXTS,
    "alternatives",
    "always_load",
    "confidence",
    "entities",
    "protected",
    REASON,
    "source",
    "tags",
)


def read_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Read metadata into values of the right kinds; what is None is left out.

    Raises UsageError for an unknown key or a value that does not fit.
    """
    if metadata is not None and not isinstance(metadata, Mapping):
        raise UsageError(f"metadata is a mapping of names to values, not {metadata!r:.60}")
    given = {key: value for key, value in (metadata or {}).items() if value is not None}
    unknown = sorted(str(key) for key in given if key not in KEYS)
    if unknown:
        raise UsageError(
            f"metadata has no {', '.join(unknown)}", hint=f"it may have {', '.join(KEYS)}"
        )
    return {key: _READERS[key](key, value) for key, value in given.items()}


def build_new_memory(content: str, values: Mapping[str, Any], **where: Any) -> NewMemory:
    """Build the record to write from what `read_metadata` returned; `where` are its other fields.

    A decision is what has that kind; everything else is about a project unless it has a type.
    """
    named = {key: value for key, value in values.items() if key != REASON}
    if "source" in named:
        named["source_ref"] = named.pop("source")
    usual = "decision" if values.get("kind") == "decision" else "project"
    kind_of = named.pop("type", usual)
    return NewMemory(type=kind_of, content=content, **named, **where)


def choose_changes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that an update changes. Raises UsageError for those that nothing can."""
    fixed = sorted(_AT_WRITING_ONLY & set(values))
    if fixed:
        raise UsageError(f"an update cannot change {', '.join(fixed)}: that stays as it was said")
    return {key: value for key, value in values.items() if key != REASON}


def read_entities(value: Any) -> tuple[EntityRef, ...]:
    """Read what a record mentions: names, `KIND:NAME`, pairs, mappings or `EntityRef`s."""
    if isinstance(value, str | Mapping | EntityRef):
        value = [value]
    if not isinstance(value, Iterable):
        raise UsageError(f"entities is a list, not {value!r:.60}")
    return tuple(_read_entity(each) for each in value)


def _read_entity(value: Any) -> EntityRef:
    if isinstance(value, EntityRef):
        return value
    if isinstance(value, str):
        kind, colon, name = value.partition(":")
        known = kind.strip().lower() if colon else ""
        pair = (known, name) if known in ENTITY_KINDS else (_USUAL_ENTITY, value)
    elif isinstance(value, Mapping) and set(value) <= {"kind", "name"} and "name" in value:
        pair = (value.get("kind") or _USUAL_ENTITY, value["name"])
    elif isinstance(value, Sequence) and len(value) == len(("kind", "name")):
        pair = (value[0], value[1])
    else:
        raise UsageError(f"{value!r:.60} is no entity", hint='it is a name or "KIND:NAME"')
    if pair[0] not in ENTITY_KINDS or not isinstance(pair[1], str) or not pair[1].strip():
        raise UsageError(f"{value!r:.60} is no entity", hint=f"a kind is {', '.join(ENTITY_KINDS)}")
    return EntityRef(pair[0], pair[1].strip())


def read_texts(name: str, value: Any) -> tuple[str, ...]:
    """Read a list of texts; one text is a list of one. Raises UsageError."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple | set | frozenset) or not all(
        isinstance(each, str) for each in listed
    ):
        raise UsageError(f"{name} is a list of texts, not {value!r:.60}")
    return tuple(sorted(listed) if isinstance(listed, set | frozenset) else listed)


def _read_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} is a text, not {value!r:.60}")
    return value


def _read_flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{name} is true or false, not {value!r:.60}")
    return value


def _read_confidence(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"{name} is a number from 0 to 1, not {value!r:.60}")
    return float(value)


_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys((*_TEXTS, REASON, "source"), _read_text),
    "alternatives": read_texts,
    "always_load": _read_flag,
    "confidence": _read_confidence,
    "entities": lambda _, value: read_entities(value),
    "protected": _read_flag,
    "tags": read_texts,
}
