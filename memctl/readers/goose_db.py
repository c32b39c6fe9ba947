"""Goose's `sessions.db`: tables of sessions and of their messages."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.goose import Goose, GooseSession
from memctl.readers.values import as_dict, as_text, parse_time


class GooseDb:
    """Reads Goose's database."""

    name: ClassVar[str] = "goose-db"
    agent: ClassVar[str] = Goose.agent
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return 0: this reader sees tables, not bytes."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Certain of Goose's columns."""
        return 0.95 if tables.columns("messages") >= {"session_id", "role", "content_json"} else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the sessions of the database, or only the one that is asked for."""
        assert source.tables is not None
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for row in source.tables.rows("sessions", where, values, order_by="id"):
            session = GooseSession(source, self)
            session.note_session(row)
            _read_messages(session, source.tables, row.get("id"))
            if session.session_id and len(session.turns):
                yield session.to_transcript()


READER = GooseDb()


def _read_messages(session: GooseSession, tables: Tables, session_id: object) -> None:
    has_ids = "id" in tables.columns("messages")
    order = "created_timestamp, id" if has_ids else "created_timestamp"
    rows = tables.rows("messages", "session_id = ?", (session_id,), order_by=order)
    for number, row in enumerate(rows, 1):
        session.line, session.ts = number, parse_time(row.get("created_timestamp"))
        content = parse_json(as_text(row.get("content_json")))
        metadata = as_dict(parse_json(as_text(row.get("metadata_json"))))
        session.read_message(as_text(row.get("role")), content, metadata)
