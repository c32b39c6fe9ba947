"""What a session was already given, by the retrieval log, whether its lines are in the store or
still wait in the spool.

A session that begins anew, also after a compaction, has been given nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import timestamps
from memctl.core.typing_lite import Any
from memctl.settings.config import Config
from memctl.store import logs, spool
from memctl.store.database import Database

# Contexts of one session: by then it has long lost sight of the first ones; chosen by hand.
_MOST = 400
# Log lines that wait in the spool: only the newest are read; chosen by hand.
_MOST_WAITING = 100


def find_served(
    db: Database, config: Config, session_id: str, level: int, before: str | None = None
) -> dict[str, str]:
    """For each record given at this level or a fuller one since the session began: when its text
    was last read.

    With `before` (a retrieval's id), as it was when that retrieval was made.
    """
    known: dict[str, str] = {}
    for entry in _list_newest_contexts(db, config, session_id):
        if before is not None and entry["id"] >= before:
            continue
        filters = entry["filters"]
        if int(filters.get("level", 0)) >= level:
            known = dict.fromkeys(entry["returned"], _get_reading_time(entry)) | known
        if filters.get("session_start"):
            break
    return known


def _list_newest_contexts(db: Database, config: Config, session_id: str) -> list[Mapping[str, Any]]:
    waiting = [
        *(entry for entry, _ in db.unwritten),
        *spool.list_waiting_logs(config, _MOST_WAITING),
    ]
    ours = [
        entry
        for entry in waiting
        if entry.get("session_id") == session_id and entry["command"] == "context"
    ]
    stored = logs.list_given_to(db, session_id, _MOST)
    return sorted(
        {entry["id"]: entry for entry in (*ours, *stored)}.values(),
        key=lambda entry: str(entry["id"]),
        reverse=True,
    )


def _get_reading_time(entry: Mapping[str, Any]) -> str:
    """When the store was read for it, which is before it was handed out: a change in between is
    news.
    """
    return timestamps.add_seconds(entry["at"], seconds=-float(entry["duration_ms"]) / 1000)
