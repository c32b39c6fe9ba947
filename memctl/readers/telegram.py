"""Read Telegram's `result.json`: one chat, or all the chats of an account.

A forwarded message is the words of the person it came from. Service notices, stickers and media
without a caption say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.chats import (
    build_chat,
    infer_role,
    parse_local_iso,
    read_json_object,
    repair_encoding,
)
from memctl.readers.sniffing import has_keys
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

DELETED_ACCOUNT = "Deleted Account"


class Telegram:
    """Reader of exports of Telegram Desktop."""

    name: ClassVar[str] = "telegram"
    agent: ClassVar[str] = "telegram"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: messages with Telegram's time, or an account's export."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return 0.0
        is_old = has_keys(head, "messages", "from_id", "date", "text")
        if is_old or has_keys(head, "messages", "type", "date_unixtime"):
            return 0.96
        has_chats = has_keys(head, "about") or has_keys(head, "chats", "list")
        return 0.9 if has_chats and has_keys(head, "personal_information") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield one conversation for each chat in which anything was said."""
        whole = read_json_object(source)
        found = 0
        for entry in _list_chats(whole):
            turns = Turns()
            for message in as_list(entry.get("messages")):
                _add_message(source, turns, as_dict(message))
            if len(turns):
                found += 1
                yield _build_transcript(self, source, entry, turns)
        if not found:
            yield build_chat(self, source, Turns(), session_id=None)


READER = Telegram()


def _list_chats(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if isinstance(whole.get("messages"), list):
        yield whole
    for key in ("chats", "left_chats"):
        yield from map(as_dict, as_list(as_dict(whole.get(key)).get("list")))


def _build_transcript(
    reader: Telegram, source: Input, entry: dict[str, Any], turns: Turns
) -> Transcript:
    key = entry.get("id")
    session_id = f"telegram-{key}" if isinstance(key, int) and abs(key) < 1 << 63 else None
    title = as_name(entry.get("name"))
    return build_chat(
        reader,
        source,
        turns,
        session_id=session_id,
        title=repair_encoding(title) if title else None,
    )


def _add_message(source: Input, turns: Turns, message: dict[str, Any]) -> None:
    kind = as_text(message.get("type"))
    if kind == "service":
        return
    if kind not in ("message", ""):
        source.unknown[f"message {kind[:40]}"] += 1
        return
    if not message or not isinstance(message.get("text", ""), (str, list)):
        source.unknown["message"] += 1
        return
    sender = repair_encoding(as_name(message.get("from")) or DELETED_ACCOUNT)
    author = as_name(message.get("forwarded_from")) or as_name(message.get("saved_from"))
    speaker = repair_encoding(author) if author else sender
    replied = message.get("reply_to_message_id")
    file_name = as_name(message.get("file_name"))
    pairs = (("forwarded_by", sender if author else None), ("file", file_name))
    data = {key: value for key, value in pairs if value}
    if isinstance(replied, int) and not isinstance(replied, bool):
        data["reply_to"] = str(replied)[:40]
    ts = _parse_message_time(message)
    turns.add(
        infer_role(speaker),
        "text",
        repair_encoding(_join_text(message)),
        ts=ts,
        speaker=speaker,
        data=data,
    )


def _parse_message_time(message: dict[str, Any]) -> str | None:
    """Return the Unix time of a message, or else the export's local time without a zone."""
    stamp = as_text(message.get("date_unixtime"))
    if stamp.isascii() and stamp.isdecimal() and len(stamp) < 14:
        return parse_time(int(stamp))
    return parse_local_iso(message.get("date"))


def _join_text(message: dict[str, Any]) -> str:
    """Join the words of a message: text, or pieces such as links, mentions and bold type."""
    given = message.get("text")
    pieces = (
        [given]
        if isinstance(given, str) and given
        else as_list(given) or as_list(message.get("text_entities"))
    )
    return "".join(
        piece if isinstance(piece, str) else as_text(as_dict(piece).get("text")) for piece in pieces
    )
