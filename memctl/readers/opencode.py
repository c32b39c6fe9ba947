"""OpenCode's sessions and those of its forks (Kilo, MiMoCode): what `opencode export` writes, and the tree of files it kept before.

Kept true: a part that the program made (synthetic, ignored) is nobody's words; a session that another one started was asked by an agent;
what was reverted is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.session_log import Log
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(
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
WRAPPINGS = frozenset(["system-reminder", "file", "files"])
_LONE = "a lone piece of a session; give its storage/session/PROJECT/ses_ID.json"
_NO_MESSAGES = "a session without its messages, which belong into ../../message/ses_ID; give it within its storage folder"
Message = tuple[dict[str, Any], Iterable[dict[str, Any]]]


class OpenCode:
    """Reads OpenCode's exports and its tree of files, which is given by the session's own file."""

    name: ClassVar[str] = "opencode"
    agent: ClassVar[str] = "opencode"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of a session with its place in the tree, of an export, and of a lone message or part, which is refused with the reason."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return 0.0
        if has_keys(head, "info", "messages") and has_keys(head, "parts"):
            return 0.96
        is_piece = (
            has_keys(head, "sessionID", "role")
            or has_keys(head, "messageID", "type")
            or _is_part(head)
        )
        return (
            0.96
            if has_keys(head, "projectID", "directory") or (is_piece and has_keys(head, "id"))
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file or of the tree around it."""
        whole = as_dict(source.read_json())
        log = Log(source, OpenCode.name, OpenCode.agent, WRAPPINGS)
        if "info" in whole:
            about(log, as_dict(whole["info"]))
            told: Iterable[Message] = (
                (as_dict(item.get("info")), map(as_dict, as_list(item.get("parts"))))
                for item in _items(whole)
            )
            take(log, told, as_dict(whole["info"]))
        elif "directory" in whole or "projectID" in whole:
            about(log, whole)
            log.agent = find_fork(source)
            take(log, _tree(source, as_text(whole.get("id"))), whole)
        elif whole:
            source.unknown[_LONE] += 1
        else:
            source.unknown["not JSON"] += 1
        yield log.transcript()


READER = OpenCode()


def list_session_files(path: Path) -> tuple[Path, ...]:
    """All files of the session whose own file this is."""
    source = Input(path=path)
    session = as_text(as_dict(source.read_json()).get("id"))
    files = _message_files(source, session)
    ids = [as_text(as_dict(Input(path=file).read_json()).get("id")) for file in files]
    part_files = _Parts(source, session)
    return (path, *files, *(part for message in ids for part in part_files.of(message)))


def find_fork(source: Input) -> str:
    """Whose sessions these are, by the folder or the database that holds them."""
    names = (
        {part.removesuffix(".db") for part in source.path.parts}
        if source.path is not None
        else set()
    )
    return next((fork for fork in ("kilo", "mimocode") if fork in names), OpenCode.agent)


def about(log: Log, info: dict[str, Any]) -> None:
    """Note what a session says about itself."""
    log.session_id, log.title = as_name(info.get("id")), as_name(info.get("title"))
    log.cwd = as_name(info.get("directory"))
    log.parent = as_name(info.get("parentID")) or as_name(info.get("parent_id"))
    log.is_sub = log.parent is not None
    log.begun = parse_time(as_dict(info.get("time")).get("created")) or parse_time(
        info.get("time_created")
    )


def take(log: Log, messages: Iterable[Message], session: dict[str, Any]) -> None:
    """Add messages in the order in which they were made, up to where the session was reverted to."""
    revert = session.get("revert")
    back = as_dict(parse_json(revert) if isinstance(revert, str) else revert)
    ends_at, ends_within = as_text(back.get("messageID")), as_text(back.get("partID"))
    for line, (info, parts) in enumerate(messages, 1):
        is_last = bool(ends_at) and info.get("id") == ends_at
        if is_last and not ends_within:
            break
        ts = parse_time(as_dict(info.get("time")).get("created"))
        log.cwd = log.cwd or as_name(as_dict(info.get("path")).get("cwd"))
        for part in parts:
            if is_last and part.get("id") == ends_within:
                break
            _take_part(log, line, info, part, ts)
        if is_last:
            break


def _take_part(
    log: Log, line: int, info: dict[str, Any], part: dict[str, Any], ts: str | None
) -> None:
    kind, role = as_text(part.get("type")), as_text(info.get("role"))
    if kind == "text":
        text = as_text(part.get("text"))
        if part.get("synthetic") is True or part.get("ignored") is True:
            return
        if info.get("summary") is True:
            log.summary(text, ts=ts, line=line)
        elif role == "user":
            log.prompt(text, ts=ts, line=line)
        elif role == "assistant":
            log.answer(text, ts=ts, line=line)
    elif kind == "tool":
        _tool(log, line, part, ts)
    elif kind not in _QUIET:
        log.source.unknown[f"part {kind[:40]}"] += 1


def _tool(log: Log, line: int, part: dict[str, Any], ts: str | None) -> None:
    state, tool = as_dict(part.get("state")), as_name(part.get("tool"))
    status = as_text(state.get("status"))
    log.call(tool, state.get("input"), call_id=part.get("callID"), ts=ts, line=line)
    if status in ("completed", "success", "error"):
        text = as_text(state.get("error")) if status == "error" else as_text(state.get("output"))
        log.result(
            text, call_id=part.get("callID"), tool=tool, ok=status != "error", ts=ts, line=line
        )


def _items(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return map(as_dict, as_list(whole.get("messages")))


def _tree(source: Input, session: str) -> Iterator[Message]:
    found = [as_dict(Input(path=file).read_json()) for file in _message_files(source, session)]
    if not found:
        source.unknown[_NO_MESSAGES] += 1
    part_files = _Parts(source, session)
    for info in sorted(found, key=lambda info: (_made(info), as_text(info.get("id")))):
        yield (
            info,
            [
                as_dict(Input(path=file).read_json())
                for file in part_files.of(as_text(info.get("id")))
            ],
        )


def _made(info: dict[str, Any]) -> str:
    return parse_time(as_dict(info.get("time")).get("created")) or ""


def _message_files(source: Input, session: str) -> list[Path]:
    """The files of a session's messages; older versions kept them below `session`."""
    return (
        _first_found(source, f"../../message/{session}", f"../message/{session}") if session else []
    )


class _Parts:
    """Where the parts of a session's messages are: in a folder for each message, in older versions in one for all of them."""

    def __init__(self, source: Input, session: str) -> None:
        self.source, self.session = source, session
        self.loose: dict[str, list[Path]] | None = None

    def of(self, message: str) -> list[Path]:
        """The files of a message's parts."""
        if not message:
            return []
        return _first_found(
            self.source, f"../../part/{message}", f"../part/{self.session}/{message}"
        ) or self._loose(message)

    def _loose(self, message: str) -> list[Path]:
        if self.loose is None:
            self.loose = {}
            for file in _first_found(self.source, "../../part"):
                self.loose.setdefault(
                    as_text(as_dict(Input(path=file).read_json()).get("messageID")), []
                ).append(file)
        return self.loose.get(message, [])


def _first_found(source: Input, *folders: str) -> list[Path]:
    found = (source.list_files(folder) for folder in folders)
    return [path for path in next(filter(None, found), []) if path.suffix == ".json"]


def _is_part(head: bytes) -> bool:
    """A part of the newest kind says no more than its type, its text and when it began."""
    whole = as_dict(parse_json(head))
    return (
        {"id", "type"} <= whole.keys()
        and "start" in as_dict(whole.get("time"))
        and as_text(whole.get("type")) in {"text", *_QUIET}
    )
