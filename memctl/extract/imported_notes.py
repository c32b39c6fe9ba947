"""Candidates from notes of other tools: each note is one, classified by its importer.

Trust is never above that of an agent's claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from memctl.core.typing_lite import Any, cast
from memctl.extract import build
from memctl.extract.transcript_view import TranscriptView
from memctl.text.private_blocks import PRIVATE
from memctl.text.tags import build_refs, read_tags

FORMAT = "memory:"
RULE = "noted"


def propose_imported_notes(view: TranscriptView) -> Iterator[Candidate]:
    """Propose one candidate for each note."""
    for index, turn in enumerate(view.turns):
        data = turn.data
        if (
            turn.kind != "note"
            or data.get("type") not in TYPES
            or data.get("scope") not in SCOPES
            or turn.text.strip() in ("", PRIVATE)
        ):
            continue
        made = build.build_candidate(
            view,
            RULE,
            cast(Type, data["type"]),
            str(data.get("kind") or "fact"),
            _read_confidence(data),
            AGENT_CLAIMED,
            [Span(index, 0, len(turn.text), turn.text)],
            cast(Scope, data["scope"]),
            content=_read_text(data, "content") or turn.text,
            title=_read_text(data, "title") or _read_text(data, "content") or turn.text,
            rationale=_read_text(data, "rationale") or None,
        )
        yield _add_tags(_add_subject(made, data), data)


def _read_confidence(data: Mapping[str, Any]) -> float:
    value = data.get("confidence")
    return float(value) if isinstance(value, int | float) else 0.5


def _read_text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _add_subject(candidate: Candidate, data: Mapping[str, Any]) -> Candidate:
    """The candidate with the note's subject among its entities."""
    about = data.get("entity")
    if (
        not isinstance(about, dict)
        or about.get("kind") not in ENTITY_KINDS
        or not _read_text(about, "name")
    ):
        return candidate
    first = EntityRef(cast(EntityKind, about["kind"]), about["name"])
    others = tuple(ref for ref in candidate.entities if ref.name != first.name)
    return replace(candidate, entities=(first, *others)[: build.ENTITY_LIMIT])


def _add_tags(candidate: Candidate, data: Mapping[str, Any]) -> Candidate:
    """The candidate with the tags of its note."""
    refs = build_refs(read_tags(data.get("tags")))
    return replace(candidate, entities=(*candidate.entities, *refs)) if refs else candidate
