"""What keeps memory true over time, as methods of the engine: conflicts, entities, proposals, outcomes, the digest, undoing.

A part of `MemoryEngine`, which gives it the store and the actor; surfaces call the engine.
"""

from __future__ import annotations

from memctl.config import Config
from memctl.db import Db
from memctl.model import Actor


class Curation:
    """The engine's methods of curation."""

    config: Config
    actor: Actor

    def _read_db(self) -> Db:
        raise NotImplementedError

    def _write_db(self, *, take_in: bool = True) -> Db:
        raise NotImplementedError
