"""How `memctl mcp` was called."""

from __future__ import annotations

from pathlib import Path

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """How `memctl mcp` was called: the store, the agent and project if named, and whether only
    tools that read are served.
    """

    db: Path | None = None
    agent: str | None = None
    project: str | None = None
    reads_only: bool = False
