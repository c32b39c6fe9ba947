"""Whether a call was made by the operator's own hand.

That is so if a standard stream is the process's controlling terminal, the process is in its
foreground, and no coding agent has marked the environment: an agent's shell may inherit the
terminal, but not all three. The operator's config can lift this.
"""

from __future__ import annotations

import os

from memctl.core.model import NAMELESS_AGENT, Actor
from memctl.settings import config as config_module
from memctl.settings.config import Config

OPERATOR = Actor("operator")


def find_actor(config: Config) -> Actor:
    """Return the operator, if shown or trusted by config, else the calling agent.

    `agent:unknown` if the agent does not say.
    """
    agent = config_module.find_agent_name()
    if not config["operator.require_terminal"] and not agent:
        return OPERATOR
    if not agent and is_at_terminal():
        return OPERATOR
    return Actor(f"agent:{agent or NAMELESS_AGENT}")


def is_at_terminal() -> bool:
    """Whether a standard stream is the controlling terminal and this process in its foreground."""
    return any(_is_in_foreground(stream) for stream in (0, 1, 2))


def _is_in_foreground(stream: int) -> bool:
    # tcgetpgrp fails on anything that is not the caller's controlling terminal.
    try:
        return os.isatty(stream) and os.tcgetpgrp(stream) == os.getpgrp()
    except OSError:
        return False
