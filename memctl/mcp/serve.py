"""`memctl mcp`: one client served until it goes."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any, cast

from memctl.core import process_exit
from memctl.core.errors import MissingExtra
from memctl.core.garbage import collect_seldom
from memctl.mcp.options import ServingOptions

_HINT = "pip install 'memctl[mcp]'"


def serve_client(options: ServingOptions) -> None:
    """Serve the client at standard input and output until it goes. Raises MissingExtra."""
    try:
        with collect_seldom():  # the SDK makes some hundred thousand objects that stay
            import mcp.server.context
            import mcp.server.stdio  # noqa: F401
    except ImportError as error:
        raise MissingExtra("the server needs the package mcp, 2.3 or newer", hint=_HINT) from error
    if os.isatty(0):
        print("memctl mcp serves a client that starts it; Ctrl-D ends it.", file=sys.stderr)
    # The client reads standard output as messages; what is logged goes beside it.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memctl mcp: %(message)s")
    import anyio
    from mcp.shared.exceptions import MCPDeprecationWarning

    # Clients of all years are served: what is newly discouraged is still asked of older ones.
    warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
    try:
        anyio.run(_serve, options)
    except* (BrokenPipeError, ConnectionResetError):
        logging.getLogger(__name__).info("the client has gone before its last answers")


async def _serve(options: ServingOptions) -> None:
    from mcp.server.stdio import stdio_server

    from memctl.mcp.handlers import MemoryDoor
    from memctl.mcp.wire import open_wire

    server = MemoryDoor(options, Path.cwd()).build_server()
    source, sink = open_wire()
    # The process ends at once then: somebody may still be reading for a client that says nothing.
    process_exit.close_later(source)
    async with stdio_server(cast(Any, source), cast(Any, sink)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
