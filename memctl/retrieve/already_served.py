"""What a session was already told, by the retrieval log, whether its lines are in the store or
still wait in the spool.

A session that begins anew, or is about to be compacted, has been told nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.agents import hook_contracts
from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.core.model import Place
from memctl.core.typing_lite import Any
from memctl.settings.config import Config
from memctl.store import logs, spool
from memctl.store.database import Database

# Retrievals of one session: by then it has long lost sight of the first ones; chosen by hand.
_MOST_STORED = 200
# Log lines that wait in the spool: only the newest are read; chosen by hand.
_MOST_WAITING = 100


@dataclass(frozen=True, slots=True)
class Told:
    """When a record was last told to a session, by when its text was read, and a checksum of what
    was said, where the log has one.
    """

    at: str
    checksum: str | None = None


@dataclass(frozen=True, slots=True)
class _LoggedContext:
    """One context of the session. `withdrawn` are records of which it said that they no longer
    hold.
    """

    id: str
    read_at: str
    returned: tuple[str, ...]
    level: int
    is_start: bool
    is_prompt: bool
    texts: tuple[str, ...]
    withdrawn: tuple[str, ...]


def find_told(
    db: Database, config: Config, caller: Place, level: int, before: str | None = None
) -> dict[str, Told]:
    """What the caller's session was told at this level or a fuller one since it began, and still
    has before it.

    With `before` (a retrieval's id), as it was when that retrieval was made.
    """
    told: dict[str, Told] = {}
    withdrawn: set[str] = set()
    keeps_prompts = hook_contracts.keeps_prompt_context(caller.agent_id)
    for entry in _iterate_newest_contexts(db, config, caller.session_id or ""):
        if before is not None and entry.id >= before:
            continue
        withdrawn.update(entry.withdrawn)
        if entry.level >= level and (keeps_prompts or not entry.is_prompt):
            has_texts = len(entry.texts) == len(entry.returned)
            for place, memory_id in enumerate(entry.returned):
                if memory_id not in told and memory_id not in withdrawn:
                    told[memory_id] = Told(entry.read_at, entry.texts[place] if has_texts else None)
        if entry.is_start:
            break
    return told


def _iterate_newest_contexts(
    db: Database, config: Config, session_id: str
) -> Iterator[_LoggedContext]:
    """Yield the contexts of a session that were logged, the newest first."""
    waiting = [
        *(entry for entry, _ in db.unwritten),
        *spool.list_waiting_logs(config, _MOST_WAITING),
    ]
    ours = [
        _read_waiting(entry)
        for entry in waiting
        if entry.get("session_id") == session_id and entry["command"] in logs.SESSION_COMMANDS
    ]
    stored = (
        _read_context(row, row["asked"])
        for row in logs.iterate_given_to(db, session_id, _MOST_STORED)
    )
    if not ours:
        yield from stored  # hardly ever does one wait; the rest is not parsed beyond the start
        return
    found = {entry.id: entry for entry in (*ours, *stored)}
    yield from (found[each] for each in sorted(found, reverse=True))


def _read_waiting(entry: Mapping[str, Any]) -> _LoggedContext:
    filters = entry["filters"] if isinstance(entry["filters"], dict) else {}
    run = filters.get("run")
    run = run if isinstance(run, dict) else {}
    asked = [
        *(filters.get(name) for name in ("level", "session_start", "prompt_only")),
        *(run.get(name) for name in ("texts", "withdrawn")),
    ]
    return _read_context(entry, asked)


def _read_context(entry: Mapping[str, Any], asked: Any) -> _LoggedContext:
    """A log line; `asked` is what it was asked for, in the order of the statement `given_to`."""
    known = asked if isinstance(asked, list) and len(asked) == logs.ASKED_FIELDS else []
    level, is_start, is_prompt, texts, withdrawn = known or (0, None, None, None, None)
    return _LoggedContext(
        entry["id"],
        _get_reading_time(entry),
        tuple(_list_texts(entry["returned"])),
        level if isinstance(level, int) else 0,
        bool(is_start) or entry["command"] == logs.COMPACTION,
        bool(is_prompt),
        tuple(_list_texts(texts)),
        tuple(_list_texts(withdrawn)),
    )


def _list_texts(value: Any) -> Iterator[str]:
    return (
        (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())
    )


def _get_reading_time(entry: Mapping[str, Any]) -> str:
    """When the store was read for it, which is before it was handed out: a change in between is
    news.
    """
    return timestamps.add_seconds(entry["at"], seconds=-float(entry["duration_ms"]) / 1000)
