"""`memctl hook`."""

from __future__ import annotations

from memctl import hook
from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.declarations import Annotated, command


@command(
    "memctl hook claude-code SessionStart < input.json",
    "memctl-hook codex Stop < input.json",
    store=False,
)
def run(
    call: Call,
    agent: Annotated[
        str,
        declarations.argument(
            metavar="AGENT", help="The agent, such as claude-code, codex or gemini-cli."
        ),
    ],
    event: Annotated[
        str,
        declarations.argument(
            metavar="EVENT", help="The agent's own name of the event, such as SessionStart."
        ),
    ],
    json_text: Annotated[
        str | None,
        declarations.argument(
            metavar="JSON", help="The agent's JSON, for agents that pass it as an argument."
        ),
    ] = None,
) -> Raw:
    """Handle one hook call from an agent; its JSON is on standard input or in the last argument.

    Always exits 0. Prints nothing, or exactly one JSON object in that agent's format. `memctl-hook`
    does the same, faster.
    """
    call.as_json = False
    return Raw(hook.run_within_deadline(agent, event, json_text or "", call.db))
