"""VS Code's chats: a session as one object with its requests, the log of changes that builds such an object, and an exported chat.

A request is what a person asked and everything until the next. Requests that the editor made itself, and those that a restored
checkpoint took back, are left out; so are a sub-agent's own steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript, Turn
from memctl.readers.base import Input, clip, make_digest_id, parse_json
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call, describe_command, describe_files
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_SET, _PUSH, _DELETE = 1, 2, 3
_FOLDERS = ("chatSessions", "emptyWindowChatSessions")
_HEADS = ("responderUsername", "requesterUsername", "creationDate", "initialLocation")


class VSCodeChat:
    """Reads chats of VS Code."""

    name: ClassVar[str] = "vscode-chat"
    agent: ClassVar[str] = "vscode-copilot"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when an object of requests, or a log that builds one, says what only this editor says."""
        if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
            return 0.0
        is_known = any(has_keys(head, key) for key in _HEADS)
        if is_known and (has_keys(head, "requests") or has_keys(head, "kind", "v")):
            return 0.97
        if has_keys(head, "requests", "message", "response"):
            return 0.9
        return 0.6 if is_known and has_keys(head, "sessionId", "version") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        state = _replayed(source) if _is_log(source) else _whole(source)
        turns = Turns()
        for number, request in enumerate(as_list(state.get("requests")), 1):
            _Request(source, turns, number, as_dict(request)).take()
        yield _transcript(source, state, turns)


READER = VSCodeChat()


def _transcript(source: Input, state: dict[str, Any], turns: Turns) -> Transcript:
    title = as_text(state.get("customTitle")) or as_text(state.get("computedTitle"))
    turns.add("system", "title", title)
    said = turns.collect()
    return Transcript(
        format=VSCodeChat.name,
        agent=VSCodeChat.agent,
        session_id=as_name(state.get("sessionId")) or _stand_in(source, said),
        turns=said,
        cwd=_folder(source),
        title=as_name(title),
        started_at=parse_time(state.get("creationDate")) or turns.started_at,
        ended_at=turns.ended_at or parse_time(state.get("lastMessageDate")),
        unknown=dict(source.unknown),
    )


def _stand_in(source: Input, said: tuple[Turn, ...]) -> str:
    """An id for a session that tells none: its file's name where the editor gave it; exports are named by people, so their beginning."""
    if source.path is not None and source.path.parent.name in _FOLDERS:
        return source.path.stem
    return make_digest_id("vscode", f"{said[0].ts} {said[0].text}" if said else "")


def _folder(source: Input) -> str | None:
    """The folder that was open, which a file above the session's names."""
    if source.path is None or source.path.parent.name != "chatSessions":
        return None
    return parse_file_uri(
        as_dict(parse_json(source.read_beside("../workspace.json") or b"")).get("folder")
    )


def _is_log(source: Input) -> bool:
    head = source.read_head().removeprefix(b"\xef\xbb\xbf").lstrip()
    return head[:40].replace(b" ", b"").startswith(b'{"kind":')


def _whole(source: Input) -> dict[str, Any]:
    whole = source.read_json()
    if not isinstance(whole, dict):
        source.unknown["not JSON"] += 1
    return as_dict(whole)


def _replayed(source: Input) -> dict[str, Any]:
    """The object that the log builds."""
    state: Any = {}
    for _, entry in source.read_json_lines():
        kind, path = entry.get("kind"), entry.get("k")
        if kind == 0:
            state = entry.get("v")
        elif (
            kind in (_SET, _PUSH, _DELETE)
            and isinstance(path, list)
            and path
            and _changed(state, path, entry)
        ):
            continue
        else:
            source.unknown["change"] += 1
    return as_dict(state)


def _changed(state: Any, path: list[Any], entry: dict[str, Any]) -> bool:
    """Carry out one change; False for one that leads nowhere."""
    holder: Any = state
    for step in path[:-1]:
        holder = _child(holder, step)
    last = path[-1]
    if entry["kind"] == _PUSH:
        return _pushed(holder, last, entry)
    is_place = isinstance(holder, list) and isinstance(last, int) and not isinstance(last, bool)
    if entry["kind"] == _DELETE:
        if isinstance(holder, dict) and isinstance(last, str):
            holder.pop(last, None)
            return True
        return False
    if isinstance(holder, dict) and isinstance(last, str):
        holder[last] = entry.get("v")
        return True
    if not is_place or not 0 <= last <= len(holder):
        return False
    holder[last : last + 1] = [entry.get("v")]
    return True


def _pushed(holder: Any, last: Any, entry: dict[str, Any]) -> bool:
    """Append to a list, after cutting it where the change says."""
    target = _child(holder, last)
    if target is None and isinstance(holder, dict) and isinstance(last, str):
        target = holder[last] = []
    if not isinstance(target, list):
        return False
    start = entry.get("i")
    if isinstance(start, int) and 0 <= start < len(target):
        del target[start:]
    target += as_list(entry.get("v"))
    return True


def _child(holder: Any, step: Any) -> Any:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and 0 <= step < len(holder):
        return holder[step]
    return None


class _Request:
    """One request with its response, and the words that wait to be joined."""

    def __init__(self, source: Input, turns: Turns, number: int, entry: dict[str, Any]) -> None:
        self.source, self.turns, self.number, self.entry = source, turns, number, entry
        self.ts = parse_time(entry.get("timestamp"))
        self.words: list[str] = []
        metadata = as_dict(as_dict(entry.get("result")).get("metadata"))
        self.results = as_dict(metadata.get("toolCallResults"))
        rounds = [as_dict(each) for each in as_list(metadata.get("toolCallRounds"))]
        calls = [as_dict(call) for each in rounds for call in as_list(each.get("toolCalls"))]
        self.arguments = {as_text(call.get("id")): call.get("arguments") for call in calls}

    def take(self) -> None:
        """Add what was asked and what was answered."""
        if self.entry.get("shouldBeRemovedOnSend"):
            return
        if self.entry.get("isSystemInitiated") is not True:
            message = self.entry.get("message")
            text = (as_text(message) or as_text(as_dict(message).get("text"))).strip()
            is_command = text.startswith("/") and len(text.split()) == 1
            self.turns.add(
                "human", "command" if is_command else "text", text, ts=self.ts, line=self.number
            )
        response = self.entry.get("response")
        for part in [response] if isinstance(response, (str, dict)) else as_list(response):
            self._part({"value": part} if isinstance(part, str) else as_dict(part))
        self._flush()

    def _part(self, part: dict[str, Any]) -> None:
        kind = as_text(part.get("kind"))
        if kind in ("", "markdownContent", "markdownVuln"):
            self.words.append(_markdown(part.get("value")) or _markdown(part.get("content")))
        elif kind == "inlineReference":
            self.words.append(_reference(part))
        elif kind in ("toolInvocationSerialized", "toolInvocation"):
            self._flush()
            self._tool(part)
        elif kind in ("textEditGroup", "notebookEditGroup"):
            self._flush()
            self._edit(part)
        elif kind not in _QUIET:
            self.source.unknown[f"part {kind[:40]}"] += 1

    def _flush(self) -> None:
        self.turns.add("assistant", "text", "".join(self.words), ts=self.ts, line=self.number)
        self.words = []

    def _edit(self, part: dict[str, Any]) -> None:
        path = as_name(as_dict(part.get("uri")).get("fsPath")) or as_name(
            as_dict(part.get("uri")).get("path")
        )
        if path:
            text, data = describe_files("edit", [path])
            self.turns.add(
                "assistant", "tool_call", text, ts=self.ts, tool="edit", line=self.number, data=data
            )

    def _tool(self, part: dict[str, Any]) -> None:
        if part.get("subAgentInvocationId"):
            return
        tool, call_id = (
            as_text(part.get("toolId")) or as_text(part.get("toolName")),
            as_text(part.get("toolCallId")),
        )
        about = as_dict(part.get("toolSpecificData"))
        line = as_dict(about.get("commandLine"))
        command = (
            as_text(line.get("userEdited"))
            or as_text(line.get("original"))
            or as_text(about.get("command"))
        )
        text, data = (
            describe_command(command)
            if command
            else describe_call(tool.removeprefix("copilot_"), self.arguments.get(call_id))
        )
        said = _markdown(part.get("pastTenseMessage")) or _markdown(part.get("invocationMessage"))
        if not data and said:
            text = said
        told = {
            "ts": self.ts,
            "tool": tool or None,
            "call_id": call_id or None,
            "line": self.number,
        }
        self.turns.add("assistant", "tool_call", text or tool, data=data, **told)  # type: ignore[arg-type]
        result = _result(self.results.get(call_id)) or as_text(about.get("result"))
        code = as_dict(about.get("terminalCommandState")).get("exitCode")
        if result or isinstance(code, int):
            ok = code == 0 if isinstance(code, int) else None
            exited = {"exit_code": code} if isinstance(code, int) else {}
            self.turns.add("tool", "tool_result", clip(result), ok=ok, data=exited, **told)  # type: ignore[arg-type]


def _markdown(value: object) -> str:
    """Text, or the text of an object that says how to show it."""
    return value if isinstance(value, str) else as_text(as_dict(value).get("value"))


def _reference(part: dict[str, Any]) -> str:
    """What a reference in the text is called: its name, else the last part of its path."""
    target = as_dict(part.get("inlineReference"))
    place = (
        as_dict(target.get("uri")) or as_dict(as_dict(target.get("location")).get("uri")) or target
    )
    name = (
        as_text(part.get("name"))
        or as_text(target.get("name"))
        or as_text(place.get("path")).rpartition("/")[2]
    )
    return f"`{name}`" if name else ""


def _result(result: object) -> str:
    parts = [as_dict(part).get("value") for part in as_list(as_dict(result).get("content"))]
    return "\n".join(part for part in parts if isinstance(part, str))


_QUIET = frozenset(
    "codeblockUri undoStop prepareToolInvocation progressMessage progressTask progressTaskSerialized thinking "
    "mcpServersStarting warning command confirmation elicitation elicitationSerialized elicitation2 reference treeData hook "
    "usedContext contentReference codeCitation move extensions pullRequest multiDiffData changesSummary questionCarousel "
    "references workspaceEdit externalEdit disabledClaudeHooks clearToPreviousToolInvocation".split()
)
