"""`memctl mcp`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import ProjectName
from memctl.mcp import serve
from memctl.mcp.options import ServingOptions


@command("memctl mcp", "memctl mcp --agent cursor", "memctl mcp --read-only", store=False)
def run(
    call: Call,
    agent: Annotated[
        str | None,
        option(
            "--agent",
            metavar="NAME",
            help="Whom the tools act for (else what the client calls itself).",
        ),
    ] = None,
    project: ProjectName = None,
    read_only: Annotated[
        bool, option("--read-only", help="Serve only the tools that change nothing.")
    ] = False,
) -> Raw:
    """Serve the memory's tools, resources and prompts over MCP, on standard input and output.

    A client starts it and ends it by closing its input. It needs `pip install 'memctl[mcp]'`.
    """
    serve.serve_client(ServingOptions(call.db, agent, project, read_only))
    call.as_json = False
    return Raw("")
