"""Share what the exports of chats have in common.

In a chat everybody is a person who speaks under a name, except bots. Notices of the chat itself are
nobody's words. Exports without a time zone mean the zone of the machine.
"""

from __future__ import annotations

from datetime import UTC, datetime

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import Any
from memctl.readers.base import Input, Reader, make_digest_id
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_text, parse_time

# The invisible characters of Unicode that set the direction of text, and the byte order mark.
DIRECTION_MARKS = dict.fromkeys(
    [*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
)
# Characters of a message that make its chat's id.
_ID_LENGTH = 400
_BOT_NAME = compile_later(r"[a-z\d]Bot$|(?:^|[ _-])[Bb]ot$|^[a-z\d]{2,40}_bot$")
# The first two bytes of a UTF-8 sequence as Latin-1 or Windows-1252 shows them: only text that has
# such a pair can have been decoded wrongly.
_WRONGLY_DECODED = compile_later(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192"
    "\u02c6\u02dc\u2013-\u203a\u20ac\u2122]"
)


def infer_role(name: str | None) -> Role:
    """Return `assistant` for a name that says it is a bot, else `human`."""
    return "assistant" if name and _BOT_NAME.search(name) else "human"


def repair_encoding(text: str) -> str:
    """Undo UTF-8 that was decoded as Latin-1 or Windows-1252; return other text unchanged."""
    if not _WRONGLY_DECODED.search(text):
        return text
    for encoding in ("latin-1", "cp1252"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return text


def repair_encoding_in_value(value: Any) -> Any:
    """Repair every string of a JSON value in place.

    The value is walked level by level, so that depth costs no stack.
    """
    if isinstance(value, str):
        return repair_encoding(value)
    waiting = [value]
    while waiting:
        container = waiting.pop()
        for key, child in _list_children(container):
            if isinstance(child, str):
                container[key] = repair_encoding(child)
            else:
                waiting.append(child)
    return value


def _list_children(container: Any) -> list[tuple[Any, Any]]:
    """List the keys or indexes of an object or a list with their values."""
    if isinstance(container, dict):
        return list(container.items())
    return list(enumerate(container)) if isinstance(container, list) else []


def build_local_time(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0
) -> str | None:
    """Return a local time as ISO 8601 UTC, or None for a day that no calendar has.

    Years of two digits belong to this century.
    """
    try:
        moment = datetime(year + 2000 if year < 100 else year, month, day, hour, minute, second)
        return parse_time(moment.astimezone(UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None


def parse_local_iso(value: object) -> str | None:
    """Parse an ISO time without a zone as local time; None for anything else."""
    try:
        return parse_time(datetime.fromisoformat(as_text(value)).astimezone(UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None


def read_json_object(source: Input) -> dict[str, Any]:
    """Read the object that the file holds; count anything else and return an empty one."""
    whole = source.read_json()
    if not isinstance(whole, dict):
        source.unknown["not JSON" if whole is None else "message"] += 1
    return as_dict(whole)


def build_chat(
    reader: Reader, source: Input, turns: Turns, *, session_id: str | None, title: str | None = None
) -> Transcript:
    """Build the transcript of a chat.

    A chat without an id gets one from its title, or else from its first message.
    """
    collected = turns.collect()
    first = collected[0] if collected else None
    beginning = f"{first.speaker} {first.ts} {first.text[:_ID_LENGTH]}" if first else ""
    return Transcript(
        format=reader.name,
        agent=reader.agent,
        session_id=session_id or make_digest_id(reader.name, title or beginning),
        turns=collected,
        title=title,
        started_at=turns.started_at,
        ended_at=turns.ended_at,
        is_chat=True,
        unknown=dict(source.unknown),
    )
