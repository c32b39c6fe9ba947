"""`engine.sync`: this store follows those of other machines, through folders and hubs.

Agents and hooks never sync, and only the operator says who takes part and what travels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import RefusedByPolicy
from memctl.engine.store_access import UNKNOWN_AGENT, OperationGroup
from memctl.results.store import TransferReport
from memctl.results.sync import (
    InviteReport,
    LeaveReport,
    MembersReport,
    ShareReport,
    SyncReport,
    SyncStatusReport,
)


class SyncOperations(OperationGroup):
    """Meeting other stores. Every method raises MissingExtra where the extra `sync` is missing."""

    def run(
        self,
        place: str | None = None,
        *,
        member: str | None = None,
        encrypt: bool | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> SyncReport:
        """Sync with one place, or with all; a new one is founded, for `member` as its first.

        `encrypt` is for a new folder (default: the setting). `progress` gets how many changes are
        done, and of how many. Raises PlaceUnreachable, RefusedByPolicy, UsageError.
        """
        from memctl.sync import founding, run

        access = self._access
        if not access.actor.is_operator and access.actor.name != UNKNOWN_AGENT:
            raise RefusedByPolicy(
                "agents do not sync", hint="`memctl maintain` does it by itself, once it is set up"
            )
        db = access.open_to_read() if dry_run else access.open_to_write()
        wanted = founding.WantedPlace(place or "", member, encrypt, access.actor.is_operator)
        if dry_run:
            return run.plan_sync(db, access.config, wanted)
        return run.sync_places(db, access.config, wanted, BoundedWork(), progress)

    def join(self, place: str, code: str, *, dry_run: bool = False) -> SyncReport:
        """Join the group of an invitation, at its folder or hub; nothing travels yet.

        Raises PlaceUnreachable, RefusedByPolicy, UsageError for a code that is none.
        """
        from memctl.sync import group

        self._require_operator("join a group")
        access = self._access
        db = access.open_to_read() if dry_run else access.open_to_write()
        return group.join_group(db, access.config, place, code, dry_run=dry_run)

    def invite(
        self,
        member: str | None = None,
        *,
        is_admin: bool = False,
        place: str | None = None,
        only: Sequence[str] = (),
    ) -> InviteReport:
        """Write an invitation: for another person, or for another machine of one's own.

        `only` limits somebody at a hub to these projects. Raises RefusedByPolicy, NotFound where
        this store follows none, UsageError.
        """
        from memctl.sync import group

        self._require_operator("invite")
        access = self._access
        db = access.open_to_write()
        return group.invite(db, access.config, member, is_admin=is_admin, place=place, only=only)

    def members(self) -> MembersReport:
        """List who takes part. Raises NotFound where this store follows none."""
        from memctl.sync import group

        access = self._access
        return group.list_members(access.open_to_read(), access.config)

    def remove(self, member: str, *, dry_run: bool = False) -> MembersReport:
        """Remove a member: what they send from now on is refused, by all.

        Raises RefusedByPolicy, NotFound.
        """
        from memctl.sync import group

        self._require_operator("remove a member")
        access = self._access
        db = access.open_to_read() if dry_run else access.open_to_write()
        return group.remove_member(db, access.config, member, dry_run=dry_run)

    def list_shares(self) -> ShareReport:
        """Say what travels, by project, and what stays at home."""
        from memctl.sync import shares

        return shares.report_shares(self._access.open_to_read())

    def share(
        self,
        project: str | None,
        *,
        audience: str = "group",
        types: Sequence[str] = (),
        with_candidates: bool = False,
        with_turns: bool = False,
        dry_run: bool = False,
    ) -> ShareReport:
        """Say to whom a project travels; None is what holds everywhere.

        `audience` is `group`, `own` or `never`. Raises RefusedByPolicy, NotFound.
        """
        from memctl.sync import shares

        self._require_operator("say what travels")
        access = self._access
        db = access.open_to_read() if dry_run else access.open_to_write()
        wanted = shares.WantedShare(
            project, audience, tuple(types), with_candidates=with_candidates, with_turns=with_turns
        )
        return shares.share_project(db, wanted, dry_run=dry_run)

    def status(self) -> SyncStatusReport:
        """Say where this store meets others, since when, and what has not been sent yet."""
        from memctl.sync import status

        access = self._access
        return status.read_status(access.open_to_read(), access.config)

    def export_shared(self, path: Path | None = None, *, force: bool = False) -> TransferReport:
        """Export what travels: the same bytes on all machines of a member that have the same.

        Raises NotFound where this store follows none, UsageError for a file that is there.
        """
        from memctl.sync import shared_file

        access = self._access
        db = access.open_to_read(exactly=True)
        return shared_file.export_shared(db, access.config, path, replaces=force)

    def leave(self, place: str | None = None, *, dry_run: bool = False) -> LeaveReport:
        """Leave one place, or the whole group: what came stays, nothing travels any more.

        Raises RefusedByPolicy, NotFound where this store follows none.
        """
        from memctl.sync import group

        self._require_operator("leave")
        access = self._access
        db = access.open_to_read() if dry_run else access.open_to_write()
        return group.leave(db, access.config, place, dry_run=dry_run)

    def _require_operator(self, what: str) -> None:
        if not self._access.actor.is_operator:
            raise RefusedByPolicy(f"only the operator, at a terminal, may {what}")
