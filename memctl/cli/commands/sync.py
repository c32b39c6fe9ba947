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

HELP = """Keep the stores of several machines in sync, through a folder or PostgreSQL.

`memctl sync` alone syncs with every place that is set up. `memctl sync PLACE` syncs with one, and
sets it up if it is new (see docs/sync.md)."""
OptionalPlace = Annotated[
    str | None,
    argument(metavar="PLACE", help="A folder, or postgresql://... (default: all that are set up)."),
]
Name = Annotated[
    str,
    argument(metavar="NAME", help="A member or a machine (see `memctl sync members`)."),
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
        option("--as", metavar="NAME", help="Your name, where the place is new."),
    ] = None,
    plain: Annotated[
        bool,
        option("--no-encryption", help="For a new folder: anyone who can open it can read it."),
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> SyncReport:
    """Send what changed here, and receive what changed on other machines.

    Before anything is sent for the first time, memctl shows what would be sent and asks.
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
            help="A folder or postgresql://... (default: the one in the code).",
        ),
    ],
    code: Annotated[
        str | None,
        argument(metavar="CODE", help="The invitation code (default: asked for; - reads stdin)."),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> SyncReport:
    """Join a group with an invitation code, then sync for the first time.

    memctl shows what would be sent and asks first. If you say no, you have joined and nothing was
    sent.
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
        bool, option("--admin", help="They may invite and remove members, as you can.")
    ] = False,
    place: Annotated[
        str | None, option("--place", metavar="PLACE", help="The place where they join.")
    ] = None,
    only: Annotated[
        list[str] | None,
        option("--only", metavar="PROJECT", help="At a hub: they see only these projects."),
    ] = None,
) -> InviteReport:
    """Print an invitation code. Whoever has it can join: send it as you would a password."""
    return call.engine.sync.invite(name, is_admin=admin, place=place, only=tuple(only or ()))


@command("memctl sync members", codes=(20,))
def members(call: Call) -> MembersReport:
    """List the members of the group and their machines."""
    return call.engine.sync.members()


@command(
    "memctl sync remove Ines",
    "memctl sync remove Ines --yes",
    "memctl sync remove 3A5H2W4DBV",
    codes=(20, 21, 40),
)
def remove(call: Call, name: Name, dry_run: DryRun = False, yes: Yes = False) -> MembersReport:
    """Remove a member or a machine. All other machines refuse what they send from now on.

    They keep what they have, and you keep what came from them. Remove a lost or stolen machine of
    your own by its id or its name.
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
    never: Annotated[bool, option("--never", help="Keep it on this machine.")] = False,
    types: Types = None,
    candidates: Annotated[bool, option("--candidates", help="Share inbox candidates too.")] = False,
    turns: Annotated[
        bool, option("--turns", help="Share captured conversations too, word for word.")
    ] = False,
    dry_run: DryRun = False,
) -> ShareReport:
    """Choose who receives a project: all members, or fewer with --own or --never.

    Without a project, show what is shared now and what stays on this machine.
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
    """Show each place, the last sync there, and what has not been sent yet."""
    return call.engine.sync.status()


@command("memctl sync leave ~/Sync/memctl", "memctl sync leave --dry-run", codes=(20, 21, 130))
def leave(
    call: Call, place: OptionalPlace = None, dry_run: DryRun = False, yes: Yes = False
) -> LeaveReport:
    """Leave a place, or all of them. What you received stays here; nothing more is sent."""
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
