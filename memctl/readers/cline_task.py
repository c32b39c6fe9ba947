"""What is known of a task of Cline, Roo or Kilo beside its messages: whose it is, its id, its folder, the task that it serves."""

from __future__ import annotations

import re
from typing import Any

from memctl.core.frozen import dataclass
from memctl.core.model import Transcript
from memctl.readers.base import Input, make_digest_id, parse_json
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_name, as_text, parse_time

_FILES = frozenset(["api_conversation_history.json", "ui_messages.json", "claude_messages.json"])
_AGENTS = {"roo-cline": "roo", "roo-code": "roo", "kilo-code": "kilo-code", "kilocode": "kilo-code"}
_FOLDER = re.compile(r"Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")


@dataclass(frozen=True, slots=True)
class Task:
    """A task; `name` is its id, where its folder or a file beside tells one."""

    name: str | None
    agent: str
    parent: str | None
    cwd: str | None
    title: str | None
    begun: str | None

    def transcript(
        self, format_name: str, source: Input, turns: Turns, cwd: str | None
    ) -> Transcript:
        """The finished task; one that was piped in is known by its beginning."""
        turns.add("system", "title", self.title or "")
        said = turns.collect()
        return Transcript(
            format=format_name,
            agent=self.agent,
            session_id=self.name
            or make_digest_id(
                "cline", next((turn.text for turn in said if turn.role == "human"), "")
            ),
            turns=said,
            parent_session_id=self.parent,
            cwd=self.cwd or cwd,
            title=self.title,
            started_at=turns.started_at or self.begun,
            ended_at=turns.ended_at,
            unknown=dict(source.unknown),
        )


def task_beside(source: Input) -> Task:
    """What the folder and the files beside say of a task."""
    path = source.path
    if path is None:
        return Task(None, "cline", None, None, None, None)
    agent = next(
        (
            name
            for part in path.parts
            for mark, name in _AGENTS.items()
            if part.lower().endswith(mark)
        ),
        "cline",
    )
    is_in_folder = path.name in _FILES
    own = (
        path.parent.name
        if is_in_folder
        else path.name.removesuffix(".json").removesuffix(".messages")
    )
    about = _about(source, "history_item.json" if is_in_folder else f"{own}.json")
    parent = as_name(about.get("parentTaskId")) or as_name(about.get("parent_session_id"))
    cwd = (
        as_name(about.get("workspace"))
        or as_name(about.get("cwd"))
        or as_name(about.get("cwdOnTaskInitialization"))
    )
    return Task(
        own,
        agent,
        parent,
        cwd,
        as_name(as_dict(about.get("metadata")).get("title")),
        parse_time(about.get("started_at")),
    )


def _about(source: Input, name: str) -> dict[str, Any]:
    if source.path is not None and source.path.name == name:
        return {}
    return as_dict(parse_json(source.read_beside(name) or b""))


def folder_in(text: str) -> str | None:
    """The folder that the state of the editor names."""
    found = _FOLDER.search(text) if "Directory (" in text else None
    return as_name(as_text(found[1])) if found else None
