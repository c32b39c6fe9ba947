"""Proposals: what maintenance would do and leaves to the operator, asked once for each thing and
settled at the inbox.

Proposing changes nothing. Accepting runs the handler of the kind and settles the proposal in one
operation, so that both are undone together. What was declined is not proposed again, or not before
a time that the proposer sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import Actor
from memctl.records.views import read_views
from memctl.results.records import ChangeReport, Proposal, Refusal
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log
from memctl.store import proposals as store
from memctl.store.database import Database

# What carries out an accepted proposal: given the store, the settings, the actor and the
# proposal, it changes what it must and tells which
# records it changed; it raises where that cannot be done any more. By name, because those who
# offer proposals import this module.
Handler = Callable[[Database, Config, Actor, Proposal], Iterable[str]]
HANDLERS: Mapping[str, tuple[str, str]] = {
    "archive": ("memctl.retrieve.freshness", "accept_archive"),
    "mute": ("memctl.records.quality", "accept_mute"),
    "merge_entities": ("memctl.curate.entities", "accept_merge"),
}


def offer_proposal(
    db: Database,
    kind: str,
    about: str,
    *,
    reason: str,
    data: Mapping[str, Any] | None = None,
    actor: str,
    again_after: str | None = None,
) -> str | None:
    """Propose something, unless the same is open or was declined (after `again_after`, if
    given); return the proposal's id.
    """
    with db.write(), event_log.group_changes(db, actor=actor, cause="proposal"):
        before = store.find_latest(db, kind, about)
        declined = before is not None and before.state == "declined"
        over = (
            again_after is not None
            and before is not None
            and (before.decided_at or "") < again_after
        )
        if before is not None and (before.state == "open" or (declined and not over)):
            return None
        return store.insert_proposal(db, kind, about, reason=reason, data=data or {}, actor=actor)


def list_open(db: Database, kind: str | None = None) -> tuple[Proposal, ...]:
    """List what waits for the operator, oldest first."""
    return tuple(store.list_open(db, kind))


def withdraw_proposal(db: Database, asked: Proposal, *, actor: str) -> None:
    """Withdraw a proposal that no longer holds; it may be proposed again when it does."""
    with db.write(), event_log.group_changes(db, actor=actor, cause="proposal"):
        store.settle_proposal(db, asked, "withdrawn")


def accept_proposal(db: Database, config: Config, actor: Actor, id: str) -> ChangeReport:
    """Carry out a proposal. Raises NotFound, RefusedByPolicy for anybody but the operator, and
    what its handler raises.
    """
    return accept_proposals(db, config, actor, [id])


def decline_proposal(db: Database, config: Config, actor: Actor, id: str) -> ChangeReport:
    """Decline a proposal. Raises NotFound, RefusedByPolicy for anybody but the operator."""
    return decline_proposals(db, config, actor, [id])


def accept_proposals(
    db: Database, config: Config, actor: Actor, ids: Iterable[str], *, dry_run: bool = False
) -> ChangeReport:
    """Carry out some proposals, each as one operation; what cannot be done any more is refused
    with the reason.
    """
    asked = _find_open(db, actor, ids)
    if dry_run:
        return ChangeReport("accepted", (), dry_run=True, proposals=asked)
    changed: list[str] = []
    done: list[Proposal] = []
    refused: list[Refusal] = []
    for proposal in asked:
        try:
            with _settle_in_operation(db, actor, proposal):
                changed += load_handler(proposal.kind)(db, config, actor, proposal)
                done.append(store.settle_proposal(db, proposal, "accepted"))
        except (RefusedByPolicy, NotFound, UsageError) as error:
            refused.append(Refusal(proposal.id, str(error)))
    return ChangeReport("accepted", read_views(db, changed), tuple(refused), proposals=tuple(done))


def decline_proposals(
    db: Database, config: Config, actor: Actor, ids: Iterable[str], *, dry_run: bool = False
) -> ChangeReport:
    """Decline some proposals, each as one operation."""
    asked = _find_open(db, actor, ids)
    if dry_run:
        return ChangeReport("declined", (), dry_run=True, proposals=asked)
    done: list[Proposal] = []
    for proposal in asked:
        with _settle_in_operation(db, actor, proposal):
            done.append(store.settle_proposal(db, proposal, "declined"))
    return ChangeReport("declined", (), proposals=tuple(done))


def load_handler(kind: str) -> Handler:
    """Load what carries out proposals of one kind."""
    module, name = HANDLERS[kind]
    found: Handler = getattr(import_module(module), name)
    return found


def split_proposal_ids(db: Database, ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split ids (or prefixes) into those of proposals and the rest."""
    texts = list(ids)
    ours = set(store.resolve_named(db, texts))
    return [text for text in texts if text in ours], [text for text in texts if text not in ours]


def _find_open(db: Database, actor: Actor, ids: Iterable[str]) -> tuple[Proposal, ...]:
    """Find the open proposals of these ids, each once. Raises NotFound, RefusedByPolicy."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"settling a proposal {policy.AT_A_TERMINAL}")
    with db.snapshot():
        found = {one.id: one for one in (store.resolve_proposal(db, text) for text in ids)}
    for one in found.values():
        _require_open(one)
    return tuple(found.values())


@contextmanager
def _settle_in_operation(db: Database, actor: Actor, asked: Proposal) -> Iterator[None]:
    """One operation that settles a proposal which nobody else has settled meanwhile. Raises
    RefusedByPolicy.
    """
    with db.write(), event_log.group_changes(db, actor=actor.name, cause=f"proposal {asked.id}"):
        _require_open(store.get_proposal(db, asked.id))
        yield


def _require_open(asked: Proposal) -> None:
    if asked.state != "open":
        raise RefusedByPolicy(
            f"{asked.short} was {asked.state} already", hint="`memctl inbox` lists what waits"
        )
