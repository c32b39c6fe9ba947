"""Hermes' `state.db`: tables of sessions and of their messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.model import Transcript
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.hermes import Hermes, about, take
from memctl.readers.logged import Log
from memctl.readers.turns import name_of, text_of


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
        return 0.95 if tables.columns("messages") >= {"session_id", "role", "content", "tool_calls", "tool_name"} else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The sessions of the database one by one, or the one that is asked for."""
        assert source.tables is not None
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for session in source.tables.rows("sessions", where, values, order_by="started_at"):
            log = Log(source, HermesDb.name, HermesDb.agent)
            about(log, {**session, "session_id": session.get("id")})
            rows = source.tables.rows("messages", "session_id = ?", (session.get("id"),), order_by="id")
            for line, row in enumerate(rows, 1):
                take(log, line, _message(row))
            if name_of(session.get("id")) and len(log.turns):
                yield log.transcript()


READER = HermesDb()


def _message(row: dict[str, Any]) -> dict[str, Any]:
    """A row as the message it was made of."""
    content = text_of(row.get("content"))
    blocks = parse_json(content) if content.startswith("[{") else None
    calls = parse_json(text_of(row.get("tool_calls")) or "null")
    return {**row, "content": blocks if isinstance(blocks, list) else content, "tool_calls": calls}
