"""OpenCode's sessions and those of its forks (Kilo, MiMoCode).

Two formats are read: what `opencode export` writes, and the tree of files of earlier versions.

Invariants: a part that the program made (synthetic, ignored) is no human turn; a session that
another one started was asked by an agent; what was reverted is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, parse_json
from memctl.readers.session import Session
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_QUIET_PARTS = frozenset(
    [
        "reasoning",
        "file",
        "patch",
        "step-start",
        "step-finish",
        "snapshot",
        "agent",
        "compaction",
        "retry",
        "subtask",
    ]
)
_FORKS = ("kilo", "mimocode")
_ENDED = ("completed", "success", "error")
_LONE_PIECE = "one piece of a session; give its storage/session/PROJECT/ses_ID.json"
_NO_MESSAGES = "no messages in ../../message/ses_ID; give the session within its storage folder"
# A message's head and its parts.
Message = tuple[dict[str, Any], Iterable[dict[str, Any]]]


class OpenCode:
    """Reads OpenCode's exports, and its tree of files starting from the session's own file."""

    name: ClassVar[str] = "opencode"
    agent: ClassVar[str] = "opencode"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if it is an export, a session in the tree, or a lone message or part.

        A lone message or part is refused with a reason when it is read.
        """
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return 0.0
        if has_keys(head, "info", "messages", "parts"):
            return 0.96
        is_message = has_keys(head, "sessionID", "role") or has_keys(head, "messageID", "type")
        is_piece = has_keys(head, "id") and (is_message or _is_part(head))
        return 0.96 if is_piece or has_keys(head, "projectID", "directory") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        whole = as_dict(source.read_json())
        session = OpenCodeSession(source, self)
        if "info" in whole:
            head = as_dict(whole["info"])
            session.note_session(head)
            session.read_messages(_list_export(whole), head)
        elif "directory" in whole or "projectID" in whole:
            session.note_session(whole)
            session.agent = find_fork(source)
            session.read_messages(_list_tree(source, as_text(whole.get("id"))), whole)
        else:
            source.unknown[_LONE_PIECE if whole else "not JSON"] += 1
        yield session.to_transcript()


READER = OpenCode()


class OpenCodeSession(Session):
    """A session of OpenCode, from an export, a tree of files or a database."""

    wrappings = frozenset(["system-reminder", "file", "files"])

    def note_session(self, head: dict[str, Any]) -> None:
        """Note what a session says about itself."""
        created = as_dict(head.get("time")).get("created")
        self.session_id, self.title = as_name(head.get("id")), as_name(head.get("title"))
        self.cwd = as_name(head.get("directory"))
        self.parent_id = as_name(head.get("parentID")) or as_name(head.get("parent_id"))
        self.is_subagent = self.parent_id is not None
        self.began_at = parse_time(created) or parse_time(head.get("time_created"))

    def read_messages(self, messages: Iterable[Message], head: dict[str, Any]) -> None:
        """Add messages in their order, up to the point that the session was reverted to."""
        revert = head.get("revert")
        reverted = as_dict(parse_json(revert) if isinstance(revert, str) else revert)
        last_message, last_part = (
            as_text(reverted.get("messageID")),
            as_text(reverted.get("partID")),
        )
        for number, (info, parts) in enumerate(messages, 1):
            is_last = bool(last_message) and info.get("id") == last_message
            if is_last and not last_part:
                break
            self.line, self.ts = number, parse_time(as_dict(info.get("time")).get("created"))
            self.cwd = self.cwd or as_name(as_dict(info.get("path")).get("cwd"))
            for part in parts:
                if is_last and part.get("id") == last_part:
                    break
                self._read_part(info, part)
            if is_last:
                break

    def _read_part(self, info: dict[str, Any], part: dict[str, Any]) -> None:
        kind = as_text(part.get("type"))
        if kind == "text":
            self._read_text(info, part)
        elif kind == "tool":
            self._read_tool(part)
        elif kind not in _QUIET_PARTS:
            self.count_unknown("part", kind)

    def _read_text(self, info: dict[str, Any], part: dict[str, Any]) -> None:
        if part.get("synthetic") is True or part.get("ignored") is True:
            return
        text, role = as_text(part.get("text")), as_text(info.get("role"))
        if info.get("summary") is True:
            self.add_summary(text)
        elif role == "user":
            self.add_prompt(text)
        elif role == "assistant":
            self.add_answer(text)

    def _read_tool(self, part: dict[str, Any]) -> None:
        """Add a tool call and, if it has ended, its result."""
        state, tool, call_id = as_dict(part.get("state")), part.get("tool"), part.get("callID")
        status = as_text(state.get("status"))
        self.add_call(as_name(tool), state.get("input"), call_id=call_id)
        if status in _ENDED:
            has_failed = status == "error"
            text = as_text(state.get("error" if has_failed else "output"))
            self.add_result(text, call_id=call_id, tool=tool, ok=not has_failed)


def list_session_files(path: Path) -> tuple[Path, ...]:
    """Return all files of the session, given the session's own file."""
    source = Input(path=path)
    session_id = as_text(_read_object(path).get("id"))
    message_files = _list_message_files(source, session_id)
    part_files = _PartFiles(source, session_id)
    files = [path, *message_files]
    for message_file in message_files:
        files += part_files.list_of(as_text(_read_object(message_file).get("id")))
    return tuple(files)


def find_fork(source: Input) -> str:
    """Return the agent that wrote these sessions, by the name of the folder or the database."""
    parts = source.path.parts if source.path is not None else ()
    names = {part.removesuffix(".db") for part in parts}
    return next((fork for fork in _FORKS if fork in names), OpenCode.agent)


def _read_object(path: Path) -> dict[str, Any]:
    return as_dict(Input(path=path).read_json())


def _list_export(whole: dict[str, Any]) -> Iterator[Message]:
    for item in as_dicts(whole.get("messages")):
        yield as_dict(item.get("info")), as_dicts(item.get("parts"))


def _list_tree(source: Input, session_id: str) -> Iterator[Message]:
    """Yield the messages of a session in the tree, in the order in which they were made."""
    heads = [_read_object(file) for file in _list_message_files(source, session_id)]
    if not heads:
        source.unknown[_NO_MESSAGES] += 1
    part_files = _PartFiles(source, session_id)
    for head in sorted(heads, key=_make_sort_key):
        yield head, [_read_object(file) for file in part_files.list_of(as_text(head.get("id")))]


def _make_sort_key(head: dict[str, Any]) -> tuple[str, str]:
    created = parse_time(as_dict(head.get("time")).get("created"))
    return created or "", as_text(head.get("id"))


def _list_message_files(source: Input, session_id: str) -> list[Path]:
    """Return the files of a session's messages; older versions kept them below `session`."""
    if not session_id:
        return []
    return _list_json_files(source, f"../../message/{session_id}", f"../message/{session_id}")


class _PartFiles:
    """Finds the parts of a message: in the message's own folder, or in one for all messages."""

    def __init__(self, source: Input, session_id: str) -> None:
        self.source, self.session_id = source, session_id
        self.shared: dict[str, list[Path]] | None = None

    def list_of(self, message_id: str) -> list[Path]:
        """Return the files of a message's parts."""
        if not message_id:
            return []
        own = (f"../../part/{message_id}", f"../part/{self.session_id}/{message_id}")
        return _list_json_files(self.source, *own) or self._list_shared(message_id)

    def _list_shared(self, message_id: str) -> list[Path]:
        if self.shared is None:
            self.shared = {}
            for file in _list_json_files(self.source, "../../part"):
                owner = as_text(_read_object(file).get("messageID"))
                self.shared.setdefault(owner, []).append(file)
        return self.shared.get(message_id, [])


def _list_json_files(source: Input, *folders: str) -> list[Path]:
    """Return the JSON files of the first of these folders that holds any file."""
    listings = (source.list_files(folder) for folder in folders)
    return [path for path in next(filter(None, listings), []) if path.suffix == ".json"]


def _is_part(head: bytes) -> bool:
    """Return whether it is a part of the newest kind, which has only type, text and start."""
    whole = as_dict(parse_json(head))
    return (
        {"id", "type"} <= whole.keys()
        and "start" in as_dict(whole.get("time"))
        and as_text(whole.get("type")) in {"text", *_QUIET_PARTS}
    )
