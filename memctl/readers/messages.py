"""Messages as model APIs write them: roles, content as text or blocks, tool calls, tool results.

OpenAI, Anthropic, ShareGPT and the many tools that log like them differ in names only. The names
are gathered here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from memctl.core.model import Role
from memctl.core.typing_lite import Any
from memctl.readers.base import clip, make_digest_id
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_dicts, as_list, as_name, as_text, parse_time

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(["user", "human"], "human"),
    **dict.fromkeys(["assistant", "gpt", "model", "chatgpt", "claude", "bot", "ai"], "assistant"),
    **dict.fromkeys(["system", "developer"], "system"),
    **dict.fromkeys(["tool", "function", "observation"], "tool"),
    "function_call": "assistant",
}
_ROLE_FIELDS = ("role", "from", "sender", "type")
_CONTENT_FIELDS = ("content", "value", "parts", "text")
_TIME_FIELDS = ("timestamp", "created_at", "create_time", "createdAt", "ts", "time")
_ID_FIELDS = ("id", "uuid", "conversation_id", "session_id", "sessionId")
_CALL_BLOCKS = ("tool_use", "toolCall", "server_tool_use")
_RESULT_BLOCKS = ("tool_result", "function_call_output", "web_search_tool_result")
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
_PROMPT_TAGS = ("user_query", "task", "feedback")


def add_message(turns: Turns, unknown: Counter[str], message: Mapping[str, Any], line: int) -> None:
    """Add what one message says and does; a message of no known role is counted as unknown."""
    role = find_role(message)
    if role is None:
        unknown["message"] += 1
        return
    ts, content, name = find_time(message), find_content(message), as_name(message.get("name"))
    if role == "tool":
        text, call_id = clip(join_text(content)), as_name(message.get("tool_call_id"))
        turns.add("tool", "tool_result", text, ts=ts, tool=name, call_id=call_id, line=line)
        return
    for block in [content] if isinstance(content, str) else as_list(content):
        add_block(turns, unknown, role, block, ts=ts, line=line, speaker=name)
    for call in as_list(message.get("tool_calls")):
        _add_call(turns, as_dict(call), ts, line)
    if isinstance(message.get("function_call"), dict):
        _add_call(turns, message, ts, line)


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
    """Add one block of a message's content; a block of no known type is counted as unknown."""
    fields = as_dict(block)
    kind = as_text(fields.get("type"))
    text = _find_block_text(block)
    if text is not None:
        prompt = strip_prompt_tags(text, role)
        turns.add(role, "text", prompt, ts=ts, speaker=speaker, line=line)
    elif kind in _CALL_BLOCKS:
        _add_call(turns, fields, ts, line)
    elif kind in _RESULT_BLOCKS:
        turns.add(
            "tool",
            "tool_result",
            clip(join_text(fields.get("content", fields.get("output")))),
            ts=ts,
            tool=as_name(fields.get("name")),
            call_id=as_name(fields.get("tool_use_id") or fields.get("call_id")),
            ok=find_ok(fields, "is_error"),
            line=line,
        )
    elif kind == "refusal":
        turns.add(role, "text", as_text(fields.get("refusal")), ts=ts, line=line)
    elif kind not in _QUIET_BLOCKS:
        unknown[f"block {kind[:40] or '(none)'}"] += 1


def _find_block_text(block: object) -> str | None:
    """The text of a block: a plain string, `{"text": ...}` or `{"text": {"value": ...}}`."""
    text = block if isinstance(block, str) else as_dict(block).get("text")
    value = as_dict(text).get("value")
    if isinstance(value, str):
        return value
    return text if isinstance(text, str) else None


def _add_call(turns: Turns, call: Mapping[str, Any], ts: str | None, line: int) -> None:
    function = as_dict(call.get("function") or call.get("function_call")) or call
    tool = as_name(function.get("name"))
    if tool is None:
        return
    text, data = describe_call(tool, function.get("arguments", function.get("input")))
    call_id = as_name(call.get("call_id") or call.get("id"))
    turns.add(
        "assistant", "tool_call", text, ts=ts, tool=tool, call_id=call_id, line=line, data=data
    )


def find_role(message: Mapping[str, Any]) -> Role | None:
    """Return who speaks in a message, or None."""
    inner = as_dict(message.get("message"))
    if isinstance(message.get("isCreatedByUser"), bool):
        return "human" if message["isCreatedByUser"] else "assistant"
    for field in _ROLE_FIELDS:
        for holder in (message, inner):
            role = ROLES.get(as_text(holder.get(field)).lower())
            if role is not None:
                return role
    return None


def find_content(message: Mapping[str, Any]) -> object:
    """Return the content of a message, text or a list of blocks, wherever it is kept."""
    inner = message.get("message")
    for holder in (message, as_dict(inner)):
        for field in _CONTENT_FIELDS:
            content = holder.get(field)
            if isinstance(content, (str, list)) and content:
                return content
            if isinstance(content, dict):
                return [content]
    return inner if isinstance(inner, str) else ""


def find_time(message: Mapping[str, Any]) -> str | None:
    """Return when a message was written, or None."""
    times = (parse_time(message.get(field)) for field in _TIME_FIELDS)
    return next((ts for ts in times if ts), None)


def list_blocks(content: object) -> list[dict[str, Any]]:
    """Return the blocks of a content; plain text becomes one block of type `text`."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return as_dicts(content)


def join_text(content: object) -> str:
    """Return the text of a content or of a tool's result: text, blocks, or one object."""
    if isinstance(content, str):
        return content
    parts: Iterable[object] = content if isinstance(content, list) else [content]
    texts = (
        part if isinstance(part, str) else as_text(as_dict(part).get("text")) for part in parts
    )
    return "\n".join(text for text in texts if text)


def find_ok(result: Mapping[str, Any], flag: str) -> bool | None:
    """Return False if a tool's result has this error flag, else None: success is not stated."""
    return False if result.get(flag) is True else None


def strip_prompt_tags(text: str, role: Role) -> str:
    """Return what a person typed, without the tags that a tool wraps around it."""
    if role != "human":
        return text
    for tag in _PROMPT_TAGS:
        before, opening, after = text.partition(f"<{tag}>")
        if opening and (not before.strip() or before.lstrip().startswith("<")):
            return after.partition(f"</{tag}>")[0]
    return text


def choose_id(prefix: str, entry: Mapping[str, Any], turns: Turns) -> str:
    """Return the conversation's own id, or one made from its beginning, which does not change."""
    own_ids = (as_name(entry.get(field)) for field in _ID_FIELDS)
    own_id = next((name for name in own_ids if name), None)
    if own_id:
        return own_id
    return make_digest_id(prefix, next((turn.text for turn in turns.collect()), ""))


def trace_path(leaf: str, parent_of: Callable[[str], str | None]) -> list[str]:
    """Return the ids from the root to a leaf; a cycle ends where it closes."""
    path: dict[str, None] = {}
    node: str | None = leaf
    while node is not None and node not in path:
        path[node] = None
        node = parent_of(node)
    return list(reversed(path))
