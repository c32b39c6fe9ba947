"""Plain JSON data from any result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import fields, is_dataclass
from memctl.core.model import TRUST_NAMES
from memctl.core.typing_lite import Any
from memctl.results.records import RecordView
from memctl.results.retrieval import Hit


def jsonable(value: Any) -> Any:
    """Return plain JSON data of any result.

    A record is flattened into one object with the fields of its memory; a rank of trust becomes its
    name.
    """
    if isinstance(value, RecordView):
        return _flatten_record(value)
    if isinstance(value, Hit):
        hit = {
            "score": value.score,
            "parts": dict(value.parts),
            "matched_scope": value.matched_scope,
            "why": value.why,
        }
        more = {
            "relevance": value.relevance,
            "matched": list(value.matched),
            "boosted_by": value.boosted_by,
            "hub": value.hub,
            "member": value.member,
        }
        return {**_flatten_record(value.record), **hit, **more}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _convert_field(f.name, getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [jsonable(item) for item in value]
    return value


def _convert_field(name: str, value: Any) -> Any:
    return (
        TRUST_NAMES.get(value, value)
        if name == "trust" and isinstance(value, int)
        else jsonable(value)
    )


def _flatten_record(view: RecordView) -> dict[str, Any]:
    """One flat object: the record's own fields first, then what belongs to it."""
    own = {
        f.name: _convert_field(f.name, getattr(view.memory, f.name)) for f in fields(view.memory)
    }
    return {
        **own,
        **{f.name: jsonable(getattr(view, f.name)) for f in fields(view) if f.name != "memory"},
    }
