"""Sessions of early versions of Copilot CLI: one object with a timeline and the model's messages.

The timeline is preferred, because its prompts are as the user typed them.
"""

from __future__ import annotations

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any
from memctl.readers.base import Input, Reader
from memctl.readers.messages import add_message, join_text
from memctl.readers.session import Session
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_SPOKEN = ("user", "copilot")
_QUIET = frozenset(["info", "error", "warning", "intention", "reasoning"])
_FAILED = ("failure", "error", "rejected", "denied")


def is_old_session(head: bytes) -> bool:
    """Return whether a file is a session of an early version."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
        return False
    has_messages = has_keys(head, "chatMessages") or has_keys(head, "timeline", "startTime")
    return has_messages and has_keys(head, "sessionId")


def read_old_session(source: Input, reader: Reader) -> Transcript:
    """Return the one session of the file."""
    session = _OldSession(source, reader)
    session.read_whole(source.read_json_object())
    return session.to_transcript()


class _OldSession(Session):
    is_named_by_file = True

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        # The file is one object, on one line.
        self.line = 1
        self.called: set[str] = set()

    def read_whole(self, whole: dict[str, Any]) -> None:
        """Read the whole session."""
        self.session_id = as_name(whole.get("sessionId"))
        self.began_at = parse_time(whole.get("startTime"))
        timeline = as_dicts(whole.get("timeline"))
        if any(as_text(item.get("type")) in _SPOKEN for item in timeline):
            for item in timeline:
                self._read_item(item)
        else:
            for message in as_dicts(whole.get("chatMessages")):
                add_message(self.turns, self.source.unknown, message, self.line)

    def _read_item(self, item: dict[str, Any]) -> None:
        self.ts = parse_time(item.get("timestamp"))
        kind = as_text(item.get("type"))
        if kind == "user":
            self.add("human", "text", as_text(item.get("text")))
        elif kind == "copilot":
            self.add_answer(as_text(item.get("text")))
        elif kind.startswith("tool_call"):
            self._read_tool_call(item)
        elif kind not in _QUIET:
            self.count_unknown("type", kind)

    def _read_tool_call(self, item: dict[str, Any]) -> None:
        """Read a tool call as it was requested, as it ended, or both in one."""
        tool, call_id = as_text(item.get("name")), as_text(item.get("callId"))
        if tool and (not call_id or call_id not in self.called):
            self.called.add(call_id)
            self.add_call(tool, item.get("arguments"), call_id=call_id)
        if "result" not in item:
            return
        result = as_dict(item["result"])
        texts = (result.get(field) for field in ("log", "content", "textResultForLlm"))
        output = next(filter(None, texts), item["result"])
        outcome = as_text(result.get("type") or result.get("resultType"))
        self.add_result(join_text(output), tool=tool, call_id=call_id, ok=outcome not in _FAILED)
