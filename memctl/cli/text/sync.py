"""Stores that follow one another, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memctl.cli.text.formatting import flatten, format_count, format_size, format_time
from memctl.results.store import SyncPlaceState
from memctl.results.sync import (
    InviteReport,
    LeaveReport,
    MembersReport,
    SharedProject,
    ShareReport,
    SyncedPlace,
    SyncMachine,
    SyncMember,
    SyncReport,
    SyncStatusReport,
)

# Lines of projects and of damaged change sets; `--json` has all.
_MOST_LINES = 20
_AUDIENCES = {
    "group": "to all who take part",
    "own": "to your own machines",
    "never": "stays on this machine",
}
# What became of what was received, in the order in which it is told.
_OUTCOMES = {
    "records": ("record", "records"),
    "conflicts": ("conflict: memctl conflicts", "conflicts: memctl conflicts"),
    "waiting": ("change waits for one it depends on", "changes wait for ones they depend on"),
    "sealed": (
        "change set waits until the machine that invited this one has synced",
        "change sets wait until the machine that invited this one has synced",
    ),
    "refused": ("change refused", "changes refused"),
    "renamed": (
        "this store continues as a new machine, because a copy or an earlier state of it was found",
        "",
    ),
    "withdrawn": (
        "change set for your own machines removed, because others can read it there",
        "change sets for your own machines removed, because others can read them there",
    ),
    "rewritten": ("change set rewritten", "change sets rewritten"),
}


def render_sync(data: SyncReport) -> Iterator[str]:
    """Yield what travelled to and from each place, what waits, and what needs a look."""
    if data.dry_run and data.plan is not None:
        yield from render_share_plan(data)
        return
    for each in data.places:
        yield from _render_place(each, data.dry_run)
    yield from _render_waiting(data.waits)
    yield from (flatten(each) for each in data.notes)
    yield from (f"Problem: {flatten(each)}" for each in data.problems)
    if not data.places:
        yield "No place is set up: start with `memctl sync FOLDER`."


def render_share_plan(data: SyncReport) -> Iterator[str]:
    """Yield what would travel to a new place, by project, and what stays at home."""
    for each in data.places:
        locked = "encrypted" if each.is_encrypted else "not encrypted"
        kind = "a folder" if each.kind == "folder" else "PostgreSQL"
        yield f"{flatten(each.name)}: {kind}, {locked}"
        if each.reason:
            yield f"  {flatten(each.reason)}"
    if data.member:
        yield f"you take part as {flatten(data.member)}"
    if data.plan is not None:
        yield from render_shares(data.plan)
    yield from (flatten(each) for each in data.notes)


def render_shares(data: ShareReport) -> Iterator[str]:
    """Yield what travels, by project, and what stays at home."""
    for audience, words in _AUDIENCES.items():
        found = [each for each in data.shares if each.audience == audience]
        if found:
            total = format_count(sum(each.records for each in found), "record")
            yield f"{words}: {total}"
            yield from _render_projects(found)
    if not any(each.audience != "never" for each in data.shares):
        yield "nothing travels yet"
    home = [f"{many} {flatten(why)}" for why, many in data.home.items() if many]
    if home:
        yield f"stays on this machine: {', '.join(home)}"
    yield from (flatten(each) for each in data.notes)


def render_members(data: MembersReport) -> Iterator[str]:
    """Yield who takes part."""
    for each in data.members:
        yield _describe_member(each)
        yield from map(_describe_machine, each.devices)
    yield from (flatten(each) for each in data.notes)
    yield from (f"Problem: {flatten(each)}" for each in data.problems)


def render_invitation(data: InviteReport) -> Iterator[str]:
    """Yield the code and what is typed with it."""
    whom = flatten(data.member) if data.member else "another machine of yours"
    may = ", who may invite and remove others" if data.is_admin else ""
    yield f"For {whom}{may}; whoever has this code can join, so send it as you would a password:"
    yield ""
    yield f"  {data.code}"
    yield ""
    yield f"Run there: {flatten(data.command)}"
    yield "It admits one machine, once."
    yield from (flatten(each) for each in data.notes)


def render_sync_status(data: SyncStatusReport) -> Iterator[str]:
    """Yield where this store meets others and how it stands there."""
    if data.member is None:
        yield "This store does not sync yet: start with `memctl sync FOLDER` (see docs/sync.md)."
        return
    may = ", who may invite and remove" if data.is_admin else ""
    machines = sum(each.machines for each in data.members if not each.removed_at)
    people = sum(not each.removed_at for each in data.members)
    yield f"you are {flatten(data.member)}{may}"
    yield f"members: {people}, machines: {machines}"
    yield from (describe_place(each) for each in data.places)
    if data.unsent:
        yield f"{format_count(data.unsent, 'change')} not sent yet"
    if data.waiting:
        yield f"{data.waiting} {_OUTCOMES['waiting'][data.waiting != 1]}"
    if data.not_taken:
        yield f"{data.not_taken} {_OUTCOMES['refused'][data.not_taken != 1]}"
    yield from _render_damaged(data.damaged)
    yield from _render_waiting(data.waits)
    yield from render_shares(ShareReport(data.shares, data.home))


def describe_place(each: SyncPlaceState) -> str:
    """One line on a place: since when it is in line, or since when it cannot be reached."""
    since = f"in sync since {format_time(each.done_at)}" if each.done_at else "never in sync yet"
    failing = ""
    if each.failing_since:
        why = f" ({flatten(each.error)})" if each.error else ""
        failing = f"; not reached since {format_time(each.failing_since)}{why}"
    locked = ", encrypted" if each.is_encrypted else ""
    return f"{flatten(each.name)}{locked}: {since}{failing}"


def render_leaving(data: LeaveReport) -> Iterator[str]:
    """Yield what was left, and what stays where."""
    verb = "would be left" if data.dry_run else "left"
    for each in data.places:
        yield f"{verb}: {flatten(each)}"
    if data.has_left_group:
        yield f"{verb}: the group, with this machine's key"
    yield from (flatten(each) for each in data.stays)


def render_leaving_plan(data: LeaveReport) -> Iterator[str]:
    """Yield what would be left, before the person is asked."""
    yield from (f"to be left: {flatten(each)}" for each in data.places)
    yield from (flatten(each) for each in data.stays)


def _render_place(each: SyncedPlace, dry_run: bool) -> Iterator[str]:
    if each.state in ("unreachable", "refused"):
        return  # It stands among the problems.
    would = "to send" if dry_run else "sent"
    moved = [f"{each.sent} {would} ({format_size(each.bytes_out)})"] if each.sent else []
    if each.received:
        moved.append(f"{each.received} received ({format_size(each.bytes_in)})")
    became = [
        f"{many} {words[many != 1]}" if words[1] else words[0]
        for name, words in _OUTCOMES.items()
        if (many := each.counts.get(name, 0))
    ]
    told = ", ".join(moved) if moved else "nothing new"
    more = f": {', '.join(became)}" if became else ""
    rest = f"; {flatten(each.reason)}" if each.reason else ""
    yield f"{flatten(each.name)}: {told}{more}{rest}"
    yield from _render_damaged(each.damaged)
    yield from _render_damaged(each.strange, "left alone")


def _render_damaged(names: Sequence[str], verb: str = "skipped") -> Iterator[str]:
    for each in names[:_MOST_LINES]:
        yield f"  {verb}: {flatten(each)}"
    if len(names) > _MOST_LINES:
        yield f"  ... and {len(names) - _MOST_LINES} more; --json names all"


def _render_waiting(waits: Mapping[str, int]) -> Iterator[str]:
    for name, many in waits.items():
        verb = "waits" if many == 1 else "wait"
        yield f"{format_count(many, 'record')} of {flatten(name)} {verb} for you: memctl inbox"


def _render_projects(found: Sequence[SharedProject]) -> Iterator[str]:
    for each in found[:_MOST_LINES]:
        only = f", only {', '.join(each.types)}" if each.types else ""
        more = ", with candidates" if each.with_candidates else ""
        more += ", with conversations" if each.with_turns else ""
        yield f"  {flatten(each.name)}: {format_count(each.records, 'record')}{only}{more}"
    if len(found) > _MOST_LINES:
        yield f"  ... and {len(found) - _MOST_LINES} more; --json names all"


def _describe_machine(each: SyncMachine) -> str:
    this = ", this one" if each.is_this else ""
    return f"  {each.id[:10]}  {flatten(each.label) or 'a machine'}{this}, since {each.since[:10]}"


def _describe_member(each: SyncMember) -> str:
    words = [format_count(each.machines, "machine")]
    words += ["you"] if each.is_own else []
    words += ["may invite and remove"] if each.is_admin else []
    words += [f"removed {format_time(each.removed_at)}"] if each.removed_at else []
    return f"{flatten(each.name)}  ({', '.join(words)})"
