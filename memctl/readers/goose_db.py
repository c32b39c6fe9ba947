"""Goose's `sessions.db`: tables of sessions and of their messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.goose import WRAPPINGS, Goose, about, take
from memctl.readers.session_log import Log
from memctl.readers.values import as_dict, as_text, parse_time


class GooseDb:
    """Reads Goose's database."""

    name: ClassVar[str] = "goose-db"
    agent: ClassVar[str] = Goose.agent
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Never: it reads tables."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Sure of its columns."""
        return 0.95 if tables.columns("messages") >= {"session_id", "role", "content_json"} else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The sessions of the database one by one, or the one that is asked for."""
        assert source.tables is not None
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for session in source.tables.rows("sessions", where, values, order_by="id"):
            log = Log(source, GooseDb.name, GooseDb.agent, WRAPPINGS)
            about(log, session)
            order = (
                "created_timestamp, id"
                if "id" in source.tables.columns("messages")
                else "created_timestamp"
            )
            rows = source.tables.rows(
                "messages", "session_id = ?", (session.get("id"),), order_by=order
            )
            for line, row in enumerate(rows, 1):
                content = parse_json(as_text(row.get("content_json")))
                metadata = as_dict(parse_json(as_text(row.get("metadata_json")) or "null"))
                take(
                    log,
                    line,
                    as_text(row.get("role")),
                    content,
                    parse_time(row.get("created_timestamp")),
                    metadata,
                )
            if log.session_id and len(log.turns):
                yield log.transcript()


READER = GooseDb()
