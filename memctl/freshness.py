"""What has gone cold: proposed for the archive where it was neither confirmed nor used for long."""

from __future__ import annotations

from memctl import policy, relate
from memctl.config import Config
from memctl.db import Db
from memctl.errors import RefusedByPolicy
from memctl.model import Actor
from memctl.results import Proposal
from memctl.store import records


def accept_archive(db: Db, config: Config, actor: Actor, asked: Proposal) -> tuple[str, ...]:
    """Archive the record that a proposal is about; call it inside an operation. Raises NotFound, RefusedByPolicy."""
    memory = records.get(db, asked.about)
    if not policy.is_in_force(memory):
        raise RefusedByPolicy(f"{memory.id} is {memory.status} already")
    relate.set_status(db, memory, "archived", reason=asked.reason, verb="archived", actor=actor.name, cause=f"proposal {asked.id}")
    relate.settle(db, memory.id, actor=actor.name, cause=f"proposal {asked.id}")
    return (memory.id,)
