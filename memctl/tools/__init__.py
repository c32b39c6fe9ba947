"""The memory as tools that a model calls: functions with JSON schemas, for any framework.

    from memctl.tools import Toolset
    tools = Toolset(agent="my-bot")
    tools.call("search_memory", {"query": "how are the tests run"})

A toolset acts for an agent, never for the operator, whatever the environment says. Each call opens
the store, does one short read or write through `MemoryEngine`, and closes it. It answers with plain
JSON data and raises nothing: what went wrong is an answer too, in words that a model can act on.
"""

from __future__ import annotations

from memctl.tools.tool import Tool
from memctl.tools.toolset import BoundTool, Toolset

__all__ = ["BoundTool", "Tool", "Toolset"]
