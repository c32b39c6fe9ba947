"""Candidates out of what another tool remembered: each note is one, sorted as its importer sorted it, never more than an agent's claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from memctl.core.frozen import replace
from memctl.core.model import (
    AGENT_CLAIMED,
    ENTITY_KINDS,
    SCOPES,
    TYPES,
    Candidate,
    EntityKind,
    EntityRef,
    Scope,
    Span,
    Type,
)
from memctl.extract import build
from memctl.extract.transcript_view import View
from memctl.text.private_blocks import PRIVATE

FORMAT = "memory:"
RULE = "noted"


def propose(view: View) -> Iterator[Candidate]:
    """One candidate for each note."""
    for index, turn in enumerate(view.turns):
        data = turn.data
        if (
            turn.kind != "note"
            or data.get("type") not in TYPES
            or data.get("scope") not in SCOPES
            or turn.text.strip() in ("", PRIVATE)
        ):
            continue
        made = build.candidate(
            view,
            RULE,
            cast(Type, data["type"]),
            str(data.get("kind") or "fact"),
            _sure(data),
            AGENT_CLAIMED,
            [Span(index, 0, len(turn.text), turn.text)],
            cast(Scope, data["scope"]),
            content=_text(data, "content") or turn.text,
            title=_text(data, "title") or _text(data, "content") or turn.text,
            rationale=_text(data, "rationale") or None,
        )
        yield _about(made, data)


def _sure(data: Mapping[str, Any]) -> float:
    value = data.get("confidence")
    return float(value) if isinstance(value, int | float) else 0.5


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _about(candidate: Candidate, data: Mapping[str, Any]) -> Candidate:
    """The candidate with the thing that the note is about among what it names."""
    about = data.get("entity")
    if (
        not isinstance(about, dict)
        or about.get("kind") not in ENTITY_KINDS
        or not _text(about, "name")
    ):
        return candidate
    first = EntityRef(cast(EntityKind, about["kind"]), about["name"])
    others = tuple(ref for ref in candidate.entities if ref.name != first.name)
    return replace(candidate, entities=(first, *others)[: build.ENTITY_LIMIT])
