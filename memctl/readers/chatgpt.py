"""Read ChatGPT's export: a list of conversations, each a tree of messages.

Edits and retries are branches of the tree; the branch that was shown last is read. Hidden messages,
custom instructions and what goes to tools are not the user's words. A conversation that is marked
not to be remembered is not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, clip, make_digest_id, parse_json
from memctl.readers.messages import ROLES, trace_path
from memctl.readers.sniffing import has_keys
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_CITATION = compile_later(
    "\ue200[^\ue200-\ue202]{0,400}(?:\ue202[^\ue200-\ue202]{0,400}){0,40}\ue201|[\ue200-\ue202]"
)
# A backslash that escapes nothing JSON knows: pages that were edited by hand have them.
_ESCAPE = compile_later(r'(?<!\\)(?:\\\\){0,100}\\(?![\\"/bfnrtu])')
_QUIET_CONTENT = frozenset(
    [
        "thoughts",
        "reasoning_recap",
        "user_editable_context",
        "model_editable_context",
        "system_error",
        "app_pairing_content",
    ]
)
_RESULT_CONTENT = frozenset(
    [
        "execution_output",
        "tether_quote",
        "tether_browsing_display",
        "computer_output",
        "sonic_webpage",
    ]
)


class ChatGPT:
    """Reader of ChatGPT exports."""

    name: ClassVar[str] = "chatgpt"
    agent: ClassVar[str] = "chatgpt"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: a tree of nodes under `mapping` is certain."""
        if has_keys(head, "mapping", "children", "parent"):
            return 0.96
        return 0.8 if has_keys(head, "mapping", "title", "create_time") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the conversations in the order of the file."""
        found = 0
        for entry in read_conversations(source):
            if isinstance(entry, dict) and isinstance(entry.get("mapping"), dict):
                found += 1
                if not entry.get("is_do_not_remember"):
                    yield from _read_conversation(source, entry)
            else:
                source.unknown["conversation"] += 1
        if not found and source.unknown:
            yield Transcript(
                ChatGPT.name,
                ChatGPT.agent,
                make_digest_id("chatgpt", ""),
                (),
                unknown=dict(source.unknown),
            )


READER = ChatGPT()


def read_conversations(source: Input) -> list[Any]:
    """List the conversations of an export: a list, one object, or a list inside one."""
    whole = source.read_json()
    if whole is None:
        whole = parse_json(_ESCAPE.sub(r"\\\g<0>", source.read_text()))
        source.unknown["bad escape"] += whole is not None
    if isinstance(whole, list):
        return whole
    if not isinstance(whole, dict):
        source.unknown["not JSON"] += 1
        return []
    return as_list(whole.get("conversations")) or [whole]


def _read_conversation(source: Input, entry: dict[str, Any]) -> Iterator[Transcript]:
    nodes = entry["mapping"]

    def get_node(key: str) -> dict[str, Any]:
        return as_dict(nodes.get(key))

    turns = Turns()
    for key in trace_path(_find_leaf(entry), lambda key: as_name(get_node(key).get("parent"))):
        _add_message(source, turns, as_dict(get_node(key).get("message")))
    if not len(turns) and not source.unknown:
        return
    title = as_name(entry.get("title"))
    yield Transcript(
        format=ChatGPT.name,
        agent=ChatGPT.agent,
        session_id=as_name(entry.get("conversation_id"))
        or as_name(entry.get("id"))
        or make_digest_id("chatgpt", title or ""),
        turns=turns.collect(),
        title=title,
        started_at=parse_time(entry.get("create_time")) or turns.started_at,
        ended_at=parse_time(entry.get("update_time")) or turns.ended_at,
        unknown=dict(source.unknown),
    )


def _find_leaf(entry: dict[str, Any]) -> str:
    """Return the id of the node shown last, or else of the newest node without children."""
    nodes = entry["mapping"]
    current = as_text(entry.get("current_node"))
    if current in nodes:
        return current
    ends = [key for key, node in nodes.items() if not as_list(as_dict(node).get("children"))]
    return max(ends, key=lambda key: _find_time(nodes[key]), default="")


def _find_time(node: object) -> str:
    """Return when the message of a node was written; empty if it does not say."""
    return parse_time(as_dict(as_dict(node).get("message")).get("create_time")) or ""


def _add_message(source: Input, turns: Turns, message: dict[str, Any]) -> None:
    author = as_dict(message.get("author"))
    content = as_dict(message.get("content"))
    kind = as_text(content.get("content_type")) or "text"
    role = ROLES.get(as_text(author.get("role")).lower())
    if not message or role == "system" or kind in _QUIET_CONTENT or _is_hidden(message):
        return
    ts = parse_time(message.get("create_time"))
    if role == "tool" or kind in _RESULT_CONTENT:
        turns.add(
            "tool",
            "tool_result",
            clip(_join_text(content)),
            ts=ts,
            tool=as_name(author.get("name")),
        )
    elif role is None or kind not in ("text", "multimodal_text", "code"):
        source.unknown[f"content {kind[:40]}"] += 1
    else:
        turns.add(role, "text", _join_text(content), ts=ts)


def _is_hidden(message: dict[str, Any]) -> bool:
    metadata = as_dict(message.get("metadata"))
    flags = ("is_visually_hidden_from_conversation", "is_user_system_message")
    is_for_tool = message.get("recipient") not in ("all", None)
    return any(map(metadata.get, flags)) or message.get("weight") == 0 or is_for_tool


def _join_text(content: dict[str, Any]) -> str:
    """Join all words of a message; a voice message has its transcription."""
    parts = as_list(content.get("parts"))
    if parts:
        texts = [as_text(part) or as_text(as_dict(part).get("text")) for part in parts]
    else:
        texts = [as_text(content.get(key)) for key in ("title", "text", "result")]
    return _CITATION.sub("", "\n".join(text for text in texts if text))
