"""Hermes' `state.db`: tables of sessions and of their messages.

Kept true: what was rewound is gone; a message that a compaction copied behind its summary counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.hermes import Hermes, about, take
from memctl.readers.session_log import Log
from memctl.readers.values import as_dict, as_name, as_text

# What Hermes writes before content that is no plain text.
_JSON = "\0json:"


class HermesDb:
    """Reads Hermes' database."""

    name: ClassVar[str] = "hermes-db"
    agent: ClassVar[str] = Hermes.agent
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Never: it reads tables."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Sure of its columns."""
        return (
            0.95
            if tables.columns("messages")
            >= {"session_id", "role", "content", "tool_calls", "tool_name"}
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The sessions of the database one by one, or the one that is asked for."""
        assert source.tables is not None
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for session in source.tables.rows("sessions", where, values, order_by="started_at"):
            log = Log(source, HermesDb.name, HermesDb.agent)
            about(log, {**session, "session_id": session.get("id")})
            log.git_branch = as_name(session.get("git_branch"))
            log.is_sub = "_delegate_from" in as_dict(
                parse_json(as_text(session.get("model_config")) or "null")
            )
            rows = source.tables.rows(
                "messages", "session_id = ?", (session.get("id"),), order_by="id"
            )
            for line, row in _told(rows):
                take(log, line, _message(row))
            if as_name(session.get("id")) and len(log.turns):
                yield log.transcript()


READER = HermesDb()


def _told(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows that count, with their numbers: those that a compaction put away, and of the others those that stand and are no copies."""
    put_away: set[tuple[object, ...]] = set()
    for line, row in enumerate(rows, 1):
        words = (row.get("role"), row.get("content"), row.get("timestamp"))
        if row.get("compacted") == 1:
            put_away.add(words)
        elif row.get("active") == 0 or words in put_away:
            continue
        yield line, row


def _message(row: dict[str, Any]) -> dict[str, Any]:
    """A row as the message it was made of."""
    content = as_text(row.get("content")).removeprefix(_JSON)
    blocks = parse_json(content) if content.startswith("[{") else None
    calls = parse_json(as_text(row.get("tool_calls")) or "null")
    return {**row, "content": blocks if isinstance(blocks, list) else content, "tool_calls": calls}
