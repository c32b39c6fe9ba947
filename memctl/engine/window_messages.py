"""Messages of a running conversation as model APIs take them: what they say, and what they cost.

Pure but for the tokenizer that a program gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from memctl.core.errors import UsageError
from memctl.core.model import Role
from memctl.core.typing_lite import Any, cast
from memctl.readers.messages import ROLES, find_role

Message = dict[str, Any]
Count = Callable[[str], int]
# Tokens that a part costs which is no text, such as a picture: about the most that a model's API
# asks for one.
_PART_TOKENS = 1600
# Roles of messages that answer a call of the message before them, and mean nothing without it.
_ANSWERING = frozenset(("tool", "function"))
# With what a result begins that stands without its call.
_RESULT = "Result of a call: "
_INSTRUCTING = frozenset(("system", "developer"))


def read_message(message: Mapping[str, Any] | Any) -> Message:
    """A message with a role and a content, copied. Raises UsageError."""
    dump = getattr(message, "model_dump", None)
    fields = dump() if callable(dump) else message
    if not isinstance(fields, Mapping) or find_role(fields) is None:
        raise UsageError(
            f"a message is a mapping with a role and a content, not {message!r:.60}",
            hint=f"a role is {', '.join(ROLES)}",
        )
    content = fields.get("content")
    if content is not None and not isinstance(content, str | list | tuple):
        raise UsageError(f"the content of a message is a text or a list, not {content!r:.60}")
    try:
        told = json.dumps({**fields}, default=_name_type, ensure_ascii=False)
        # Half a character, which a cut in the wrong place leaves, stops tokenizers.
        return cast(Message, json.loads(told.encode("utf-8", "replace")))
    except (ValueError, RecursionError, TypeError) as error:
        raise UsageError(f"a message cannot be told as JSON: {error}") from error


def _name_type(thing: object) -> str:
    return f"({type(thing).__name__})"


def join_message(message: Message) -> str:
    """What a message says, its parts below each other."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    texts = (_find_part_text(part) for part in content or ())
    return "\n".join(text for text in texts if text)


def find_turn_role(message: Message) -> Role:
    """Who speaks in a message."""
    return find_role(message) or "system"


def instructs_model(message: Message) -> bool:
    """Whether a message is the program's own instruction to the model."""
    return str(message.get("role")).lower() in _INSTRUCTING


def answers_call(message: Message) -> bool:
    """Whether a message is the result of a call that the message before it made."""
    return str(message.get("role")).lower() in _ANSWERING


def measure_message(message: Message, count: Count) -> int:
    """What a message costs: its role, its words, its calls, and its parts that are no text."""
    others = {
        key: value
        for key, value in message.items()
        if key not in ("role", "content") and value not in (None, "", [], {})
    }
    content = message.get("content")
    odd = 0 if isinstance(content, str) or not content else _count_odd(content)
    told = json.dumps(others, ensure_ascii=False) if others else ""
    return count(f"{message.get('role')}: {join_message(message)}\n{told}") + odd * _PART_TOKENS


def shorten_message(message: Message, most: int, count: Count) -> Message | None:
    """A message that costs at most `most`: its head and its tail, and how much is missing.

    None where not even that fits. Its calls and pictures are left out; the result of a call, which
    no model takes without the call, is told as said by the user.
    """
    text, role = join_message(message), str(message.get("role") or find_turn_role(message))
    if answers_call(message):
        text, role = f"{_RESULT}{text}", "user"
    low, high, best = 1, len(text), None
    while low <= high:
        kept = (low + high) // 2
        made = {"role": role, "content": _cut_middle(text, kept)}
        if measure_message(made, count) <= most:
            best, low = made, kept + 1
        else:
            high = kept - 1
    return best


def _cut_middle(text: str, kept: int) -> str:
    if kept >= len(text):
        return text
    head = -(-kept * 2 // 3)
    tail = kept - head
    note = f"[... {len(text) - kept} characters left out ...]"
    return f"{text[:head]}\n{note}\n{text[len(text) - tail :] if tail else ''}".rstrip("\n")


def _count_odd(content: Sequence[Any]) -> int:
    return sum(_find_part_text(part) is None for part in content)


def _find_part_text(part: Any) -> str | None:
    text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None
