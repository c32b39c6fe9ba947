"""Messages as model APIs spell them: roles, content as text or as blocks, tool calls and what they returned.

OpenAI, Anthropic, ShareGPT and the many tools that log in their manner differ in names only; the names are gathered here, once.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memctl.core.model import Role
from memctl.readers.base import clip
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(["user", "human"], "human"),
    **dict.fromkeys(["assistant", "gpt", "model", "chatgpt", "claude", "bot", "ai"], "assistant"),
    **dict.fromkeys(["system", "developer"], "system"),
    **dict.fromkeys(["tool", "function", "observation"], "tool"),
    "function_call": "assistant",
}
_QUIET_BLOCKS = frozenset(
    [
        "thinking",
        "redacted_thinking",
        "reasoning",
        "image",
        "image_url",
        "input_image",
        "input_audio",
        "input_file",
        "file",
        "audio",
        "document",
        "token_budget",
        "flag",
        "item_reference",
    ]
)
_TIMES = ("timestamp", "created_at", "create_time", "createdAt", "ts", "time")


def add_message(turns: Turns, unknown: Counter[str], message: Mapping[str, Any], line: int) -> None:
    """Add what one message says and does; a message of no known role is counted."""
    role = find_role(message)
    if role is None:
        unknown["message"] += 1
        return
    ts = find_time(message)
    content = find_content(message)
    if role == "tool":
        call_id = as_name(message.get("tool_call_id"))
        tool = as_name(message.get("name"))
        turns.add(
            "tool",
            "tool_result",
            clip(join_text(content)),
            ts=ts,
            tool=tool,
            call_id=call_id,
            line=line,
        )
        return
    speaker = as_name(message.get("name"))
    for block in [content] if isinstance(content, str) else as_list(content):
        add_block(turns, unknown, role, block, ts=ts, line=line, speaker=speaker)
    for call in as_list(message.get("tool_calls")):
        _take_call(turns, as_dict(call), ts, line)
    if isinstance(message.get("function_call"), dict):
        _take_call(turns, message, ts, line)


def add_block(
    turns: Turns,
    unknown: Counter[str],
    role: Role,
    block: object,
    *,
    ts: str | None,
    line: int,
    speaker: str | None = None,
) -> None:
    """Add one block of a message's content."""
    given = as_dict(block)
    kind = as_text(given.get("type"))
    if isinstance(as_dict(given.get("text")).get("value"), str):
        given = given | {"text": given["text"]["value"]}
    if isinstance(block, str) or isinstance(given.get("text"), str):
        turns.add(
            role,
            "text",
            strip_prompt_tags(block if isinstance(block, str) else given["text"], role),
            ts=ts,
            speaker=speaker,
            line=line,
        )
    elif kind in ("tool_use", "toolCall", "server_tool_use"):
        _take_call(turns, given, ts, line)
    elif kind in ("tool_result", "function_call_output", "web_search_tool_result"):
        result = join_text(given.get("content", given.get("output")))
        call_id = as_name(given.get("tool_use_id") or given.get("call_id"))
        ok = False if given.get("is_error") is True else None
        turns.add(
            "tool",
            "tool_result",
            clip(result),
            ts=ts,
            tool=as_name(given.get("name")),
            call_id=call_id,
            ok=ok,
            line=line,
        )
    elif kind == "refusal":
        turns.add(role, "text", as_text(given.get("refusal")), ts=ts, line=line)
    elif kind not in _QUIET_BLOCKS:
        unknown[f"block {kind[:40]}" if kind else "block"] += 1


def _take_call(turns: Turns, call: Mapping[str, Any], ts: str | None, line: int) -> None:
    function = as_dict(call.get("function") or call.get("function_call")) or call
    tool = as_name(function.get("name"))
    if tool is None:
        return
    arguments = function.get("arguments", function.get("input"))
    text, data = describe_call(tool, arguments)
    call_id = as_name(call.get("call_id") or call.get("id"))
    turns.add(
        "assistant", "tool_call", text, ts=ts, tool=tool, call_id=call_id, line=line, data=data
    )


def find_role(message: Mapping[str, Any]) -> Role | None:
    """Who speaks in a message of any of these manners, or None."""
    inner = as_dict(message.get("message"))
    if isinstance(message.get("isCreatedByUser"), bool):
        return "human" if message["isCreatedByUser"] else "assistant"
    for key in ("role", "from", "sender", "type"):
        role = ROLES.get(as_text(message.get(key)).lower()) or ROLES.get(
            as_text(inner.get(key)).lower()
        )
        if role is not None:
            return role
    return None


def find_content(message: Mapping[str, Any]) -> object:
    """The content of a message, text or blocks, wherever it is kept."""
    inner = message.get("message")
    for holder in (message, as_dict(inner)):
        for key in ("content", "value", "parts", "text"):
            content = holder.get(key)
            if isinstance(content, (str, list)) and content:
                return content
            if isinstance(content, dict):
                return [content]
    return inner if isinstance(inner, str) else ""


def join_text(content: object) -> str:
    """The text of a tool's result, which may be text, blocks or a structure."""
    if isinstance(content, str):
        return content
    parts: Iterable[object] = content if isinstance(content, list) else [content]
    texts = (
        part if isinstance(part, str) else as_text(as_dict(part).get("text")) for part in parts
    )
    return "\n".join(text for text in texts if text)


def strip_prompt_tags(text: str, role: Role) -> str:
    """What a person typed, without the tags that a tool wraps around it."""
    for tag in ("user_query", "task", "feedback"):
        before, opened, rest = text.partition(f"<{tag}>")
        if role == "human" and opened and (not before.strip() or before.lstrip().startswith("<")):
            return rest.partition(f"</{tag}>")[0]
    return text


def find_time(message: Mapping[str, Any]) -> str | None:
    """When a message was written, if it says so."""
    return next((ts for ts in (parse_time(message.get(key)) for key in _TIMES) if ts), None)


def choose_id(prefix: str, entry: Mapping[str, Any], turns: Turns) -> str:
    """The conversation's own id, or one made of its beginning, so that a grown conversation keeps it."""
    for key in ("id", "uuid", "conversation_id", "session_id", "sessionId"):
        own = as_name(entry.get(key))
        if own:
            return own
    return make_digest_id(prefix, next((turn.text for turn in turns.collect()), ""))


def make_digest_id(prefix: str, text: str) -> str:
    """An id that depends on a text alone."""
    return f"{prefix}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


def trace_path(leaf: str, parent_of: Callable[[str], str | None]) -> list[str]:
    """The ids from the root to a leaf; a circle ends where it closes."""
    path: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at not in path:
        path[at] = None
        at = parent_of(at)
    return list(reversed(path))
