"""What the folder and the files beside the messages say of a task of Cline, Roo or Kilo.

These are the agent, the task's id, its workspace, and the task that started it.
"""

from __future__ import annotations

from pathlib import Path

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any
from memctl.readers.base import Input, Reader, make_digest_id
from memctl.readers.jsonl_session import JsonlSession
from memctl.readers.values import as_dict, as_name, parse_time

_TASK_FILES = frozenset(
    ["api_conversation_history.json", "ui_messages.json", "claude_messages.json"]
)
# Endings of the folders that identify a relative of Cline.
_AGENT_BY_FOLDER = {
    "roo-cline": "roo",
    "roo-code": "roo",
    "kilo-code": "kilo-code",
    "kilocode": "kilo-code",
}
_WORKSPACE = compile_later(r"Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")


class ClineSession(JsonlSession):
    """A task of Cline, Roo or Kilo."""

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        # The workspace that the messages name, used if no file beside them names it.
        self.named_folder: str | None = None
        if source.path is not None:
            self._note_task(source, source.path)

    def _note_task(self, source: Input, path: Path) -> None:
        is_in_folder = path.name in _TASK_FILES
        if is_in_folder:
            self.session_id, about_name = path.parent.name, "history_item.json"
        else:
            self.session_id = path.name.removesuffix(".json").removesuffix(".messages")
            about_name = f"{self.session_id}.json"
        self.agent = _find_agent(path) or self.agent
        # A file outside of a task folder may itself have the name of the file beside it.
        if path.name != about_name:
            self._note_about(source.read_json_beside(about_name))

    def _note_about(self, about: dict[str, Any]) -> None:
        parents = map(about.get, ("parentTaskId", "parent_session_id"))
        folders = map(about.get, ("workspace", "cwd", "cwdOnTaskInitialization"))
        self.parent_id = next(filter(None, map(as_name, parents)), None)
        self.cwd = next(filter(None, map(as_name, folders)), None)
        self.title = as_name(as_dict(about.get("metadata")).get("title"))
        self.began_at = parse_time(about.get("started_at"))

    def note_workspace(self, text: str) -> None:
        """Note the folder in a text about the state of the editor; the first one counts."""
        if self.named_folder is None and "Directory (" in text:
            workspace = _WORKSPACE.search(text)
            self.named_folder = as_name(workspace[1]) if workspace else None

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the finished task; the turns' times are preferred to the task's own."""
        self.add_title(self.title or "")
        self.cwd = self.cwd or self.named_folder
        started_at = self.turns.started_at or self.began_at
        return super().to_transcript(started_at=started_at, **overrides)

    def _make_session_id(self, turns: tuple[Turn, ...]) -> str:
        prompts = (turn.text for turn in turns if turn.role == "human")
        return make_digest_id("cline", next(prompts, ""))


def _find_agent(path: Path) -> str | None:
    for part in path.parts:
        for ending, agent in _AGENT_BY_FOLDER.items():
            if part.lower().endswith(ending):
                return agent
    return None
