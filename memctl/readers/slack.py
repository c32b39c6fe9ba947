"""Read one day of a Slack channel, as a day file of an export holds it.

Previews of links, attached files and notices of the channel are left out. Names come from the
messages, or from the `users.json` beside the folder of the channel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.regular_files import read_regular_file
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, make_digest_id, parse_json
from memctl.readers.sniffing import has_keys
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, clean_text, parse_time

_STAMP = compile_later(rb'"ts"\s{0,4}:\s{0,4}"\d{9,11}\.\d{6}"')
_REFERENCE = compile_later(r"<([@#!]?)([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")
# Older exports wrap what somebody says about a file in a sentence of Slack's own.
_ABOUT_FILE = compile_later(
    r"\A<@[^<>|\n]{1,40}(?:\|[^<>\n]{0,200})?> (?:(?:uploaded"
    r"|shared) a file: <[^<>\n]{1,2000}>(?: and commented: ?)?"
    r"|commented on .{1,200}? <[^<>\n]{1,2000}>: ?)"
)
_MESSAGE_SUBTYPES = frozenset(
    [
        "",
        "me_message",
        "thread_broadcast",
        "file_share",
        "file_comment",
        "bot_message",
        "reply_broadcast",
    ]
)


class Slack:
    """Reader of day files of Slack exports."""

    name: ClassVar[str] = "slack"
    agent: ClassVar[str] = "slack"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: messages with Slack's time stamps, which are their ids."""
        is_json = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")
        if not is_json or not has_keys(head, "type", "text") or not _STAMP.search(head):
            return 0.0
        has_author = any(has_keys(head, key) for key in ("user", "bot_id", "username"))
        return 0.95 if has_author else 0.5

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one day of the file."""
        whole = source.read_json()
        messages = as_list(whole) or as_list(as_dict(whole).get("messages"))
        if not messages:
            source.unknown["not JSON" if whole is None else "message"] += 1
        names = _read_names(source, messages)
        turns = Turns()
        for message in messages:
            if isinstance(message, dict) and message.get("type") == "message":
                _add_message(source, turns, message, names)
            else:
                source.unknown["message"] += 1
        yield _build_transcript(source, turns)


READER = Slack()


def _build_transcript(source: Input, turns: Turns) -> Transcript:
    path = source.path
    channel = path.absolute().parent.name if path else ""
    day = path.stem if path else ""
    first = next((turn.text for turn in turns.collect()), "")
    return Transcript(
        format=Slack.name,
        agent=Slack.agent,
        session_id=f"slack-{channel}-{day}" if path else make_digest_id("slack", first),
        turns=turns.collect(),
        title=f"#{channel} {day}" if path else None,
        started_at=turns.started_at,
        ended_at=turns.ended_at,
        is_chat=True,
        unknown=dict(source.unknown),
    )


def _read_names(source: Input, messages: list[Any]) -> Mapping[str, str]:
    """Map each user id to a name."""
    names: dict[str, str] = {}
    for user in _read_users_file(source):
        _add_name(names, user.get("id"), user | as_dict(user.get("profile")))
    for message in map(as_dict, messages):
        _add_name(names, message.get("user"), as_dict(message.get("user_profile")))
    return names


def _read_users_file(source: Input) -> list[dict[str, Any]]:
    if source.path is None:
        return []
    beside = source.path.absolute().parent.parent / "users.json"
    try:
        users = parse_json(read_regular_file(beside))
    except OSError:
        return []
    return [user for user in as_list(users) if isinstance(user, dict)]


def _add_name(names: dict[str, str], key: object, profile: Mapping[str, Any]) -> None:
    candidates = (as_name(profile.get(field)) for field in ("real_name", "display_name", "name"))
    name = next(filter(None, candidates), None)
    if name and isinstance(key, str):
        names[key] = name


def _add_message(
    source: Input, turns: Turns, message: dict[str, Any], names: Mapping[str, str]
) -> None:
    subtype = as_text(message.get("subtype"))
    if subtype not in _MESSAGE_SUBTYPES:
        return
    author = message.get("user") or as_dict(message.get("comment")).get("user")
    user = as_name(author) or as_name(message.get("bot_id"))
    speaker = names.get(user or "") or as_name(message.get("username")) or user
    is_from_client = message.get("bot_id") is None or "client_msg_id" in message
    role: Role = "human" if is_from_client and subtype != "bot_message" else "assistant"
    thread = as_name(message.get("thread_ts"))
    text = clean_text(as_text(message.get("text")))
    if subtype in ("file_share", "file_comment"):
        text = _ABOUT_FILE.sub("", text, count=1)
    text = _REFERENCE.sub(lambda found: _spell_out_reference(found, names), text)
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    turns.add(
        role,
        "text",
        text,
        ts=_parse_stamp(message.get("ts")),
        speaker=speaker,
        data={"thread": thread} if thread else None,
    )


def _spell_out_reference(found: re.Match[str], names: Mapping[str, str]) -> str:
    """Write a reference as people see it: a name, a channel, or a link with its address."""
    sign, target, label = found.groups()
    if sign == "@":
        return f"@{names.get(target) or label or target}"
    if sign:
        return f"{'#' if sign == '#' else '@'}{label or target}"
    target = target.removeprefix("mailto:")
    return f"{label} ({target})" if label and label != target and label not in target else target


def _parse_stamp(stamp: object) -> str | None:
    try:
        return parse_time(float(as_text(stamp)))
    except ValueError:
        return None
