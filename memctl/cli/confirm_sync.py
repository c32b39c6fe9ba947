"""Before anything leaves this machine for the first time, the person sees what, and is asked."""

from __future__ import annotations

import sys

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.text.formatting import flatten
from memctl.cli.text.sync import render_leaving_plan, render_share_plan
from memctl.core.errors import Interrupted, UsageError
from memctl.results.sync import LeaveReport, ShareReport, SyncReport

# How an invitation begins.
_CODE = "memctl-"
# Characters of an invitation; longer ones are none.
_MOST_CODE = 20_000


def plan_first_sync(
    call: Call,
    place: str | None,
    name: str | None,
    encrypt: bool | None,
    *,
    dry_run: bool,
    yes: bool,
) -> SyncReport | None:
    """Where a place is new here, show what would travel and ask; returns the plan, if one was made.

    Raises like `prompts.require_consent`.
    """
    if place is None:
        return None
    plan = call.engine.sync.run(place, member=name, encrypt=encrypt, dry_run=True)
    if dry_run or not any(each.is_new for each in plan.places):
        return plan
    _ask_before_travel(plan, yes=yes)
    return plan


def join_and_sync(call: Call, place: str, code: str, *, yes: bool) -> SyncReport:
    """Join, show what would travel, ask, and sync; with a no it is joined and nothing was sent."""
    joined = call.engine.sync.join(place, code)
    try:
        _ask_before_travel(joined, yes=yes)
    except Interrupted as error:
        raise Interrupted(
            f"you have joined as {joined.member}; nothing was sent yet",
            hint="`memctl sync share` says what travels, `memctl sync` then begins",
        ) from error
    with call.show_progress("syncing", "looking for changes", "changes") as progress:
        return call.engine.sync.run(joined.places[0].name, progress=progress)


def read_invitation(place: str, code: str | None) -> tuple[str, str]:
    """Return the place and the invitation as it was given, from standard input (`-`), or as the
    person pastes it. An invitation alone names its place itself.

    Raises UsageError where nobody can be asked.
    """
    if code is None and place.startswith(_CODE):
        return "", place
    if code is None:
        if not prompts.is_person():
            raise UsageError("the invitation is missing", hint="`memctl sync join PLACE CODE`")
        code = prompts.ask("The invitation (memctl-...):")
    if code == "-":
        code = sys.stdin.read(_MOST_CODE)
    return place, "".join(code.split())


def list_shares(call: Call, has_options: object) -> ShareReport:
    """List what travels. Raises UsageError where options ask for a change of no project."""
    if has_options:
        raise UsageError("name the project", hint="or --global for what holds everywhere")
    return call.engine.sync.list_shares()


def confirm_removal(name: str, *, yes: bool) -> None:
    """Ask before somebody is removed; raises like `prompts.require_consent`."""
    prompts.require_consent(f"Remove {flatten(name)}? All who take part are told.", yes=yes)


def confirm_leaving(plan: LeaveReport, *, yes: bool) -> None:
    """Show what stays where and ask; raises like `prompts.require_consent`."""
    if not yes:
        prompts.say(*render_leaving_plan(plan))
    prompts.require_consent("Leave?", yes=yes)


def _ask_before_travel(plan: SyncReport, *, yes: bool) -> None:
    if plan.plan is None:
        return
    if not yes:
        prompts.say(*render_share_plan(plan))
    prompts.require_consent("Begin?", yes=yes)
