"""`memctl uninstall`."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import DryRun, Yes
from memctl.cli.text.setup import render_uninstall_plan
from memctl.core.frozen import replace
from memctl.results.setup import UninstallReport


@command(
    "memctl uninstall --dry-run",
    "memctl uninstall",
    "memctl uninstall --yes",
    codes=(1, 130),
    store=False,
)
def run(call: Call, dry_run: DryRun = False, yes: Yes = False) -> UninstallReport:
    """Remove everything that setup wrote: hooks, MCP entries, timers, completions, the reader.

    A store that syncs with others leaves them. Your data stays. It prints where the data is, the
    command that erases it, and the one that removes the program. Without a terminal, --yes is
    needed.
    """
    call.is_tolerant = True
    plan = call.engine.setup.uninstall(dry_run=True)
    if dry_run:
        return plan
    is_something = any(item.state == "planned" for item in plan.setup.items)
    if (is_something or plan.sync is not None) and not yes:
        if not prompts.is_person():
            return replace(plan, setup=replace(plan.setup, unanswered=True))
        prompts.say(*render_uninstall_plan(plan))
        prompts.require_consent("Remove this?", yes=False)
    return call.engine.setup.uninstall(shown=plan)
