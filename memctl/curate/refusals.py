"""Refusals: why an actor may not approve, reject, forget or bring back a record.

Each function returns one sentence for the report, or None where the actor may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import replace
from memctl.core.model import NAMELESS_AGENT, Actor, Memory
from memctl.records import drafts, purge_filter
from memctl.redact.redactor import Redactor
from memctl.results.records import Refusal
from memctl.settings import policy
from memctl.store import evidence, links, sources, tombstones
from memctl.store.database import Database

UNPLACED = (
    "nobody knows which project it belongs to: `memctl inbox --approve ID --project NAME` says it, "
    "`--scope global` that it holds everywhere"
)
_LIVING_STATUSES = ("active", "contradicted", "inbox")


def require_allowed(refusal: str | None) -> None:
    """Raise RefusedByPolicy with a refusal, if there is one."""
    if refusal:
        raise RefusedByPolicy(refusal)


def split_by_refusal(
    memories: Sequence[Memory], why_not: Callable[[Memory], str | None]
) -> tuple[list[Memory], tuple[Refusal, ...]]:
    """Split records into those that are allowed and the refusals of the others."""
    allowed, refused = [], []
    for memory in memories:
        reason = why_not(memory)
        if reason is None:
            allowed.append(memory)
        else:
            refused.append(Refusal(memory.id, reason))
    return allowed, tuple(refused)


def why_not_approve(
    db: Database, memory: Memory, actor: Actor, reason: str | None, redactor: Redactor
) -> str | None:
    """Why this actor may not make a record active for that reason."""
    if memory.status in ("active", "contradicted"):
        return f"it is {memory.status} already"
    if memory.status == "superseded":
        return "it was superseded; `memctl correct` the newer one instead"
    if memory.status == "archived" and not actor.is_operator:
        return f"bringing back what was archived {policy.AT_A_TERMINAL}"
    if memory.is_unplaced:
        return UNPLACED
    why_not = why_not_return(db, memory, actor, redactor)
    if why_not is not None:
        return why_not
    has_evidence = bool(evidence.list_of_memory(db, memory.id))
    filled = fill_rationale(memory, actor, reason, redactor)
    return policy.why_not_promote(
        filled, actor, has_evidence=has_evidence, is_own=is_own_claim(db, memory, actor)
    )


def is_own_claim(db: Database, memory: Memory, actor: Actor) -> bool:
    """Whether an agent stated a record itself, by hand or in a session of its own."""
    if actor.agent in (None, NAMELESS_AGENT):
        return False
    if memory.source_kind == "manual":
        return memory.source_ref == f"manual:{actor.name}"
    proof = evidence.list_of_memory(db, memory.id)
    told = [sources.find_source(db, item.source_id) for item in proof if item.source_id]
    return bool(told) and all(source and source.agent == actor.agent for source in told)


def fill_rationale(memory: Memory, actor: Actor, reason: str | None, redactor: Redactor) -> Memory:
    """A decision without a rationale takes the operator's reason for approving it."""
    if memory.type == "decision" and not memory.rationale and reason and actor.is_operator:
        return replace(memory, rationale=drafts.clean_text(reason, redactor))
    return memory


def why_not_return(db: Database, memory: Memory, actor: Actor, redactor: Redactor) -> str | None:
    """Why this actor may not bring back content that was rejected, forgotten or purged."""
    if actor.is_operator:
        return None
    texts = (
        memory.title,
        memory.content,
        memory.summary,
        memory.subject,
        memory.rationale,
        *memory.alternatives,
    )
    if purge_filter.holds_purged(db, texts, redactor):
        return "it contains purged words, which only the operator may bring back"
    tombstone = tombstones.find_tombstone(db, memory.fingerprint, [])
    if tombstone is None:
        return None
    verdict = tombstone["verdict"]
    return f"{memory.title!r} was {verdict} before, and only the operator may bring it back"


def why_not_restore(db: Database, memory: Memory, restored: Memory, actor: Actor) -> str | None:
    """Why this actor may not return a record to an earlier state."""
    if actor.is_operator:
        return None
    raises_trust = restored.trust > memory.trust
    comes_into_force = policy.is_in_force(restored) and not policy.is_in_force(memory)
    has_verdict = bool(tombstones.find_of_memory(db, memory.id))
    if restored.status in _LIVING_STATUSES:
        has_verdict = (
            has_verdict or tombstones.find_tombstone(db, restored.fingerprint, []) is not None
        )
    if raises_trust or comes_into_force or has_verdict:
        return (
            "this would raise trust or bring back what was rejected, forgotten or replaced, "
            f"which {policy.AT_A_TERMINAL}"
        )
    return None


def why_not_reject(memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not reject a record."""
    if memory.status != "inbox":
        return f"it is {memory.status}, not in the inbox; `memctl forget` archives it"
    return policy.why_not_change(memory, actor) if actor.is_operator else None


def why_not_forget(db: Database, memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not forget a record."""
    if memory.status == "archived":
        return "it is archived already"
    if memory.status == "inbox" and not actor.is_operator:
        return f"deciding on a candidate {policy.AT_A_TERMINAL}; `memctl inbox --reject` notes why"
    return policy.why_not_change(memory, actor) or _why_not_end_contradiction(db, memory, actor)


def _why_not_end_contradiction(db: Database, memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not resolve a contradiction by archiving its better trusted side."""
    if actor.is_operator or memory.trust <= actor.trust:
        return None
    if any(link.is_open_contradiction for link in links.list_of_memory(db, memory.id)):
        return f"it is in an open contradiction, and resolving that {policy.AT_A_TERMINAL}"
    return None
