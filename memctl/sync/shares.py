"""What travels, in words and numbers: by project, and what stays at home and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.results.sync import SharedProject, ShareReport
from memctl.store import projects, sync_group, sync_overview
from memctl.store.database import Database
from memctl.store.sync_group import StoredShare
from memctl.store.sync_overview import RecordCount
from memctl.sync.sharing import EVERYWHERE, USUAL_AUDIENCE

_EVERYWHERE_NAME = "what holds everywhere"
_PRIVATE_SCOPES = {"agent": "private to agents", "session": "of one session"}


@dataclass(frozen=True, slots=True)
class WantedShare:
    """What is to be said of a project: to whom it travels, and what of it. None is what holds
    everywhere; no types are all.
    """

    project: str | None
    audience: str
    types: tuple[str, ...] = ()
    with_candidates: bool = False
    with_turns: bool = False


def report_shares(db: Database, *, changed: str | None = None) -> ShareReport:
    """Count what travels by project, and what stays at home."""
    with db.snapshot():
        shares = sync_group.list_shares(db)
        names = projects.names(db)
        counts = sync_overview.count_records(db)
    travels, home = count_travel(counts, shares)
    found = sorted(
        _list_projects(shares, names, travels), key=lambda each: (-each.records, each.name)
    )
    return ShareReport(tuple(found), dict(home), changed)


def count_travel(
    counts: Iterable[RecordCount], shares: Mapping[str, StoredShare]
) -> tuple[Counter[str], Counter[str]]:
    """Count the records that travel by project, and those that stay at home by the reason. Pure."""
    travels, home = Counter[str](), Counter[str]()
    for each in counts:
        project = each.project or EVERYWHERE
        share = shares.get(project) or StoredShare(project, USUAL_AUDIENCE)
        why = _find_reason(each, share)
        if why is None:
            travels[project] += each.many
        else:
            home[why] += each.many
    return travels, home


def _find_reason(each: RecordCount, share: StoredShare) -> str | None:
    """Why records stay at home, or None."""
    if each.is_foreign:
        return "of other people"
    if each.scope in _PRIVATE_SCOPES:
        return _PRIVATE_SCOPES[each.scope]
    if share.audience == "never":
        return "of projects that stay at home"
    if share.types is not None and each.type not in share.types:
        return "of types that stay at home"
    if each.status == "inbox" and not share.with_candidates:
        return "candidates in the inbox"
    return None


def _list_projects(
    shares: Mapping[str, StoredShare], names: Mapping[str, str], travels: Mapping[str, int]
) -> Iterator[SharedProject]:
    for project in {*shares, *travels}:
        share = shares.get(project) or StoredShare(project, USUAL_AUDIENCE)
        yield SharedProject(
            project or None,
            names.get(project, project) if project else _EVERYWHERE_NAME,
            share.audience,
            travels.get(project, 0),
            share.types,
            share.with_candidates,
            share.with_turns,
        )


def share_project(db: Database, wanted: WantedShare, *, dry_run: bool = False) -> ShareReport:
    """Say to whom a project travels. Raises NotFound.

    What has travelled already is not called back.
    """
    project = projects.named(db, wanted.project).id if wanted.project else EVERYWHERE
    said = StoredShare(
        project,
        wanted.audience,
        wanted.types or None,
        wanted.with_candidates,
        wanted.with_turns,
    )
    before = sync_group.list_shares(db).get(project)
    if dry_run:
        counts = sync_overview.count_records(db)
        shares = {**sync_group.list_shares(db), project: said}
        travels, home = count_travel(counts, shares)
        names = projects.names(db)
        found = [
            each
            for each in _list_projects(shares, names, travels)
            if (each.project or "") == project
        ]
        return ShareReport(tuple(found), dict(home), wanted.project)
    with db.write():
        sync_group.put_share(db, said, clock.now())
    report = report_shares(db, changed=wanted.project or _EVERYWHERE_NAME)
    return _add_notes(report, before, said)


def _add_notes(report: ShareReport, before: StoredShare | None, said: StoredShare) -> ShareReport:
    notes = []
    if said.audience == "group":
        notes.append("`memctl sync` sends it; `memctl sync members` lists who gets it")
    had_more = before is not None and before.audience == "group" and said.audience != "group"
    if had_more:
        notes.append("what has travelled already is not called back: `memctl purge` erases it")
    return ShareReport(report.shares, report.home, report.changed, tuple(notes))
