"""From what was written or proposed to a record: defaults filled in, vocabularies checked, secrets out. Pure but for ids and the time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from memctl.core import clock, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import (
    AGENT_CLAIMED,
    ENTITY_KINDS,
    OPERATOR_SAID,
    OWNER_OF,
    SCOPES,
    TOOL_RESULT,
    TYPES,
    Actor,
    Candidate,
    EntityKind,
    EntityRef,
    Evidence,
    Memory,
    NewMemory,
    Place,
    Scope,
    Source,
    Span,
    Turn,
    Type,
)
from memctl.records.statement import fingerprint_of
from memctl.redact.store_key import redact
from memctl.text.normalize import normalise
from memctl.text.private_blocks import without_private

LONGEST_CONTENT = 65536
TITLE_LENGTH, SUMMARY_LENGTH = 80, 200
_LONGEST = {
    "content": LONGEST_CONTENT,
    "rationale": LONGEST_CONTENT,
    "summary": 4000,
    "title": 400,
    "subject": 400,
    "source_ref": 4000,
}
# Working memory always ends.
_SESSION_SECONDS = 7 * 86400
DEFAULT_KIND = {
    "profile": "preference",
    "project": "fact",
    "decision": "decision",
    "artifact": "pointer",
    "episode": "summary",
    "task_hint": "fix",
}
_KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")
_ROLE_TRUST = {"human": OPERATOR_SAID, "tool": TOOL_RESULT}
_DECAYING = {"episode", "task_hint"}


def from_new(item: NewMemory, place: Place, actor: Actor) -> Memory:
    """A record from a manual write, its status still `active`. Raises UsageError that says which word does not fit."""
    content = clean(item.content)
    if not content:
        raise UsageError("a memory needs content")
    kind_of = cast(Type, one_of(item.type, TYPES, "type"))
    now = clock.now()
    scope, place = _scope(item, kind_of, place)
    until = moment(item.valid_until, "valid_until") or (
        timestamps.add_seconds(now, seconds=_SESSION_SECONDS) if scope == "session" else None
    )
    draft = Memory(
        id=clock.new_id(),
        type=kind_of,
        kind=checked_kind(item.kind or DEFAULT_KIND[kind_of]),
        scope=scope,
        status="active",
        title=one_line(item.title or "") or shortened(content, TITLE_LENGTH),
        content=content,
        summary=clean(item.summary or "") or shortened(content, SUMMARY_LENGTH),
        owner=OWNER_OF[kind_of],
        source_kind="manual",
        confidence=fraction(item.confidence, 0.9 if actor.is_operator else 0.6),
        trust=actor.trust,
        observed_at=moment(item.observed_at, "observed_at") or now,
        fingerprint="",
        created_at=now,
        updated_at=now,
        project_id=place.project_id,
        repo_id=place.repo_id,
        agent_id=place.agent_id,
        session_id=place.session_id,
        subject=subject_key(item.subject),
        rationale=clean(item.rationale or "") or None,
        alternatives=tuple(filter(None, map(clean, item.alternatives))),
        protected=item.protected,
        always_load=item.always_load,
        valid_from=moment(item.valid_from, "valid_from"),
        valid_until=until,
        source_ref=clean(item.source_ref or "") or f"manual:{actor.name}",
        decay_rate=1.0 if kind_of in _DECAYING else 0.0,
    )
    return fingerprinted(fitting(draft))


def from_candidate(
    candidate: Candidate, source: Source, turns: tuple[Turn, ...], operators: Iterable[str] = ()
) -> tuple[Memory, list[Evidence]]:
    """A record in the inbox from what an extractor proposes, with its evidence; `operators` are the operator's names, if known."""
    now = clock.now()
    scope: Scope = (
        candidate.scope
        if source.project_id or candidate.scope not in ("project", "repo")
        else "global"
    )
    in_project = scope in ("project", "repo")
    observed = candidate.observed_at or source.ended_at or source.observed_at
    memory = Memory(
        id=clock.new_id(),
        type=candidate.type,
        kind=candidate.kind,
        scope=scope,
        status="inbox",
        title=clean(candidate.title),
        content=clean(candidate.content),
        summary=clean(candidate.summary),
        owner=OWNER_OF[candidate.type],
        source_kind=source.kind,
        confidence=candidate.confidence,
        trust=candidate.trust,
        observed_at=observed,
        fingerprint="",
        created_at=now,
        updated_at=now,
        project_id=source.project_id if in_project else None,
        repo_id=source.repo_id if scope == "repo" else None,
        agent_id=source.agent if scope == "agent" else None,
        session_id=source.session_id if scope == "session" else None,
        subject=subject_key(candidate.subject),
        rationale=clean(candidate.rationale or "") or None,
        alternatives=tuple(filter(None, map(clean, candidate.alternatives))),
        source_ref=source.id,
        decay_rate=1.0 if candidate.type in _DECAYING else 0.0,
        rule=candidate.rule or None,
    )
    said = _own_trust(
        memory, [_span_evidence(memory, span, source, turns) for span in candidate.evidence]
    )
    proof = said if source.trust >= memory.trust else _of_others(said, source.trust, operators)
    trust = min(memory.trust, max((item.trust for item in proof), default=memory.trust))
    return fingerprinted(
        replace(memory, trust=trust, evidence_ref=proof[0].id if proof else None)
    ), proof


def manual_evidence(memory: Memory, actor: Actor, quote: str | None = None) -> Evidence:
    """The writer's own words as evidence."""
    role = "human" if actor.is_operator else "assistant"
    words = clean(quote) if quote else memory.content
    return Evidence(
        clock.new_id(), memory.id, words, role, actor.trust, memory.updated_at, memory.updated_at
    )


def fingerprinted(memory: Memory) -> Memory:
    """The record with the fingerprint of its content in its place."""
    return replace(memory, fingerprint=fingerprint_of(memory))


def changed_fields(memory: Memory, changes: Mapping[str, Any]) -> Memory:
    """The record with some fields set anew. Raises UsageError for a field that cannot be set or a value that does not fit."""
    readers = {
        "type": lambda v: one_of(v, TYPES, "type"),
        "kind": checked_kind,
        "title": lambda v: one_line(_needed(v)),
        "content": _needed,
        "summary": _needed,
        "subject": subject_key,
        "rationale": _optional,
        "alternatives": _texts,
        "confidence": lambda v: fraction(v, 0.0),
        "always_load": _flag,
        "protected": _flag,
        "valid_from": lambda v: moment(v, "valid_from"),
        "valid_until": lambda v: moment(v, "valid_until"),
    }
    unknown = sorted(set(changes) - set(readers))
    if unknown:
        raise UsageError(f"cannot set {', '.join(unknown)}; one of {', '.join(readers)}")
    values: dict[str, Any] = {name: readers[name](value) for name, value in changes.items()}  # type: ignore[no-untyped-call]
    if "type" in values:
        values["owner"] = OWNER_OF[values["type"]]
    if "content" in values:
        values = _headed_anew(memory, values["content"]) | values
    return fingerprinted(fitting(replace(memory, **values)))


def _headed_anew(memory: Memory, content: str) -> dict[str, str]:
    """Title and summary of new content, where those of the old were but its beginning."""
    lengths = {"title": TITLE_LENGTH, "summary": SUMMARY_LENGTH}
    made = {
        name: length
        for name, length in lengths.items()
        if getattr(memory, name) == shortened(memory.content, length)
    }
    return {name: shortened(content, length) for name, length in made.items()}


def fitting(memory: Memory) -> Memory:
    """The record, if its texts are short enough and its times are in order. Raises UsageError."""
    for name, longest in _LONGEST.items():
        length = len(getattr(memory, name) or "")
        if length > longest:
            raise UsageError(
                f"{name} has {length} characters; the limit is {longest}: keep documents in files and point at them"
            )
    if sum(map(len, memory.alternatives)) > LONGEST_CONTENT:
        raise UsageError(f"alternatives are too long; the limit is {LONGEST_CONTENT} characters")
    if memory.valid_from and memory.valid_until and memory.valid_from >= memory.valid_until:
        raise UsageError("valid_from must be before valid_until")
    return memory


def entity_refs(refs: Iterable[EntityRef]) -> list[EntityRef]:
    """Entities with clean names of known kinds. Raises UsageError."""
    named = [
        EntityRef(
            cast(EntityKind, one_of(ref.kind, ENTITY_KINDS, "an entity's kind")), clean(ref.name)
        )
        for ref in refs
    ]
    return [ref for ref in named if ref.name]


def note(reason: str | None) -> str | None:
    """A reason fit to be stored; None for nothing."""
    return clean(reason or "") or None


def clean(text: str) -> str:
    """Text fit to be stored: redacted, without private blocks, NUL and lone surrogates, trimmed."""
    return redact(
        without_private(text.replace("\0", "").encode("utf-8", "replace").decode("utf-8"))
    ).strip()


def one_line(text: str) -> str:
    """Clean text on one line."""
    return " ".join(clean(text).split())


def shortened(text: str, length: int) -> str:
    """The first line, or as many of its words as fit."""
    line = " ".join(text.strip().split("\n", 1)[0].split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"


def subject_key(text: str | None) -> str | None:
    """A subject as it is compared: normalised words; None for nothing."""
    return (normalise(clean(text)) or None) if text else None


def one_of(value: Any, allowed: tuple[str, ...], what: str) -> str:
    """The value, if it is one of the closed words. Raises UsageError."""
    if value not in allowed:
        raise UsageError(f"{what} must be one of {', '.join(allowed)}, not {value!r}")
    return str(value)


def checked_kind(value: Any) -> str:
    """A kind in lower case with dashes. Raises UsageError."""
    kind = str(value).strip().lower().replace("_", "-").replace(" ", "-")
    if not _KIND.fullmatch(kind):
        raise UsageError(
            f"kind must be a word like `constraint` or `domain-reference`, not {value!r}"
        )
    return kind


def fraction(value: Any, default: float) -> float:
    """A number from 0 to 1. Raises UsageError."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"confidence must be a number from 0 to 1, not {value!r}")
    return float(value)


def moment(value: Any, what: str) -> str | None:
    """An ISO time in UTC from an ISO date or time. Raises UsageError."""
    if value is None or value == "":
        return None
    try:
        return timestamps.format_iso(timestamps.parse_iso(str(value)))
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"{what} must be a date or time like 2026-01-31 or 2026-01-31T09:00:00Z, not {value!r}"
        ) from error


def _scope(item: NewMemory, type_: Type, place: Place) -> tuple[Scope, Place]:
    """The scope asked for, or the one that fits; and the place without what that scope does not use."""
    default = "global" if type_ == "profile" or place.project_id is None else "project"
    scope = cast(Scope, one_of(item.scope or default, SCOPES, "scope"))
    needs = {
        "project": place.project_id,
        "repo": place.project_id,
        "agent": note(item.agent_id or place.agent_id),
        "session": note(item.session_id or place.session_id),
    }
    if scope in needs and not needs[scope]:
        raise UsageError(
            f"scope {scope} needs {'a project: run inside one or name it' if scope in ('project', 'repo') else f'--{scope}'}"
        )
    in_project = scope in ("project", "repo", "session", "agent")
    return scope, Place(
        place.project_id if in_project else None,
        place.repo_id if scope == "repo" else None,
        needs["agent"] if scope == "agent" else None,
        needs["session"] if scope == "session" else None,
    )


def _span_evidence(memory: Memory, span: Span, source: Source, turns: tuple[Turn, ...]) -> Evidence:
    turn = turns[span.turn]
    return Evidence(
        id=clock.new_id(),
        memory_id=memory.id,
        quote=span.quote,
        role=turn.role,
        trust=memory.trust,
        observed_at=turn.ts or source.started_at or source.observed_at,
        created_at=memory.created_at,
        source_id=source.id,
        turn=span.turn,
        span_start=span.start,
        span_end=span.end,
        speaker=turn.speaker,
    )


def _own_trust(memory: Memory, proof: list[Evidence]) -> list[Evidence]:
    """Evidence with the rank of who said it: an agent's words beside the operator's consent stay the agent's.

    Where no human turn is among them, the rule that knew better has the last word on the first.
    """
    ranked = [
        replace(item, trust=min(memory.trust, _ROLE_TRUST.get(item.role, AGENT_CLAIMED)))
        for item in proof
    ]
    if ranked and max(item.trust for item in ranked) < memory.trust:
        ranked[0] = replace(ranked[0], trust=memory.trust)
    return ranked


def _of_others(proof: list[Evidence], channel: int, operators: Iterable[str]) -> list[Evidence]:
    """Evidence from a chat or a document, where anybody may speak: only what stands under the operator's name is the operator's."""
    own = {one_line(name).casefold() for name in operators}
    return [
        item
        if item.speaker and one_line(item.speaker).casefold() in own
        else replace(item, trust=min(item.trust, channel))
        for item in proof
    ]


def _needed(value: Any) -> str:
    text = clean(str(value))
    if not text:
        raise UsageError("title, content and summary cannot be empty")
    return text


def _optional(value: Any) -> str | None:
    return clean(str(value)) or None if value is not None else None


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise UsageError("alternatives must be a list")
    return tuple(filter(None, (clean(str(part)) for part in value)))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"must be true or false, not {value!r}")
    return value
