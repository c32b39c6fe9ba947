"""Read a channel of Discord as DiscordChatExporter saves it in JSON.

Joins, pins, calls, embeds and messages forwarded from elsewhere are left out. Bots are no people.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.chats import build_chat, read_json_object
from memctl.readers.sniffing import has_keys
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

# Other types are notices. Numbers are how the program spells types that it does not know.
_MESSAGE_TYPES = frozenset(
    (
        *("", "Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage"),
        *("20", "21", "23"),
    )
)


class Discord:
    """Reader of exported channels."""

    name: ClassVar[str] = "discord"
    agent: ClassVar[str] = "discord"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: a guild, a channel and the range of the export are certain."""
        is_object = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        if not is_object or not has_keys(head, "guild", "channel"):
            return 0.0
        is_export = has_keys(head, "dateRange") or has_keys(head, "messages", "timestamp")
        return 0.97 if is_export else 0.4

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one channel of the file."""
        whole = read_json_object(source)
        turns = Turns()
        for message in as_list(whole.get("messages")):
            _add_message(source, turns, as_dict(message))
        channel = as_dict(whole.get("channel"))
        key = as_name(channel.get("id"))
        yield build_chat(
            self,
            source,
            turns,
            session_id=f"discord-{key}" if key else None,
            title=_build_title(whole, channel),
        )


READER = Discord()


def _build_title(whole: dict[str, Any], channel: dict[str, Any]) -> str | None:
    names = (
        as_name(as_dict(whole.get("guild")).get("name")),
        as_name(channel.get("category")),
        as_name(channel.get("name")),
    )
    return " / ".join(filter(None, names)) or None


def _add_message(source: Input, turns: Turns, message: dict[str, Any]) -> None:
    author = as_dict(message.get("author"))
    if not message or not author or not isinstance(message.get("content", ""), str):
        source.unknown["message"] += 1
        return
    if as_text(message.get("type")) not in _MESSAGE_TYPES:
        return
    names = (as_name(author.get(key)) for key in ("nickname", "name", "id"))
    speaker = next(filter(None, names), None)
    role: Role = "assistant" if author.get("isBot") is True else "human"
    reply_to = as_name(as_dict(message.get("reference")).get("messageId"))
    attachments = map(as_dict, as_list(message.get("attachments")))
    files = list(filter(None, (as_name(each.get("fileName")) for each in attachments)))
    data = {key: value for key, value in (("reply_to", reply_to), ("attached", files)) if value}
    turns.add(
        role,
        "text",
        as_text(message.get("content")),
        ts=parse_time(message.get("timestamp")),
        speaker=speaker,
        data=data,
    )
