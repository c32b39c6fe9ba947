"""`memctl sync`: stores of several machines that follow one another."""

from __future__ import annotations

from memctl.cli import confirm_sync
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun, Global, Types, Yes
from memctl.core.errors import UsageError
from memctl.results.sync import (
    InviteReport,
    LeaveReport,
    MembersReport,
    ShareReport,
    SyncReport,
    SyncStatusReport,
)

HELP = """Stores of several machines that follow one another, through a folder or PostgreSQL.

`memctl sync` alone syncs with every place that is set up, `memctl sync PLACE` with one, and sets it
up if it is new (see docs/sync.md)."""
OptionalPlace = Annotated[
    str | None,
    argument(metavar="PLACE", help="A folder, or postgresql://... (default: all that are set up)."),
]
Name = Annotated[
    str,
    argument(metavar="NAME", help="Somebody who takes part, or a machine (`memctl sync members`)."),
]


@command(
    "memctl sync",
    "memctl sync ~/Sync/memctl",
    "memctl sync now ~/Sync/memctl --dry-run",
    codes=(1, 11, 21, 40, 130),
)
def now(
    call: Call,
    place: OptionalPlace = None,
    name: Annotated[
        str | None,
        option("--as", metavar="NAME", help="With a new place: your name there."),
    ] = None,
    plain: Annotated[
        bool, option("--no-encryption", help="With a new folder: whoever reads it can read all.")
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> SyncReport:
    """Send what changed here, and take in what changed on other machines.

    Before anything is sent for the first time you see what would travel and are asked.
    """
    encrypt = False if plain else None
    plan = confirm_sync.plan_first_sync(call, place, name, encrypt, dry_run=dry_run, yes=yes)
    if dry_run:
        return plan or call.engine.sync.run(place, member=name, encrypt=encrypt, dry_run=True)
    with call.show_progress("syncing", "looking for changes", "changes") as progress:
        return call.engine.sync.run(place, member=name, encrypt=encrypt, progress=progress)


@command(
    "memctl sync join ~/Sync/memctl",
    "memctl sync join ~/Sync/memctl memctl-CODE",
    "memctl sync join memctl-CODE",
    codes=(1, 21, 40, 130),
)
def join(
    call: Call,
    place: Annotated[
        str,
        argument(
            metavar="PLACE",
            help="A folder, or postgresql://...; without it that of the invitation.",
        ),
    ],
    code: Annotated[
        str | None,
        argument(metavar="CODE", help="The invitation; without it you are asked, - reads it."),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> SyncReport:
    """Join others by an invitation, then sync for the first time.

    You see what would travel and are asked first; with no, you have joined and nothing was sent.
    """
    place, code = confirm_sync.read_invitation(place, code)
    if dry_run:
        return call.engine.sync.join(place, code, dry_run=True)
    return confirm_sync.join_and_sync(call, place, code, yes=yes)


@command("memctl sync invite", "memctl sync invite Ines", codes=(20, 21))
def invite(
    call: Call,
    name: Annotated[
        str | None,
        argument(metavar="NAME", help="Who is invited (default: another machine of yours)."),
    ] = None,
    admin: Annotated[
        bool, option("--admin", help="They may invite and remove others, as you may.")
    ] = False,
    place: Annotated[
        str | None, option("--place", metavar="PLACE", help="Where they shall join.")
    ] = None,
    only: Annotated[
        list[str] | None,
        option("--only", metavar="PROJECT", help="At a hub: they see these projects alone."),
    ] = None,
) -> InviteReport:
    """Write an invitation. Whoever has its code can join: send it as you would a password."""
    return call.engine.sync.invite(name, is_admin=admin, place=place, only=tuple(only or ()))


@command("memctl sync members", codes=(20,))
def members(call: Call) -> MembersReport:
    """List who takes part, with how many machines."""
    return call.engine.sync.members()


@command(
    "memctl sync remove Ines",
    "memctl sync remove Ines --yes",
    "memctl sync remove 3A5H2W4DBV",
    codes=(20, 21, 40),
)
def remove(call: Call, name: Name, dry_run: DryRun = False, yes: Yes = False) -> MembersReport:
    """Remove somebody, or a machine: what they send from now on is refused, by all who take part.

    What they have stays theirs, and what came from them stays with you. A machine of your own that
    was lost or stolen is removed by its id or by what it is called.
    """
    plan = call.engine.sync.remove(name, dry_run=True)
    if dry_run:
        return plan
    confirm_sync.confirm_removal(name, yes=yes)
    return call.engine.sync.remove(name)


@command(
    "memctl sync share",
    "memctl sync share harbor-tides",
    "memctl sync share harbor-tides --type decision --type project",
    "memctl sync share sea-charts --never",
    codes=(20, 21),
)
def share(
    call: Call,
    project: Annotated[
        str | None, argument(metavar="PROJECT", help="A project, by name or id.")
    ] = None,
    everywhere: Global = False,
    own: Annotated[bool, option("--own", help="Only to your own machines.")] = False,
    never: Annotated[bool, option("--never", help="It stays at home.")] = False,
    types: Types = None,
    candidates: Annotated[
        bool, option("--candidates", help="What waits in the inbox travels too.")
    ] = False,
    turns: Annotated[
        bool, option("--turns", help="Captured conversations travel too, word for word.")
    ] = False,
    dry_run: DryRun = False,
) -> ShareReport:
    """Say to whom a project travels: to all who take part, or with --own or --never to fewer.

    Without a project it shows what travels now, and what stays at home.
    """
    if own and never:
        raise UsageError("--own and --never exclude each other")
    if project is None and not everywhere:
        return confirm_sync.list_shares(call, own or never or types or candidates or turns)
    if project is not None and everywhere:
        raise UsageError("PROJECT and --global exclude each other")
    return call.engine.sync.share(
        project,
        audience="never" if never else "own" if own else "group",
        types=types or (),
        with_candidates=candidates,
        with_turns=turns,
        dry_run=dry_run,
    )


@command("memctl sync status", "memctl sync status --json", codes=())
def status(call: Call) -> SyncStatusReport:
    """Show where this store meets others, since when, and what has not been sent yet."""
    return call.engine.sync.status()


@command("memctl sync leave ~/Sync/memctl", "memctl sync leave --dry-run", codes=(20, 21, 130))
def leave(
    call: Call, place: OptionalPlace = None, dry_run: DryRun = False, yes: Yes = False
) -> LeaveReport:
    """Leave a place, or all of them: what came stays here, and nothing travels any more."""
    plan = call.engine.sync.leave(place, dry_run=True)
    if dry_run:
        return plan
    confirm_sync.confirm_leaving(plan, yes=yes)
    return call.engine.sync.leave(place)


COMMANDS = {
    "now": now,
    "join": join,
    "invite": invite,
    "members": members,
    "remove": remove,
    "share": share,
    "status": status,
    "leave": leave,
}
