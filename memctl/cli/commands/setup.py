"""`memctl setup`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli import confirm_setup, guide
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun, Yes
from memctl.core.errors import UsageError
from memctl.results.setup import SetupReport


@command(
    "memctl setup",
    "memctl setup --dry-run",
    "memctl setup claude-code codex --yes",
    "memctl setup gemini --project",
    "memctl setup timer --kind cron",
    "memctl setup --reader agent:claude-code --yes",
    "memctl setup reader --undo",
    "memctl setup cursor --mcp --yes",
    "memctl setup mcp --dry-run",
    "memctl setup mcp --undo",
    "memctl setup --status",
    "memctl setup --undo",
    codes=(1, 130),
    store=False,
)
def run(
    call: Call,
    names: Annotated[
        list[str] | None,
        argument(
            metavar="AGENT",
            help="claude-code, codex, gemini, cursor, copilot, opencode, windsurf, aider, timer, "
            "reader or mcp; for the MCP server also claude-desktop, zed, vscode or jetbrains.",
        ),
    ] = None,
    every: Annotated[
        bool, option("--all", help="Every agent found on this machine (the default).")
    ] = False,
    project: Annotated[
        bool,
        option(
            "--project", help="Use the settings of this folder's repository instead of your own."
        ),
    ] = False,
    kind: Annotated[
        str | None,
        option("--kind", metavar="cron|systemd|launchd", help="What runs the timer."),
    ] = None,
    reader: Annotated[
        str | None,
        option(
            "--reader",
            metavar="agent:NAME|none",
            help="The agent that reads conversations for maintain (agent:claude-code, agent:codex "
            "or agent:gemini-cli; docs/models.md says what it costs), or none: do not ask.",
        ),
    ] = None,
    mcp: Annotated[
        bool,
        option(
            "--mcp",
            help="Also add the MCP server to these agents' settings (see docs/setup.md); the name "
            "mcp does only that.",
        ),
    ] = False,
    undo: Annotated[
        bool,
        option("--undo", help="Remove exactly what was added; without a name, everything."),
    ] = False,
    status: Annotated[
        bool, option("--status", help="Show what is connected; write nothing.")
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> SetupReport:
    """Connect agents: show what would be written into their files, ask, and write it.

    Everything else in those files stays as it is. Without a terminal and without --yes, the plan is
    shown and nothing is written (exit code 1). At a terminal it then asks whether to add the MCP
    server for agents that support it. It also asks whether an agent may read conversations for
    maintain; no is the default.
    """
    if status and undo:
        raise UsageError("--status and --undo exclude each other")
    chosen = confirm_setup.list_agents(names, every=every)
    folder = Path.cwd() if project else None
    if status:
        return call.engine.setup.status(chosen, folder=folder)
    wanted = confirm_setup.WantedSetup(chosen, undo, folder, kind, reader, mcp)
    if dry_run:
        return confirm_setup.plan_all(call.engine.setup, wanted)
    return guide.set_up(call, wanted, yes=yes)
