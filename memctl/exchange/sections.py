"""The sections of an export: the durable tables by column, in an order that can be imported.

Indexes and embeddings (derived), retrieval logs and notes about the store (observability) and
hashes (recomputed) are left out. So is what this store knows of others that it follows: it belongs
to one machine and its key, and a store made from an export takes part under a name of its own.
Column kinds: `t` text, `i` integer, `r` number, `j` JSON kept as text, `turns` unpacked turns,
`raw` bytes; `?` may be null. Secrets are redacted on import (`row_redaction`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import ROLES, Turn
from memctl.core.typing_lite import Any
from memctl.store.rows import to_canonical_json

_ID = compile_later(r"[0-9A-Z]{1,64}")
_ROLES = frozenset(ROLES)
_INTEGER_LIMIT = 2**63


@dataclass(frozen=True, slots=True)
class ExportSection:
    """One table: its key, the kind of each column, and defaults for older exports."""

    name: str
    key: tuple[str, ...]
    columns: Mapping[str, str]
    defaults: Mapping[str, Any]


class BadRow(ValueError):
    """A row that does not fit its section."""


def _build_section(name: str, key: str, columns: str) -> ExportSection:
    written = [column.partition("=") for column in columns.split()]
    pairs = [(column.partition(":"), default) for column, _, default in written]
    kinds = {column: kind or "t" for (column, _, kind), _ in pairs}
    return ExportSection(
        name,
        tuple(key.split()),
        kinds,
        {column: json.loads(default) for (column, *_), default in pairs if default},
    )


SECTIONS: tuple[ExportSection, ...] = (
    _build_section("projects", "id", "id name root_path:t? adopted_into:t? created_at updated_at"),
    _build_section("aliases", "kind value", "kind value project_id created_at"),
    _build_section(
        "project_links",
        "from_project to_project",
        "from_project to_project reason:t? created_at",
    ),
    _build_section(
        "repos",
        "id",
        "id project_id name root_path:t? git_common_dir:t? remote_url:t? root_commit:t? "
        "created_at updated_at",
    ),
    _build_section(
        "sources",
        "id",
        "id kind format agent session_id parent_session_id:t? previous_id:t? path:t? "
        "title:t? cwd:t? git_branch:t? project_id:t? repo_id:t? is_chat:i size_bytes:i "
        "content_hash turn_count:i turns_hash unknown:j raw:raw trust:i started_at:t? "
        "ended_at:t? observed_at updated_at",
    ),
    _build_section(
        "source_parts",
        "source_id part",
        "source_id part:i first_turn:i turn_count:i turns:turns created_at",
    ),
    _build_section(
        "ingestion_events",
        "id",
        "id trigger actor source_id:t? requested_scope:t? state attempts:i not_before "
        "lease_owner:t? lease_until:t? processor:t? processor_version:t? outcome:j error:t? "
        "created_at updated_at",
    ),
    _build_section(
        "memories",
        "id",
        "id type kind scope status status_reason:t? project_id:t? repo_id:t? agent_id:t? "
        "session_id:t? owner source_kind title content summary subject:t? rationale:t? "
        "alternatives:j confidence:r trust:i observed_at last_accessed_at:t? access_count:i "
        "decay_rate:r protected:i always_load:i valid_from:t? valid_until:t? fingerprint "
        "source_ref:t? evidence_ref:t? rule:t?=null confirmed_at:t?=null never_load:i=0 "
        "origin:t?=null good:i=0 bad:i=0 created_at updated_at",
    ),
    _build_section(
        "evidence",
        "id",
        "id memory_id source_id:t? turn:i? span_start:i? span_end:i? quote role speaker:t? "
        "trust:i observed_at created_at withdrawn_at:t?=null",
    ),
    _build_section(
        "links",
        "id",
        "id from_id relation to_id reason:t? confidence:r actor resolved_at:t? created_at",
    ),
    _build_section("entities", "id", "id kind name merged_into:t?=null created_at"),
    _build_section(
        "entity_aliases",
        "alias entity_id",
        "alias entity_id source_ref:t? created_at",
    ),
    _build_section("memory_entities", "memory_id entity_id name", 'memory_id entity_id name:t=""'),
    _build_section(
        "stream",
        "seq",
        'seq:i memory_id verb before:j? after:j? actor cause at chain topic:t="record" '
        "item:t?=null operation:t?=null",
    ),
    _build_section(
        "tombstones",
        "fingerprint memory_id",
        "fingerprint verdict quote_hash:t? memory_id reason:t? actor created_at",
    ),
    _build_section(
        "outcomes",
        "id",
        "id memory_id retrieval_id:t? verdict reason:t? actor created_at",
    ),
    _build_section(
        "proposals",
        "id",
        "id kind about data:j reason state actor created_at decided_at:t?",
    ),
    _build_section("muted_rules", "rule", "rule reason:t? actor created_at"),
    _build_section("saved_views", "name", "name kind definition:j created_at updated_at"),
)
BY_NAME: Mapping[str, ExportSection] = {section.name: section for section in SECTIONS}


_PLAIN_TEXT = frozenset(("t", "t?"))
_NULLABLE = frozenset(("t?", "i?", "r?", "j?"))


def check_row(section: ExportSection, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the columns of one line. Raises BadRow naming what is wrong."""
    strangers = given.keys() - section.columns.keys() - {"section"}
    if strangers:
        raise BadRow(f"does not know {', '.join(sorted(map(repr, strangers)))}")
    given = {**section.defaults, **given}
    missing = [
        column for column, kind in section.columns.items() if column not in given and kind != "raw"
    ]
    if missing:
        raise BadRow(f"lacks {', '.join(missing)}")
    row: dict[str, Any] = {}
    for column, kind in section.columns.items():
        value = given.get(column)
        # Most values are plain text or null; the call for each would cost more than the check.
        if type(value) is str and kind in _PLAIN_TEXT and column not in _ID_COLUMNS:
            row[column] = value if value.isascii() else _check_text(column, value)
        elif value is None and kind in _NULLABLE:
            row[column] = None
        else:
            row[column] = _check_value(column, kind, value)
    return row


def _check_value(column: str, kind: str, value: Any) -> Any:
    if value is None and (kind.endswith("?") or kind == "raw"):
        return None
    value = _CHECKS[kind.rstrip("?")](column, value)
    if (
        (column == "id" or column.endswith("_id"))
        and column in _ID_COLUMNS
        and not _ID.fullmatch(value)
    ):
        raise BadRow(f"{column} is not an id: {value[:80]!r}")
    return value


# Columns with ids of memctl; session and agent ids are names that other programs chose.
_ID_COLUMNS = frozenset(
    (
        "id",
        "project_id",
        "repo_id",
        "source_id",
        "previous_id",
        "memory_id",
        "from_id",
        "to_id",
        "entity_id",
    )
)


def _check_text(column: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadRow(f"{column} must be text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRow(f"{column} holds a lone surrogate") from error
    return value


def _check_whole(column: str, value: Any) -> int:
    if type(value) is not int or not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise BadRow(f"{column} must be a whole number")
    return value


def _check_number(column: str, value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise BadRow(f"{column} must be a number")
    return float(value)


def _check_json(column: str, value: Any) -> str:
    """JSON text of a column that is exported as an object, a list or its exact text."""
    if isinstance(value, str):
        return _check_json_text(column, _check_text(column, value))
    if not isinstance(value, dict | list):
        raise BadRow(f"{column} must be an object, a list or JSON text")
    text = to_canonical_json(value)
    if "NaN" in text or "Infinity" in text:
        _require_finite(column, value)
    return _check_text(column, text)


def _check_json_text(column: str, text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRow(f"{column} is not JSON") from error
    return text


def _require_finite(column: str, value: Any) -> None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, float) and not math.isfinite(item):
            raise BadRow(f"{column} holds a number that is not finite")
        waiting.extend(
            item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        )


def _check_turns(column: str, value: Any) -> tuple[Turn, ...]:
    if not isinstance(value, list) or not value:
        raise BadRow(f"{column} must be a list of turns")
    return tuple(_check_turn(item) for item in value)


def _check_turn(item: Any) -> Turn:
    if (
        not isinstance(item, dict)
        or item.keys() - _TURN.keys()
        or not {"seq", "role", "kind", "text"} <= item.keys()
    ):
        raise BadRow("a turn has other fields than a turn has")
    if any(
        not isinstance(value, _TURN[name]) or (type(value) is bool and name != "ok")
        for name, value in item.items()
    ):
        raise BadRow("a turn has a field of another type")
    if item["role"] not in _ROLES:
        raise BadRow(f"a turn has an unknown role: {item['role'][:40]!r}")
    _require_finite("a turn", item.get("data", {}))
    return Turn(**{**item, "data": item.get("data", {})})


_TEXT_OR_NONE = (str, type(None))
_TURN: Mapping[str, Any] = {
    "seq": int,
    "role": str,
    "kind": str,
    "text": str,
    "ts": _TEXT_OR_NONE,
    "speaker": _TEXT_OR_NONE,
    "tool": _TEXT_OR_NONE,
    "call_id": _TEXT_OR_NONE,
    "ok": (bool, type(None)),
    "line": int,
    "data": dict,
}


def _check_raw(column: str, value: Any) -> bytes:
    import base64
    import binascii

    try:
        return base64.b64decode(_check_text(column, value), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRow(f"{column} is not base64") from error


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "t": _check_text,
    "i": _check_whole,
    "r": _check_number,
    "j": _check_json,
    "turns": _check_turns,
    "raw": _check_raw,
}
