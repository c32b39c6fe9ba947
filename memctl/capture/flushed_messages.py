"""Messages that a program hands over from its memory: a list, as model APIs take it.

The same messages add nothing; a longer list adds its new turns. Of a session that is named, a list
may also begin later than before, as a window over a conversation does: it is joined to what is
stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any
from memctl.readers.base import Input
from memctl.readers.messages import ROLES, find_role
from memctl.store import sources

# What the job of such a capture is called.
FLUSH = "flush"


def pack_messages(
    messages: Iterable[Any], *, session_id: str | None = None, agent: str | None = None
) -> Input | None:
    """Pack messages as the input of a capture; None if there are none.

    Each is a mapping with a `role` and a `content` (text or parts), or an object that tells its
    fields by `model_dump()`, as those of model libraries do. Raises UsageError naming the message.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise UsageError(f"messages is a list of messages, not {messages!r:.60}")
    packed = [_read_message(number, message) for number, message in enumerate(messages, 1)]
    if not packed:
        return None
    about = {"id": session_id, "agent": agent, "messages": packed}
    try:
        text = json.dumps(about, default=lambda thing: f"({type(thing).__name__})")
    except (ValueError, RecursionError, TypeError) as error:
        raise UsageError(f"the messages cannot be told as JSON: {error}") from error
    return Input(data=text.encode())


def _read_message(number: int, message: Any) -> dict[str, Any]:
    dump = getattr(message, "model_dump", None)
    fields = dump() if callable(dump) else message
    if not isinstance(fields, Mapping):
        raise UsageError(f"message {number} is no mapping: {message!r:.60}")
    fields = {str(key): value for key, value in fields.items()}
    if find_role(fields) is None:
        raise UsageError(
            f"message {number} has no role that is known", hint=f"it is one of {', '.join(ROLES)}"
        )
    content = fields.get("content")
    if content is not None and not isinstance(content, str | Sequence | Mapping):
        raise UsageError(f"message {number} has no text for content: {content!r:.60}")
    return fields


def join_to_stored(transcript: Transcript, stored: Sequence[Turn]) -> Transcript:
    """Return a conversation with the stored turns before it, if it begins later than they do.

    What begins like the stored one is the whole conversation, grown or retold.
    """
    new, old = _hash_each(transcript.turns), _hash_each(stored)
    if not old or not new or new[0] == old[0]:
        return transcript
    if any(old[start : start + len(new)] == new for start in range(len(old) - len(new) + 1)):
        return replace(transcript, turns=tuple(stored))
    longest = min(len(old), len(new))
    shared = next(
        count for count in range(longest, -1, -1) if old[len(old) - count :] == new[:count]
    )
    added = (
        replace(turn, seq=seq) for seq, turn in enumerate(transcript.turns[shared:], len(stored))
    )
    return replace(transcript, turns=(*stored, *added))


def _hash_each(turns: Iterable[Turn]) -> list[str]:
    return [sources.compute_turns_hash((turn,)) for turn in turns]
