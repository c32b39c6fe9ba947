"""Decide proposals: accept or decline what maintenance left to the operator.

Accepting runs the handler of the kind and settles the proposal in one operation, so that both are
undone together. Records that follow a merge do so afterwards in short transactions of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import Actor
from memctl.curate import conflicts
from memctl.records import quality
from memctl.records.views import read_views
from memctl.results.records import ChangeReport, Proposal, Refusal
from memctl.retrieve import freshness
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entity_moves, event_log
from memctl.store import proposals as store
from memctl.store.database import Database


def _accept_merge(db: Database, config: Config, actor: Actor, proposal: Proposal) -> Iterable[str]:
    from memctl.curate import entities  # here, because it brings all of extraction along

    return entities.accept_merge(db, config, actor, proposal)


# What carries out an accepted proposal, by its kind: it changes what it must and returns the ids of
# the records that it changed. It raises where that is no longer possible.
Handler = Callable[[Database, Config, Actor, Proposal], Iterable[str]]
HANDLERS: Mapping[str, Handler] = {
    "archive": freshness.accept_archive,
    "mute": quality.accept_mute,
    "merge_entities": _accept_merge,
    "resolve": conflicts.accept_resolution,
}


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
                changed += HANDLERS[proposal.kind](db, config, actor, proposal)
                done.append(store.settle_proposal(db, proposal, "accepted"))
                operation_id = str(db.operation)
            entity_moves.finish(db, operation_id)
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
