"""A line of the retrieval log read as the query it was. Pure.

Kept true: whatever a line holds, reading it never fails; what it does not say, or says in a way
that is not understood, is noted.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.core.model import REDACTED, Place, Query
from memctl.core.typing_lite import Any
from memctl.retrieve.layout import FORMATS
from memctl.retrieve.phases import PHASES
from memctl.store.rows import to_canonical_json

# Results of a search that does not say how many it wanted.
_DEFAULT_LIMIT = 10
# A larger number in a log line is not believed.
_LARGEST = 1_000_000_000
_SWITCHES = ("fresh", "repeat", "prompt_only", "session_start")
_SECRET = (
    "It was asked for with a secret that the log does not keep; "
    "what is asked again is not the same."
)
_EARLIER = (
    "The log line is of an earlier version: "
    "its thresholds, its half-life and its model are not known."
)
_NOT_KNOWN = "This version does not know what it was asked for with: {}."
_NO_MOMENT = (
    "The log line does not say at which moment it was asked; "
    "that is computed from when it was written."
)


@dataclass(frozen=True, slots=True)
class LoggedRetrieval:
    """A past retrieval: what was asked and when, what it depended on (`run`), its candidates by id,
    and its answer.

    For a context `chosen` is what was asked for beside the task; `sections` and `texts` are those
    of each line, as far as they are known.
    """

    id: str
    command: str
    query: Query
    now: str
    run: Mapping[str, Any]
    chosen: Mapping[str, Any]
    candidates: Mapping[str, Mapping[str, Any]]
    returned: tuple[str, ...]
    flags: tuple[str, ...]
    sections: tuple[str, ...]
    texts: tuple[str, ...]
    notes: tuple[str, ...]


def parse_log_line(log: Mapping[str, Any]) -> LoggedRetrieval:
    """The retrieval that a log line tells of."""
    filters = _to_mapping(log["filters"])
    run = _to_mapping(filters.get("run"))
    now = _to_moment(run.get("now"))
    notes = [_SECRET] if REDACTED in log["query"] or REDACTED in to_canonical_json(filters) else []
    notes += [] if run else [_EARLIER]
    notes += [] if now or not run else [_NO_MOMENT]
    chosen = _parse_context_options(filters)
    strange = [
        name
        for name in ("level", "phase", "format", "since")
        if filters.get(name) is not None and name not in chosen
    ]
    notes += (
        [_NOT_KNOWN.format(", ".join(f"{name} {filters[name]}" for name in strange))]
        if strange
        else []
    )
    returned = _to_texts(log["returned"])
    return LoggedRetrieval(
        log["id"],
        log["command"],
        _parse_query(log, filters),
        now or _compute_moment(log),
        run,
        chosen,
        _parse_candidates(log["candidates"]),
        returned,
        _to_texts(log["flags"]),
        expand_sections(run.get("sections"), len(returned)),
        _to_texts(run.get("texts")),
        tuple(notes),
    )


def _parse_query(log: Mapping[str, Any], filters: Mapping[str, Any]) -> Query:
    place = _to_mapping(filters.get("place"))
    sure = filters.get("min_confidence")
    return Query(
        log["query"],
        Place(
            *(
                _to_text(place.get(name))
                for name in ("project_id", "repo_id", "agent_id", "session_id")
            )
        ),
        types=_to_texts(filters.get("types")),
        kinds=_to_texts(filters.get("kinds")),
        scopes=_to_texts(filters.get("scopes")),
        tags=_to_texts(filters.get("tags")),
        include=_to_texts(filters.get("include")),
        since=_to_moment(filters.get("since")),
        until=_to_moment(filters.get("until")),
        repo_id=_to_text(filters.get("repo_id")),
        as_of=_to_moment(filters.get("as_of")),
        min_confidence=float(sure) if isinstance(sure, int | float) else None,
        limit=int(filters["limit"]) if _is_number(filters.get("limit")) else _DEFAULT_LIMIT,
        all_projects=filters.get("all_projects") is True,
    )


def _parse_context_options(filters: Mapping[str, Any]) -> dict[str, Any]:
    """What a context was asked for beside its task, as far as it can be asked for."""
    words = {"level": (0, 1, 2), "phase": tuple(PHASES), "format": FORMATS}
    found: dict[str, Any] = {
        name: filters[name] for name, known in words.items() if filters.get(name) in known
    }
    if _is_number(filters.get("budget")):
        found["budget"] = filters["budget"]
    found |= {name: filters[name] for name in ("since", "as_of") if _to_moment(filters.get(name))}
    has_session = _to_text(_to_mapping(filters.get("place")).get("session_id"))
    return found | {
        name: True
        for name in _SWITCHES
        if filters.get(name) is True and (has_session or name != "fresh")
    }


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _compute_moment(log: Mapping[str, Any]) -> str:
    """The moment of asking, by when the line was written and how long the answer took."""
    took, at = log["duration_ms"], _to_moment(log["at"])
    return (
        timestamps.add_seconds(at, seconds=-float(took) / 1000)
        if at and isinstance(took, int | float)
        else log["at"]
    )


def _parse_candidates(value: Any) -> dict[str, Mapping[str, Any]]:
    listed = value if isinstance(value, list) else []
    whole = (item for item in listed if isinstance(item, dict) and isinstance(item.get("id"), str))
    return {item["id"]: {**item, "parts": _to_numbers(item.get("parts"))} for item in whole}


def expand_sections(value: Any, lines: int) -> tuple[str, ...]:
    """The section of each line, from how many lines each section has; nothing if they do not add
    up.
    """
    pairs = value if isinstance(value, list) else []
    counted = [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and type(pair[1]) is int
    ]
    if sum(many for _, many in counted) != lines or any(many < 0 for _, many in counted):
        return ()
    return tuple(str(name) for name, many in counted for _ in range(many))


def _to_numbers(value: Any) -> dict[str, float]:
    return {
        str(name): float(number)
        for name, number in _to_mapping(value).items()
        if isinstance(number, int | float)
    }


def _to_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _to_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _to_texts(value: Any) -> tuple[str, ...]:
    return (
        tuple(item for item in value if isinstance(item, str))
        if isinstance(value, list | tuple)
        else ()
    )


def _to_moment(value: Any) -> str | None:
    """A time, if the value is one."""
    try:
        timestamps.parse_iso(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return str(value)
