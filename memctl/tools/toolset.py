"""All tools bound to one store, agent and place: what a framework is given.

Every call opens the store, works, and closes it: between calls nothing is held, so that any number
of programs may have a toolset at once. Whatever happens in a call is told in its answer.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memctl.core.errors import MemctlError, NotFound
from memctl.core.model import NAMELESS_AGENT
from memctl.engine.memory_engine import MemoryEngine
from memctl.settings import config
from memctl.tools import answers
from memctl.tools.arguments import check_arguments, read_arguments
from memctl.tools.catalogue import BY_NAME, LARGEST_CONTEXT_TOKENS, TOOLS
from memctl.tools.schemas import build_strict_schema
from memctl.tools.tool import Desk, Tool

# Who calls where nobody says it. It must not be the nameless agent, which counts as a script of
# the operator's.
USUAL_AGENT = "tools"
# How long an answer may be, in tokens, and the least that holds one record.
USUAL_TOKENS = 1_200
_FEWEST_TOKENS = 200
# Seconds that a call waits for a busy store; what it states waits in the spool then.
PATIENCE_SECONDS = 2.0
_LONGEST_NAME = 40
_log = logging.getLogger("memctl.tools")


class Toolset:
    """The tools of one agent.

    `db` is the store (else MEMCTL_DB, else the default place), `agent` the name under which it
    writes and has private records (else what the environment says, never the operator), `folder`
    where it works (else the working folder of each call), `project` a known project by name
    instead. `max_tokens` bounds each answer but a context's. `names` are the tools that it has.
    """

    def __init__(
        self,
        db: Path | str | None = None,
        *,
        agent: str | None = None,
        folder: Path | str | None = None,
        project: str | None = None,
        session: str | None = None,
        max_tokens: int = USUAL_TOKENS,
        names: Iterable[str] | None = None,
    ) -> None:
        self.db = None if db is None else Path(db)
        self.agent = name_agent(agent)
        self.folder = None if folder is None else Path(folder)
        self.project = project
        self.session = session
        self.max_tokens = max(max_tokens, _FEWEST_TOKENS)
        wanted = [tool.name for tool in TOOLS] if names is None else list(names)
        self.tools = [BoundTool(self, _find_tool(name)) for name in wanted]

    def __iter__(self) -> Iterator[BoundTool]:
        return iter(self.tools)

    def __getitem__(self, name: str) -> BoundTool:
        """The tool of that name. Raises NotFound."""
        for bound in self.tools:
            if bound.name == name:
                return bound
        names = [bound.name for bound in self.tools]
        near = get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise NotFound(f"there is no tool {name[:_LONGEST_NAME]!r}", hint=hint)

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> dict[str, Any]:
        """Call a tool by its name; `arguments` may be JSON text. Never raises: see `ok`."""
        try:
            bound = self[name]
        except MemctlError as error:
            return answers.build_error(error)
        return bound.call(arguments)

    def run(self, tool: Tool, arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
        """Check the arguments and do the tool's work. Raises MemctlError."""
        given = check_arguments(tool.parameters, read_arguments(arguments))
        room = max(self.max_tokens, LARGEST_CONTEXT_TOKENS if "max_tokens" in given else 0)
        with MemoryEngine.open(self.db, actor=f"agent:{self.agent}") as engine:
            folder = self.folder if self.folder is not None else Path.cwd()
            where = None if self.project else folder
            with engine.limit_patience(PATIENCE_SECONDS):
                return tool.run(Desk(engine, where, self.project, self.session, room), given)


class BoundTool:
    """One tool of a toolset."""

    def __init__(self, toolset: Toolset, tool: Tool) -> None:
        self._toolset = toolset
        self.tool = tool

    @property
    def name(self) -> str:
        """The name by which a model calls it."""
        return self.tool.name

    @property
    def description(self) -> str:
        """When a model should call it."""
        return self.tool.description

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments, draft 2020-12."""
        return dict(self.tool.parameters)

    @property
    def strict_schema(self) -> dict[str, Any]:
        """The same for strict function calling: all required, null for what is left out."""
        return build_strict_schema(self.tool.parameters)

    def describe_for_openai(
        self, *, strict: bool = True, responses: bool = False
    ) -> dict[str, Any]:
        """Describe it as an entry of `tools` of OpenAI's chat completions, or of its responses."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.strict_schema if strict else self.schema,
            "strict": strict,
        }
        return {"type": "function", **(function if responses else {"function": function})}

    def call(self, arguments: Mapping[str, Any] | str | None = None) -> dict[str, Any]:
        """Call it; `arguments` may be JSON text. Never raises: what went wrong is the answer."""
        try:
            return self._toolset.run(self.tool, arguments)
        except MemctlError as error:
            return answers.build_error(error)
        except Exception:
            # A fault of ours must not end the agent's loop; the program's log has the traceback.
            _log.exception("the tool %s failed", self.name)
            return answers.build_error(
                MemctlError("memctl failed inside; nothing is known to be lost")
            )

    def __call__(self, **arguments: Any) -> dict[str, Any]:
        """Call it with keyword arguments."""
        return self.call(arguments)


def name_agent(agent: str | None) -> str:
    """The name under which a toolset acts: a word in lower case, never that of nobody."""
    asked = agent if agent is not None else config.find_agent_name()
    word = re.sub(r"[^a-z0-9._]+", "-", (asked or "").lower()).strip("-.")[:_LONGEST_NAME]
    return USUAL_AGENT if word in ("", NAMELESS_AGENT) else word


def _find_tool(name: str) -> Tool:
    if name not in BY_NAME:
        raise NotFound(f"there is no tool {name!r}", hint=f"there are {', '.join(BY_NAME)}")
    return BY_NAME[name]
