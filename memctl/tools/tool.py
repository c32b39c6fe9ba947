"""What a tool is: its name, the words that tell a model when to use it, its schema, its work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memctl.core.frozen import dataclass
from memctl.core.model import Place
from memctl.engine.memory_engine import MemoryEngine


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one call of a tool works: an open engine, the caller's location, and how long the
    answer may be, in tokens.
    """

    engine: MemoryEngine
    folder: Path | None
    project: str | None
    session: str | None
    max_tokens: int

    def find_place(self) -> Place:
        """The caller's project. Raises NoStore, NotFound."""
        return self.engine.place(self.folder, project=self.project, session=self.session)

    def find_place_to_write(self) -> Place:
        """Like `find_place`, after registering the folder's project if new. Raises NoStore: a tool
        never creates a store.
        """
        self.find_place()
        return self.engine.place_to_write(self.folder, project=self.project, session=self.session)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `parameters` is a JSON schema (draft 2020-12) of an object; `run` gets the checked
    arguments, with None for each that was not given.

    `is_reading`: it changes nothing but the log of what was served. `is_destructive`: it takes
    something out of force. `is_repeatable`: the same call twice does no more than once.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Desk, Mapping[str, Any]], dict[str, Any]]
    is_reading: bool = False
    is_destructive: bool = False
    is_repeatable: bool = False
