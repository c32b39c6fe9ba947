"""VS Code's chats: a session as one object, a log of changes that builds it, or an exported chat.

A request is what a person asked, with everything until the next request. Left out are requests that
the editor made itself, those that a restored checkpoint took back, and a sub-agent's own steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, make_digest_id
from memctl.readers.json_changes import replay_changes
from memctl.readers.session import Session
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import describe_call, describe_command, describe_files
from memctl.readers.values import as_dict, as_dicts, as_list, as_name, as_text, parse_time

# Folders in which the editor keeps sessions, with and without a workspace.
_WORKSPACE_FOLDER = "chatSessions"
_FOLDERS = (_WORKSPACE_FOLDER, "emptyWindowChatSessions")
# Fields of which a session has at least one.
_OWN_FIELDS = ("responderUsername", "requesterUsername", "creationDate", "initialLocation")
# Bytes of a head that are compared with the beginning of a log.
_KIND_BYTES = 40
_TEXT_PARTS = ("", "markdownContent", "markdownVuln")
_TOOL_PARTS = ("toolInvocationSerialized", "toolInvocation")
_EDIT_PARTS = ("textEditGroup", "notebookEditGroup")
_QUIET_PARTS = frozenset(
    [
        "codeblockUri",
        "undoStop",
        "prepareToolInvocation",
        "progressMessage",
        "progressTask",
        "progressTaskSerialized",
        "thinking",
        "mcpServersStarting",
        "warning",
        "command",
        "confirmation",
        "elicitation",
        "elicitationSerialized",
        "elicitation2",
        "reference",
        "treeData",
        "hook",
        "usedContext",
        "contentReference",
        "codeCitation",
        "move",
        "extensions",
        "pullRequest",
        "multiDiffData",
        "changesSummary",
        "questionCarousel",
        "references",
        "workspaceEdit",
        "externalEdit",
        "disabledClaudeHooks",
        "clearToPreviousToolInvocation",
    ]
)


class VSCodeChat:
    """Reads chats of VS Code."""

    name: ClassVar[str] = "vscode-chat"
    agent: ClassVar[str] = "vscode-copilot"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if an object or a log has requests and a field of this editor."""
        if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
            return 0.0
        has_own_field = any(has_keys(head, field) for field in _OWN_FIELDS)
        if has_own_field and (has_keys(head, "requests") or has_keys(head, "kind", "v")):
            return 0.97
        if has_keys(head, "requests", "message", "response"):
            return 0.9
        return 0.6 if has_own_field and has_keys(head, "sessionId", "version") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        state = replay_changes(source) if _is_log(source) else source.read_json_object()
        session = _VSCodeSession(source, self)
        session.read_state(state)
        yield session.to_transcript()


READER = VSCodeChat()


def _is_log(source: Input) -> bool:
    head = source.read_head().removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:_KIND_BYTES].replace(b" ", b"").startswith(b'{"kind":'):
        return True
    first = next(iter(parse_head_objects(head)), {})
    return "kind" in first and "requests" not in first


class _VSCodeSession(Session):
    """The session, and the words of an answer that are still to be joined."""

    words: list[str]
    # Results and arguments of the current request's tool calls, by the call's id.
    results: dict[str, Any]
    arguments: dict[str, Any]

    def read_state(self, state: dict[str, Any]) -> None:
        """Read the whole session."""
        for number, request in enumerate(as_dicts(state.get("requests")), 1):
            self.line, self.ts = number, parse_time(request.get("timestamp"))
            self._read_request(request)
        self.session_id = as_name(state.get("sessionId"))
        self.cwd = self._find_folder()
        self.add_title(as_text(state.get("customTitle")) or as_text(state.get("computedTitle")))
        self.began_at = parse_time(state.get("creationDate"))
        self.ended_at = parse_time(state.get("lastMessageDate"))

    def _find_folder(self) -> str | None:
        """Return the open folder, which a file above the session names."""
        path = self.source.path
        if path is None or path.parent.name != _WORKSPACE_FOLDER:
            return None
        workspace = self.source.read_json_beside("../workspace.json")
        return parse_file_uri(workspace.get("folder"))

    def _make_session_id(self, turns: tuple[Turn, ...]) -> str:
        """Use the file's name if the editor chose it, else make an id from the beginning."""
        path = self.source.path
        if path is not None and path.parent.name in _FOLDERS:
            return path.stem
        return make_digest_id("vscode", f"{turns[0].ts} {turns[0].text}" if turns else "")

    def _read_request(self, request: dict[str, Any]) -> None:
        """Add what was asked and what was answered."""
        if request.get("shouldBeRemovedOnSend"):
            return
        self.words = []
        self._note_tool_calls(request)
        if request.get("isSystemInitiated") is not True:
            self._add_question(request.get("message"))
        response = request.get("response")
        for part in [response] if isinstance(response, (str, dict)) else as_list(response):
            self._read_part({"value": part} if isinstance(part, str) else as_dict(part))
        self._add_words()

    def _note_tool_calls(self, request: dict[str, Any]) -> None:
        metadata = as_dict(as_dict(request.get("result")).get("metadata"))
        self.results = as_dict(metadata.get("toolCallResults"))
        self.arguments = {}
        for tool_round in as_dicts(metadata.get("toolCallRounds")):
            for call in as_dicts(tool_round.get("toolCalls")):
                self.arguments[as_text(call.get("id"))] = call.get("arguments")

    def _add_question(self, message: object) -> None:
        text = (as_text(message) or as_text(as_dict(message).get("text"))).strip()
        is_command = text.startswith("/") and len(text.split()) == 1
        self.add("human", "command" if is_command else "text", text)

    def _read_part(self, part: dict[str, Any]) -> None:
        kind = as_text(part.get("kind"))
        if kind in _TEXT_PARTS:
            self.words.append(
                _find_markdown(part.get("value")) or _find_markdown(part.get("content"))
            )
        elif kind == "inlineReference":
            self.words.append(_name_reference(part))
        elif kind in _TOOL_PARTS:
            self._add_words()
            self._read_tool(part)
        elif kind in _EDIT_PARTS:
            self._add_words()
            self._read_edit(part)
        elif kind not in _QUIET_PARTS:
            self.count_unknown("part", kind)

    def _add_words(self) -> None:
        """Add the collected words as one answer."""
        self.add_answer("".join(self.words))
        self.words = []

    def _read_edit(self, part: dict[str, Any]) -> None:
        uri = as_dict(part.get("uri"))
        path = as_name(uri.get("fsPath")) or as_name(uri.get("path"))
        if path:
            self.add_described_call("edit", *describe_files("edit", [path]))

    def _read_tool(self, part: dict[str, Any]) -> None:
        """Add a tool call and, if it is known, its result."""
        if part.get("subAgentInvocationId"):
            return
        tool = as_text(part.get("toolId")) or as_text(part.get("toolName"))
        call_id = as_text(part.get("toolCallId"))
        details = as_dict(part.get("toolSpecificData"))
        text, data = self._describe_tool(tool, call_id, part, details)
        if tool:
            self.add_described_call(tool, text, data, call_id=call_id)
        result = _join_result(self.results.get(call_id)) or as_text(details.get("result"))
        code = as_dict(details.get("terminalCommandState")).get("exitCode")
        if isinstance(code, int):
            exit_data = {"exit_code": code}
            self.add_result(result, tool=tool, call_id=call_id, ok=code == 0, data=exit_data)
        elif result:
            self.add_result(result, tool=tool, call_id=call_id)

    def _describe_tool(
        self, tool: str, call_id: str, part: dict[str, Any], details: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Describe a call; use the editor's own words for it if there are no data."""
        command = _find_command_line(details)
        if command:
            return describe_command(command)
        arguments = self.arguments.get(call_id)
        text, data = describe_call(tool.removeprefix("copilot_"), arguments)
        messages = map(part.get, ("pastTenseMessage", "invocationMessage"))
        message = next(filter(None, map(_find_markdown, messages)), "")
        return (text if data else message or text or tool), data


def _find_command_line(details: dict[str, Any]) -> str:
    """Return the shell command of a tool, as the user changed it."""
    line = as_dict(details.get("commandLine"))
    commands = (line.get("userEdited"), line.get("original"), details.get("command"))
    return next(filter(None, map(as_text, commands)), "")


def _find_markdown(value: object) -> str:
    """Return text, or the text of an object that says how to show it."""
    return value if isinstance(value, str) else as_text(as_dict(value).get("value"))


def _name_reference(part: dict[str, Any]) -> str:
    """Return the name of a reference in the text, else the last part of its path."""
    target = as_dict(part.get("inlineReference"))
    location_uri = as_dict(as_dict(target.get("location")).get("uri"))
    uri = as_dict(target.get("uri")) or location_uri or target
    file_name = as_text(uri.get("path")).rpartition("/")[2]
    name = as_text(part.get("name")) or as_text(target.get("name")) or file_name
    return f"`{name}`" if name else ""


def _join_result(result: object) -> str:
    values = (part.get("value") for part in as_dicts(as_dict(result).get("content")))
    return "\n".join(value for value in values if isinstance(value, str))
