"""What holds where several machines changed the same thing at once, field by field. Pure.

A person's change goes before an automatic one. Then each field has its law; where none decides,
the later change does, by the order that is the same on all machines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memctl.core.frozen import dataclass
from memctl.core.model import TAG_MARK

STATEMENT = "statement"
# Fields that are changed as one: parts of two of them would say what nobody said.
GROUPS: Mapping[str, tuple[str, ...]] = {
    STATEMENT: (
        *("type", "kind", "title", "content", "summary", "subject", "rationale", "alternatives"),
    ),
    "status": ("status", "status_reason"),
    "place": (*("scope", "project_id", "repo_id", "repo", "agent_id", "session_id", "owner"),),
}
_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}
# The stronger of two statuses that a record got at once.
_STATUSES = ("inbox", "active", "contradicted", "superseded", "archived")
# The stronger of two verdicts.
_VERDICTS = ("forgotten", "rejected", "purged")

# What a row or a group of fields is nothing without.
_NEEDED = {
    "link": ("from_id", "relation", "to_id", "confidence", "actor", "created_at"),
    "evidence": ("id", "memory_id", "quote", "role", "trust", "observed_at", "created_at"),
    "tombstone": ("fingerprint", "verdict", "actor", "created_at"),
    "outcome": ("id", "memory_id", "verdict", "actor", "created_at"),
    "project": ("name",),
    "entity": ("merged_into",),
    "alias": ("created_at",),
    "record status": ("status",),
}

_Values = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that a change gave a cell, and what decides where no law does."""

    rank: tuple[bool, int, str]
    value: _Values


def find_group(name: str) -> str:
    """The group that a field of a record is settled with; most are settled alone."""
    return _GROUP_OF.get(name, name)


def is_whole(cell: tuple[str, str], value: _Values) -> bool:
    """Whether a value says all that it must: one does not if what it built on was scrubbed, and
    nobody has said it anew yet.
    """
    needed = _NEEDED.get(cell[0] if cell[0] != "record" else f"record {cell[1]}")
    return value is None or needed is None or all(name in value for name in needed)


def settle_claims(cell: tuple[str, str], claims: Sequence[Claim]) -> _Values:
    """The value of a cell that several changes gave one at once."""
    topic, item = cell
    claims = [claim for claim in claims if is_whole(cell, claim.value)]
    if not claims:
        return None
    if topic == "mention" and item.split("|")[-1].startswith(TAG_MARK):
        return _keep_any(claims)
    if topic in _ROW_LAWS:
        return _ROW_LAWS[topic](claims)
    by_people = [claim for claim in claims if claim.rank[0]] or claims
    law = _FIELD_LAWS.get(item) if topic == "record" else None
    settled = law(item, by_people) if law else _take_later(by_people)
    if item in GROUPS and settled is not None:
        # One of which an earlier part was scrubbed lacks what it had not changed itself.
        for claim in sorted(claims, key=lambda each: each.rank, reverse=True):
            settled = {**(claim.value or {}), **settled}
    return settled


def _take_later(claims: Sequence[Claim]) -> _Values:
    return max(claims, key=lambda claim: claim.rank).value


def _settle_status(_name: str, claims: Sequence[Claim]) -> _Values:
    """Who took it out of use has it their way."""
    return max(
        claims,
        key=lambda claim: (_STATUSES.index((claim.value or {})["status"]), claim.rank),
    ).value


def _take_true(name: str, claims: Sequence[Claim]) -> _Values:
    return {name: any((claim.value or {})[name] for claim in claims)}


def _take_lowest(name: str, claims: Sequence[Claim]) -> _Values:
    return {name: min((claim.value or {})[name] for claim in claims)}


def _take_earliest(name: str, claims: Sequence[Claim]) -> _Values:
    """The earliest time; none is the latest."""
    return {name: min(_list_times(name, claims), default=None)}


def _take_latest(name: str, claims: Sequence[Claim]) -> _Values:
    """The latest time; none is the earliest."""
    return {name: max(_list_times(name, claims), default=None)}


def _list_times(name: str, claims: Sequence[Claim]) -> list[str]:
    values = [(claim.value or {}).get(name) for claim in claims]
    return [value for value in values if value is not None]


_FIELD_LAWS: Mapping[str, Callable[[str, Sequence[Claim]], _Values]] = {
    "status": _settle_status,
    "protected": _take_true,
    "always_load": _take_true,
    "never_load": _take_true,
    "trust": _take_lowest,
    "confirmed_at": _take_latest,
    "updated_at": _take_latest,
    "created_at": _take_earliest,
    "valid_until": _take_earliest,
}


def _keep_any(claims: Sequence[Claim]) -> _Values:
    """What one gave, the other had not seen when it took it away."""
    return _take_later([claim for claim in claims if claim.value is not None] or claims)


def _end_or(settle: Callable[[Sequence[Claim]], _Values]) -> Callable[[Sequence[Claim]], _Values]:
    """An end wins; else as `settle` says."""

    def settle_unless_ended(claims: Sequence[Claim]) -> _Values:
        return None if any(claim.value is None for claim in claims) else settle(claims)

    return settle_unless_ended


def _settle_marked(mark: str) -> Callable[[Sequence[Claim]], _Values]:
    """Who set a mark has it their way; the earliest time of it counts."""

    def settle(claims: Sequence[Claim]) -> _Values:
        marked = [claim for claim in claims if (claim.value or {}).get(mark) is not None]
        if not marked:
            return _take_later(claims)
        return {**(_take_later(marked) or {}), mark: min(_list_times(mark, marked))}

    return settle


def _settle_verdicts(claims: Sequence[Claim]) -> _Values:
    """A verdict holds that was given while another one was lifted; the stronger of two."""
    given = [claim for claim in claims if claim.value is not None]
    if not given:
        return None
    return max(
        given, key=lambda claim: (_VERDICTS.index((claim.value or {})["verdict"]), claim.rank)
    ).value


def _settle_projects(claims: Sequence[Claim]) -> _Values:
    """All that a project is known by; the later of two names."""
    known = {tuple(pair) for claim in claims for pair in (claim.value or {}).get("aliases", ())}
    return {**(_take_later(claims) or {}), "aliases": sorted(map(list, known))}


_ROW_LAWS: Mapping[str, Callable[[Sequence[Claim]], _Values]] = {
    "link": _end_or(_settle_marked("resolved_at")),
    "evidence": _end_or(_settle_marked("withdrawn_at")),
    "mention": _end_or(_take_later),
    "outcome": _end_or(_take_later),
    "tombstone": _settle_verdicts,
    "project": _end_or(_settle_projects),
}
