"""Where this store meets others and how it stands there. Only reads; no place is looked at."""

from __future__ import annotations

from memctl.results.sync import SyncStatusReport
from memctl.settings.config import Config
from memctl.store import sync_changes, sync_group, sync_overview
from memctl.store.database import Database
from memctl.sync import incoming, keys, members, shares


def read_status(db: Database, config: Config) -> SyncStatusReport:
    """Read it from the store; without a group it is empty."""
    own = keys.load_keys(config)
    if own is None:
        return SyncStatusReport(None)
    known = incoming.read_roster(db, own)
    places = sync_group.list_place_states(db)
    travels = shares.report_shares(db)
    me = known.replicas.get(own.replica)
    return SyncStatusReport(
        own.member,
        own.group,
        own.replica,
        me is not None and me.is_admin,
        members.describe_members(known, own),
        places,
        travels.shares,
        travels.home,
        max((sync_overview.count_unsent(db, each.name, own.replica) for each in places), default=0),
        sync_changes.count_waiting(db),
        sync_overview.count_refused(db),
        tuple(sync_overview.list_problems(db)),
        sync_overview.count_waits(db),
    )
