"""Read Claude.ai's export: a list of conversations, each a list of messages.

Edits and retries are branches; the branch that was shown last is read. The blocks of a message are
read rather than its `text`, which may be out of date.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, clip, make_digest_id
from memctl.readers.chatgpt import read_conversations
from memctl.readers.messages import ROLES, add_block, trace_path
from memctl.readers.sniffing import has_keys
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_NOT_SHOWN = "This block is not supported on your current device yet."


class ClaudeAI:
    """Reader of Claude.ai exports."""

    name: ClassVar[str] = "claude-ai"
    agent: ClassVar[str] = "claude-ai"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: messages with a sender under `chat_messages` are certain."""
        if has_keys(head, "chat_messages"):
            return 0.97 if has_keys(head, "sender") or has_keys(head, "uuid") else 0.6
        return 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the conversations in the order of the file."""
        found = 0
        for entry in read_conversations(source):
            if isinstance(entry, dict) and isinstance(entry.get("chat_messages"), list):
                found += 1
                yield from _read_conversation(source, entry)
            else:
                source.unknown["conversation"] += 1
        if not found and source.unknown:
            yield Transcript(
                ClaudeAI.name,
                ClaudeAI.agent,
                make_digest_id("claude-ai", ""),
                (),
                unknown=dict(source.unknown),
            )


READER = ClaudeAI()


def _read_conversation(source: Input, entry: dict[str, Any]) -> Iterator[Transcript]:
    turns = Turns()
    for message in _select_branch(entry):
        _add_message(source, turns, message)
    if not len(turns) and not source.unknown:
        return
    title = as_name(entry.get("name"))
    yield Transcript(
        format=ClaudeAI.name,
        agent=ClaudeAI.agent,
        session_id=as_name(entry.get("uuid")) or make_digest_id("claude-ai", title or ""),
        turns=turns.collect(),
        title=title,
        started_at=parse_time(entry.get("created_at")) or turns.started_at,
        ended_at=parse_time(entry.get("updated_at")) or turns.ended_at,
        unknown=dict(source.unknown),
    )


def _select_branch(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """List the messages of the branch shown last, or all if there are no branches."""
    messages = [message for message in entry["chat_messages"] if isinstance(message, dict)]
    by_id = {key: message for message in messages if (key := as_name(message.get("uuid")))}
    parents = {key: as_name(message.get("parent_message_uuid")) for key, message in by_id.items()}
    if not any(parent in by_id for parent in parents.values()):
        return messages
    current = as_text(entry.get("current_leaf_message_uuid"))
    # Of messages of one moment the later one in the file is the newer.
    newest = max(reversed(by_id), key=lambda key: parse_time(by_id[key].get("created_at")) or "")
    leaf = current if current in by_id else newest
    return [by_id[key] for key in trace_path(leaf, lambda key: parents.get(key)) if key in by_id]


def _add_message(source: Input, turns: Turns, message: dict[str, Any]) -> None:
    role = ROLES.get(as_text(message.get("sender")).lower())
    if role is None:
        source.unknown["message"] += 1
        return
    ts = parse_time(message.get("created_at"))
    blocks = as_list(message.get("content"))
    if not any(as_text(as_dict(block).get("text")).strip() for block in blocks):
        text = as_text(message.get("text")).replace(f"```\n{_NOT_SHOWN}\n```", "")
        turns.add(role, "text", text.replace(_NOT_SHOWN, ""), ts=ts)
    for block in blocks:
        if as_dict(block).get("type") != "text" or as_text(as_dict(block).get("text")):
            add_block(turns, source.unknown, role, block, ts=ts, line=0)
    for attached in map(as_dict, as_list(message.get("attachments"))):
        content = as_text(attached.get("extracted_content"))
        if content:
            data = {"file": as_text(attached.get("file_name"))}
            turns.add("tool", "tool_result", clip(content), ts=ts, tool="attachment", data=data)
