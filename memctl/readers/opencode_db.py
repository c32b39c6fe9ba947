"""OpenCode's `opencode.db` and those of its forks: sessions, messages and parts as rows, the most of them JSON in a column `data`.

Newer versions write a session's messages a second time into a table of their own, and may come to write them there only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.messages import join_text
from memctl.readers.opencode import WRAPPINGS, Message, OpenCode, about, find_fork, take
from memctl.readers.session_log import Log
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(["synthetic", "system", "agent-switched", "model-switched"])


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
        shaped = tables.columns("message") >= {"id", "session_id", "data"} and tables.columns(
            "part"
        ) >= {"message_id", "data"}
        return 0.95 if shaped and "session" in tables.names() else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The sessions of the database one by one, or the one that is asked for."""
        assert source.tables is not None
        agent = find_fork(source)
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for session in source.tables.rows("session", where, values, order_by="id"):
            log = Log(source, OpenCodeDb.name, agent, WRAPPINGS)
            about(log, session)
            take(log, _messages(source.tables, as_text(session.get("id"))), session)
            if not len(log.turns):
                _take_newer(log, source.tables)
            if log.session_id and len(log.turns):
                yield log.transcript()


READER = OpenCodeDb()


def _messages(tables: Tables, session: str) -> Iterator[Message]:
    """A session's messages with their parts; ids are in the order of time."""
    for row in tables.rows("message", "session_id = ?", (session,), order_by="id"):
        parts = tables.rows("part", "message_id = ?", (row.get("id"),), order_by="id")
        yield _data(row), [_data(part) for part in parts]


def _data(row: dict[str, Any]) -> dict[str, Any]:
    return {**as_dict(parse_json(as_text(row.get("data")))), "id": row.get("id")}


def _take_newer(log: Log, tables: Tables) -> None:
    """Add the messages of the newer table."""
    for line, row in enumerate(
        tables.rows(
            "session_message", "session_id = ?", (log.session_id,), order_by="time_created, id"
        ),
        1,
    ):
        kind, data, ts = as_text(row.get("type")), _data(row), parse_time(row.get("time_created"))
        if kind == "user":
            log.prompt(as_text(data.get("text")), ts=ts, line=line)
        elif kind == "assistant":
            for block in map(as_dict, as_list(data.get("content"))):
                _take_block(log, line, block, ts)
        elif kind == "shell":
            log.turns.add(
                log.asker,
                "command",
                f"!{as_text(data.get('command'))}".removesuffix("!"),
                ts=ts,
                line=line,
            )
        elif kind == "compaction":
            log.summary(as_text(data.get("summary")), ts=ts, line=line)
        elif kind not in _QUIET:
            log.source.unknown[f"type {kind[:40]}"] += 1


def _take_block(log: Log, line: int, block: dict[str, Any], ts: str | None) -> None:
    kind, state, tool = (
        as_text(block.get("type")),
        as_dict(block.get("state")),
        as_name(block.get("name")),
    )
    if kind == "text" and block.get("synthetic") is not True and block.get("ignored") is not True:
        log.answer(as_text(block.get("text")), ts=ts, line=line)
    elif kind == "tool":
        log.call(tool, state.get("input"), call_id=block.get("id"), ts=ts, line=line)
        if state.get("status") in ("completed", "error"):
            text = join_text(state.get("content")) or as_text(
                as_dict(state.get("error")).get("message")
            )
            log.result(
                text,
                call_id=block.get("id"),
                tool=tool,
                ok=state["status"] == "completed",
                ts=ts,
                line=line,
            )
