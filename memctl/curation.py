"""What keeps memory true over time, as methods of the engine: conflicts, entities, proposals, outcomes, the digest, undoing.

A part of `MemoryEngine`, which gives it the store and the actor; surfaces call the engine.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.config import Config
from memctl.db import Db
from memctl.model import Actor
from memctl.results import ChangeReport


class Curation:
    """The engine's methods of curation."""

    config: Config
    actor: Actor

    def _read_db(self) -> Db:
        raise NotImplementedError

    def _write_db(self, *, take_in: bool = True) -> Db:
        raise NotImplementedError

    # -- proposals ----------------------------------------------------------------------------------------------------

    def proposals_among(self, ids: Iterable[str]) -> tuple[list[str], list[str]]:
        """Which of some ids (or prefixes) are proposals', and which are not."""
        from memctl import proposals

        return proposals.apart(self._read_db(), ids)

    def accept(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Do what proposals of maintenance say. Raises NotFound, RefusedByPolicy for anybody but the operator."""
        from memctl import proposals

        return proposals.accept_all(self._write_db(), self.config, self.actor, list(ids), dry_run=dry_run)

    def decline(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Leave what proposals are about as it is, and do not be asked again. Raises as `accept`."""
        from memctl import proposals

        return proposals.decline_all(self._write_db(), self.config, self.actor, list(ids), dry_run=dry_run)
