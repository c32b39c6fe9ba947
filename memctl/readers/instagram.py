"""Read a conversation of Instagram or Facebook Messenger from a JSON export.

Exports hold the newest message first. The older of two layouts writes UTF-8 as if it were Latin-1,
which is undone. Reactions, calls, joins and attachments are notices and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.chats import build_chat, infer_role, read_json_object, repair_encoding_in_value
from memctl.readers.sniffing import has_keys
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_NOTICE = compile_later(
    r"(?:.{1,80} )?(?:sent an attachment\.|sent a (?:photo|video|voice message|link|sticker|GIF"
    r"|location)\.|liked a message|"
    r"reacted .{1,12} to your message|changed the (?:theme|group photo|chat photo|emoji"
    r"|quick reaction)\b.{0,80}|"
    r"named the (?:group|chat)\b.{0,120}|created (?:the|this) group\.?|(?:left"
    r"|joined) the (?:group|chat|call)\.?|"
    r"added .{1,80} to the (?:group|chat)\.?|removed .{1,80} from the group\.?"
    r"|missed .{1,40} (?:call|video chat)\.?|"
    r"(?:started|ended) (?:a|an|the) (?:audio|video|voice)?\s?(?:call|chat)\.?|unsent a message\.?"
    r"|shared a (?:story|post|reel)\.?)\s?",
    re.IGNORECASE,
)
_QUIET_TYPES = frozenset(["Call", "Subscribe", "Unsubscribe", "call", "group_event", "placeholder"])


class Instagram:
    """Reader of message files of Instagram and Facebook."""

    name: ClassVar[str] = "instagram"
    agent: ClassVar[str] = "instagram"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: names of senders with times in milliseconds are certain."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return 0.0
        is_old = has_keys(head, "messages", "sender_name", "timestamp_ms")
        if is_old or has_keys(head, "messages", "senderName", "timestamp"):
            return 0.96
        return 0.5 if has_keys(head, "participants", "messages", "thread_path") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one conversation of the file, oldest message first."""
        whole = read_json_object(source)
        newest = as_dict(next(iter(as_list(whole.get("messages"))), None))
        if "thread_path" in whole or "senderName" not in newest:
            whole = repair_encoding_in_value(whole)
        turns = Turns()
        messages = [as_dict(message) for message in reversed(as_list(whole.get("messages")))]
        for message in sorted(messages, key=lambda message: _parse_message_time(message) or ""):
            _add_message(source, turns, message)
        thread = as_name(whole.get("thread_path"))
        title = as_name(whole.get("title")) or as_name(whole.get("threadName"))
        yield build_chat(
            self,
            source,
            turns,
            session_id=f"instagram-{thread.rpartition('/')[2]}" if thread else None,
            title=title,
        )


READER = Instagram()


def _parse_message_time(message: dict[str, Any]) -> str | None:
    return parse_time(message.get("timestamp_ms", message.get("timestamp")))


def _add_message(source: Input, turns: Turns, message: dict[str, Any]) -> None:
    speaker = as_name(message.get("sender_name")) or as_name(message.get("senderName"))
    text = message.get("content", message.get("text", ""))
    if not message or speaker is None or not isinstance(text, str):
        source.unknown["message"] += 1
        return
    is_unsent = message.get("is_unsent") is True or message.get("isUnsent") is True
    if is_unsent or as_text(message.get("type")) in _QUIET_TYPES or _NOTICE.fullmatch(text[:400]):
        return
    turns.add(infer_role(speaker), "text", text, ts=_parse_message_time(message), speaker=speaker)
