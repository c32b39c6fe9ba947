"""OpenCode's `opencode.db` and those of its forks: sessions, messages and parts as rows, the most of them JSON in a column `data`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.model import Transcript
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.logged import Log
from memctl.readers.opencode import WRAPPINGS, Message, OpenCode, about, fork_of, take
from memctl.readers.turns import dict_of, text_of


class OpenCodeDb:
    """Reads OpenCode's database."""

    name: ClassVar[str] = "opencode-db"
    agent: ClassVar[str] = OpenCode.agent
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Never: it reads tables."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Sure of its tables."""
        shaped = tables.columns("message") >= {"id", "session_id", "data"} and tables.columns("part") >= {"message_id", "data"}
        return 0.95 if shaped and "session" in tables.names() else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The sessions of the database one by one, or the one that is asked for."""
        assert source.tables is not None
        agent = fork_of(source)
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for session in source.tables.rows("session", where, values, order_by="id"):
            log = Log(source, OpenCodeDb.name, agent, WRAPPINGS)
            about(log, session)
            take(log, _messages(source.tables, text_of(session.get("id"))), session)
            if log.session_id and len(log.turns):
                yield log.transcript()


READER = OpenCodeDb()


def _messages(tables: Tables, session: str) -> Iterator[Message]:
    """A session's messages with their parts; ids are in the order of time."""
    for row in tables.rows("message", "session_id = ?", (session,), order_by="id"):
        parts = tables.rows("part", "message_id = ?", (row.get("id"),), order_by="id")
        yield _data(row), [_data(part) for part in parts]


def _data(row: dict[str, Any]) -> dict[str, Any]:
    return {**dict_of(parse_json(text_of(row.get("data")))), "id": row.get("id")}
