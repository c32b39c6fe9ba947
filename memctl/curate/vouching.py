"""The operator's own word for a record: it becomes evidence, and trust and confidence rise.

Approving is vouching: what an agent or a file said and the operator approved is the operator's from
then on. Where it came from stays in its other evidence and its origin.
"""

from __future__ import annotations

from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID, Actor, Memory
from memctl.records import drafts
from memctl.redact.redactor import Redactor
from memctl.store import evidence
from memctl.store.database import Database

# As sure as a record is by the operator's word alone; chosen by hand.
CONFIRMED_CONFIDENCE = 0.95


def vouch_for(memory: Memory, now: str) -> Memory:
    """Return the record as the operator vouches for it at a time.

    It is not confirmed as of then: a statement that was made before it was approved, and is read
    later, may still be the newer one.
    """
    return replace(
        memory,
        trust=OPERATOR_SAID,
        confidence=max(memory.confidence, CONFIRMED_CONFIDENCE),
        updated_at=now,
    )


def add_own_word(db: Database, memory: Memory, actor: Actor, redactor: Redactor) -> None:
    """Store the operator's word as evidence of a record that is stored already."""
    evidence.insert_evidence(db, [drafts.build_manual_evidence(memory, actor, redactor=redactor)])
