"""Proposals: what maintenance would do and leaves to the operator, asked once for each thing and
settled at the inbox.

Proposing changes nothing. What was declined is not proposed again, or not before a time that the
proposer sets. `curate/proposal_decisions.py` accepts and declines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.typing_lite import Any
from memctl.results.records import Proposal
from memctl.store import event_log
from memctl.store import proposals as store
from memctl.store.database import Database


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
    operation = db.operation  # Undone with the changes that it was proposed with.
    with (
        db.write(),
        event_log.group_changes(db, actor=actor, cause="proposal", operation=operation),
    ):
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
    operation = db.operation
    with (
        db.write(),
        event_log.group_changes(db, actor=actor, cause="proposal", operation=operation),
    ):
        store.settle_proposal(db, asked, "withdrawn")


def split_proposal_ids(db: Database, ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split ids (or prefixes) into those of proposals and the rest."""
    texts = list(ids)
    ours = set(store.resolve_named(db, texts))
    return [text for text in texts if text in ours], [text for text in texts if text not in ours]
