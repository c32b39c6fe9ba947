"""From what was written or proposed to a record: defaults filled in, vocabularies checked,
secrets out. Pure but for ids and the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core import clock, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
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
from memctl.core.typing_lite import Any, cast
from memctl.records.scopes import RequestedScope, place_candidate
from memctl.records.statement import compute_fingerprint
from memctl.redact.redactor import Redactor
from memctl.settings import policy
from memctl.store import links
from memctl.text import tags
from memctl.text.normalize import normalise
from memctl.text.private_blocks import remove_private

# Characters; the lengths here were chosen by hand.
LONGEST_CONTENT = 65536
# Characters of a title that is derived from the content.
TITLE_LENGTH = 80
# Characters of a summary that is derived from the content.
SUMMARY_LENGTH = 200
# Characters of each field, at most.
_LONGEST = {
    "content": LONGEST_CONTENT,
    "rationale": LONGEST_CONTENT,
    "summary": 4000,
    "title": 400,
    "subject": 400,
    "source_ref": 4000,
}
# Working memory always ends: after a week.
_SESSION_SECONDS = 7 * 86400
DEFAULT_KIND = {
    "profile": "preference",
    "project": "fact",
    "decision": "decision",
    "artifact": "pointer",
    "episode": "summary",
    "task_hint": "fix",
}
_KIND = compile_later(r"[a-z][a-z0-9-]{0,39}")
_ROLE_TRUST = {"human": OPERATOR_SAID, "tool": TOOL_RESULT}
_DECAYING = {"episode", "task_hint"}
# How sure the operator's statement is unless told otherwise. Chosen by hand.
_OPERATOR_CONFIDENCE = 0.9


def build_from_manual(item: NewMemory, place: Place, actor: Actor, redactor: Redactor) -> Memory:
    """Build a record from a manual write, its status still `active`. Raises UsageError that says
    which word does not fit.
    """
    content = clean_text(item.content, redactor)
    if not content:
        raise UsageError("a memory needs content")
    kind_of = cast(Type, require_one_of(item.type, TYPES, "type"))
    now = clock.now()
    scope, place = _choose_scope(item, kind_of, place, redactor)
    until = parse_time(item.valid_until, "valid_until") or (
        timestamps.add_seconds(now, seconds=_SESSION_SECONDS) if scope == "session" else None
    )
    draft = Memory(
        id=clock.new_id(),
        type=kind_of,
        kind=parse_kind(item.kind or DEFAULT_KIND[kind_of]),
        scope=scope,
        status="active",
        title=clean_line(item.title or "", redactor) or shorten(content, TITLE_LENGTH),
        content=content,
        summary=clean_text(item.summary or "", redactor) or shorten(content, SUMMARY_LENGTH),
        owner=OWNER_OF[kind_of],
        source_kind="manual",
        confidence=_choose_confidence(item.confidence, actor),
        trust=actor.trust,
        observed_at=parse_time(item.observed_at, "observed_at") or now,
        fingerprint="",
        created_at=now,
        updated_at=now,
        project_id=place.project_id,
        repo_id=place.repo_id,
        agent_id=place.agent_id,
        session_id=place.session_id,
        subject=normalise_subject(item.subject, redactor),
        rationale=clean_text(item.rationale or "", redactor) or None,
        alternatives=tuple(
            filter(None, (clean_text(text, redactor) for text in item.alternatives))
        ),
        protected=item.protected,
        always_load=item.always_load,
        valid_from=parse_time(item.valid_from, "valid_from"),
        valid_until=until,
        source_ref=clean_text(item.source_ref or "", redactor) or f"manual:{actor.name}",
        decay_rate=1.0 if kind_of in _DECAYING else 0.0,
    )
    return set_fingerprint(require_limits(draft))


def build_from_candidate(
    candidate: Candidate,
    source: Source,
    turns: tuple[Turn, ...],
    redactor: Redactor,
    operators: Iterable[str] = (),
    requested: RequestedScope | None = None,
) -> tuple[Memory, list[Evidence]]:
    """Build an inbox record with its evidence from what an extractor proposes; `operators` are
    the operator's names, if known, and `requested` the scope asked for with the capture.
    """
    now = clock.now()
    scope, place = place_candidate(candidate, source, requested)
    observed = candidate.observed_at or source.ended_at or source.observed_at
    memory = Memory(
        id=clock.new_id(),
        type=candidate.type,
        kind=candidate.kind,
        scope=scope,
        status="inbox",
        title=clean_text(candidate.title, redactor),
        content=clean_text(candidate.content, redactor),
        summary=clean_text(candidate.summary, redactor),
        owner=OWNER_OF[candidate.type],
        source_kind=source.kind,
        confidence=candidate.confidence,
        trust=candidate.trust,
        observed_at=observed,
        fingerprint="",
        created_at=now,
        updated_at=now,
        project_id=place.project_id,
        repo_id=place.repo_id,
        agent_id=place.agent_id,
        session_id=place.session_id,
        subject=normalise_subject(candidate.subject, redactor),
        rationale=clean_text(candidate.rationale or "", redactor) or None,
        alternatives=tuple(
            filter(None, (clean_text(text, redactor) for text in candidate.alternatives))
        ),
        source_ref=source.id,
        decay_rate=1.0 if candidate.type in _DECAYING else 0.0,
        rule=candidate.rule or None,
    )
    said = _rank_evidence(
        memory, [_build_evidence(memory, span, source, turns) for span in candidate.evidence]
    )
    proof = (
        said
        if source.trust >= memory.trust
        else _limit_trust_of_others(said, source.trust, operators, redactor)
    )
    trust = min(memory.trust, max((item.trust for item in proof), default=memory.trust))
    return set_fingerprint(
        replace(memory, trust=trust, evidence_ref=proof[0].id if proof else None)
    ), proof


def build_manual_evidence(
    memory: Memory, actor: Actor, redactor: Redactor, quote: str | None = None
) -> Evidence:
    """Build evidence from the writer's own words."""
    role = "human" if actor.is_operator else "assistant"
    words = clean_text(quote, redactor) if quote else memory.content
    return Evidence(
        clock.new_id(), memory.id, words, role, actor.trust, memory.updated_at, memory.updated_at
    )


def set_fingerprint(memory: Memory) -> Memory:
    """Return the record with the fingerprint of its content in its scope."""
    return replace(memory, fingerprint=compute_fingerprint(memory))


def change_fields(memory: Memory, changes: Mapping[str, Any], redactor: Redactor) -> Memory:
    """Return the record with some fields changed. Raises UsageError for a field that cannot be
    set or a value that does not fit.
    """
    readers = {
        "type": lambda v: require_one_of(v, TYPES, "type"),
        "kind": parse_kind,
        "title": lambda v: clean_line(_require_text(v, redactor), redactor),
        "content": lambda v: _require_text(v, redactor),
        "summary": lambda v: _require_text(v, redactor),
        "subject": lambda v: normalise_subject(v, redactor),
        "rationale": lambda v: _clean_optional(v, redactor),
        "alternatives": lambda v: _clean_texts(v, redactor),
        "confidence": lambda v: parse_confidence(v, 0.0),
        "always_load": _require_flag,
        "protected": _require_flag,
        "valid_from": lambda v: parse_time(v, "valid_from"),
        "valid_until": lambda v: parse_time(v, "valid_until"),
    }
    unknown = sorted(set(changes) - set(readers))
    if unknown:
        raise UsageError(f"cannot set {', '.join(unknown)}; one of {', '.join(readers)}")
    values: dict[str, Any] = {name: readers[name](value) for name, value in changes.items()}  # type: ignore[no-untyped-call]
    if "type" in values:
        values["owner"] = OWNER_OF[values["type"]]
    return set_fingerprint(require_limits(replace(memory, **values)))


def require_limits(memory: Memory) -> Memory:
    """Return the record, if its texts are short enough and its times are in order. Raises
    UsageError.
    """
    for name, longest in _LONGEST.items():
        length = len(getattr(memory, name) or "")
        if length > longest:
            raise UsageError(
                f"{name} has {length} characters; the limit is {longest}: "
                "keep documents in files and point at them"
            )
    if sum(map(len, memory.alternatives)) > LONGEST_CONTENT:
        raise UsageError(f"alternatives are too long; the limit is {LONGEST_CONTENT} characters")
    if memory.valid_from and memory.valid_until and memory.valid_from >= memory.valid_until:
        raise UsageError("valid_from must be before valid_until")
    return memory


def clean_tags(texts: Iterable[str], redactor: Redactor) -> tuple[str, ...]:
    """Return tags in their one spelling. Raises UsageError, also for one that is a secret."""
    return tags.normalise_tags(redactor.redact(text) for text in texts)


def clean_entity_refs(refs: Iterable[EntityRef], redactor: Redactor) -> list[EntityRef]:
    """Return the entities with clean names of known kinds. Raises UsageError."""
    named = [
        EntityRef(
            cast(EntityKind, require_one_of(ref.kind, ENTITY_KINDS, "an entity's kind")),
            clean_text(ref.name, redactor),
        )
        for ref in refs
    ]
    return [ref for ref in named if ref.name]


# How reasons begin that memctl writes itself, and by which it knows later what it did.
OWN_BEGINNINGS = (
    links.DISMISSED,
    links.PROPOSED,
    links.WIDENED,
    "merged: ",
    "its line was changed in ",
    "its line is no longer in ",
)


def clean_reason(reason: str | None, redactor: Redactor) -> str | None:
    """Return a reason fit to be stored; None for nothing."""
    return mark_as_said(clean_text(reason or "", redactor)) or None


def mark_as_said(reason: str) -> str:
    """Return a reason that nobody takes for one that memctl wrote and reads again."""
    return f"said: {reason}" if reason.startswith(OWN_BEGINNINGS) else reason


def clean_text(text: str, redactor: Redactor) -> str:
    """Return text fit to be stored: redacted, without private blocks, NUL and lone surrogates,
    trimmed.
    """
    if not text:
        return ""
    return redactor.redact(
        remove_private(text.replace("\0", "").encode("utf-8", "replace").decode("utf-8"))
    ).strip()


def clean_line(text: str, redactor: Redactor) -> str:
    """Return clean text on one line."""
    return " ".join(clean_text(text, redactor).split())


def shorten(text: str, length: int) -> str:
    """Return the first line, or as many of its words as fit."""
    line = " ".join(text.strip().split("\n", 1)[0].split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"


def normalise_subject(text: str | None, redactor: Redactor) -> str | None:
    """Return a subject as it is compared: normalised words; None for nothing."""
    return (normalise(clean_text(text, redactor)) or None) if text else None


def require_one_of(value: Any, allowed: tuple[str, ...], what: str) -> str:
    """Return the value, if it is one of the closed words. Raises UsageError."""
    if value not in allowed:
        raise UsageError(f"{what} must be one of {', '.join(allowed)}, not {value!r}")
    return str(value)


def parse_kind(value: Any) -> str:
    """Return a kind in lower case with dashes. Raises UsageError."""
    kind = str(value).strip().lower().replace("_", "-").replace(" ", "-")
    if not _KIND.fullmatch(kind):
        raise UsageError(
            f"kind must be a word like `constraint` or `domain-reference`, not {value!r}"
        )
    return kind


def parse_confidence(value: Any, default: float) -> float:
    """Return a number from 0 to 1. Raises UsageError."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"confidence must be a number from 0 to 1, not {value!r}")
    return float(value)


def parse_time(value: Any, what: str) -> str | None:
    """Return an ISO time in UTC from an ISO date or time. Raises UsageError."""
    if value is None or value == "":
        return None
    try:
        return timestamps.format_iso(timestamps.parse_iso(str(value)))
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"{what} must be a date or time like 2026-01-31 or 2026-01-31T09:00:00Z, not {value!r}"
        ) from error


def _choose_confidence(given: float | None, actor: Actor) -> float:
    """As sure as the writer says; an agent at most as sure as an agent can be."""
    if actor.is_operator:
        return parse_confidence(given, _OPERATOR_CONFIDENCE)
    return min(parse_confidence(given, policy.AGENT_CONFIDENCE), policy.AGENT_CONFIDENCE)


def _choose_scope(
    item: NewMemory, type_: Type, place: Place, redactor: Redactor
) -> tuple[Scope, Place]:
    """Choose the scope asked for, or the one that fits, and drop from the caller's position what
    that scope does not use.
    """
    default = "global" if type_ == "profile" or place.project_id is None else "project"
    scope = cast(Scope, require_one_of(item.scope or default, SCOPES, "scope"))
    needs = {
        "project": place.project_id,
        "repo": place.project_id,
        "agent": clean_reason(item.agent_id or place.agent_id, redactor),
        "session": clean_reason(item.session_id or place.session_id, redactor),
    }
    if scope in needs and not needs[scope]:
        missing = f"--{scope}"
        if scope in ("project", "repo"):
            missing = "a project: run inside one or name it"
        raise UsageError(f"scope {scope} needs {missing}")
    in_project = scope in ("project", "repo", "session", "agent")
    return scope, Place(
        place.project_id if in_project else None,
        place.repo_id if scope == "repo" else None,
        needs["agent"] if scope == "agent" else None,
        needs["session"] if scope == "session" else None,
    )


def _build_evidence(
    memory: Memory, span: Span, source: Source, turns: tuple[Turn, ...]
) -> Evidence:
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


def _rank_evidence(memory: Memory, proof: list[Evidence]) -> list[Evidence]:
    """Give evidence the trust of who said it: an agent's words beside the operator's consent stay
    the agent's.

    Where no human turn is among them, the first one gets the trust that the rule gave the record.
    """
    ranked = [
        replace(item, trust=min(memory.trust, _ROLE_TRUST.get(item.role, AGENT_CLAIMED)))
        for item in proof
    ]
    if ranked and max(item.trust for item in ranked) < memory.trust:
        ranked[0] = replace(ranked[0], trust=memory.trust)
    return ranked


def _limit_trust_of_others(
    proof: list[Evidence], channel: int, operators: Iterable[str], redactor: Redactor
) -> list[Evidence]:
    """Limit the trust of evidence from a chat or a document, where anybody may speak.

    Only what stands under the operator's name is the operator's.
    """
    own = {clean_line(name, redactor).casefold() for name in operators}
    return [
        item
        if item.speaker and clean_line(item.speaker, redactor).casefold() in own
        else replace(item, trust=min(item.trust, channel))
        for item in proof
    ]


def _require_text(value: Any, redactor: Redactor) -> str:
    text = clean_text(str(value), redactor)
    if not text:
        raise UsageError("title, content and summary cannot be empty")
    return text


def _clean_optional(value: Any, redactor: Redactor) -> str | None:
    return clean_text(str(value), redactor) or None if value is not None else None


def _clean_texts(value: Any, redactor: Redactor) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise UsageError("alternatives must be a list")
    return tuple(filter(None, (clean_text(str(part), redactor) for part in value)))


def _require_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"must be true or false, not {value!r}")
    return value
