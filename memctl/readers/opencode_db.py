"""OpenCode's `opencode.db` and those of its forks.

Sessions, messages and parts are rows, mostly with JSON in a column `data`. Version 2 has tables of
its own for sessions and messages. A store that was upgraded has both: a session may go on in the
new tables alone, and they may repeat what the old ones hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.messages import join_text
from memctl.readers.opencode import Message, OpenCode, OpenCodeSession, find_fork
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_QUIET_TYPES = frozenset(["synthetic", "system", "agent-switched", "model-switched", "idle"])
_SESSION_TABLES = ("session", "session_v2")
_MESSAGE_TABLE = "session_message"


class OpenCodeDb:
    """Reads OpenCode's database."""

    name: ClassVar[str] = "opencode-db"
    agent: ClassVar[str] = OpenCode.agent
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return 0: this reader sees tables, not bytes."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Certain of OpenCode's tables."""
        has_messages = tables.columns("message") >= {"id", "session_id", "data"}
        has_parts = tables.columns("part") >= {"message_id", "data"}
        is_older = has_messages and has_parts and "session" in tables.names()
        is_newer = tables.columns(_MESSAGE_TABLE) >= {"session_id", "type", "data"} and any(
            table in tables.names() for table in _SESSION_TABLES
        )
        return 0.95 if is_older or is_newer else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the sessions of the database, or only the one that is asked for."""
        assert source.tables is not None
        agent = find_fork(source)
        for row in _list_sessions(source.tables, source.session):
            session = self._make_session(source, row, agent)
            session.read_messages(_list_messages(source.tables, as_text(row.get("id"))), row)
            newer = self._make_session(source, row, agent)
            newer.read_newer_table(source.tables)
            session.go_on_with(newer)
            if session.session_id and len(session.turns):
                yield session.to_transcript()

    def _make_session(self, source: Input, row: dict[str, Any], agent: str) -> _DbSession:
        session = _DbSession(source, self)
        session.agent = agent
        session.note_session(row)
        return session


READER = OpenCodeDb()


def _list_sessions(tables: Tables, wanted: str | None) -> Iterator[dict[str, Any]]:
    """The sessions, or one of them, by their ids; what the newer table says of one comes first."""
    where, values = ("id = ?", (wanted,)) if wanted else ("", ())
    found: dict[str, dict[str, Any]] = {}
    for table in _SESSION_TABLES:
        for row in tables.rows(table, where, values):
            said = {name: value for name, value in row.items() if value is not None}
            session_id = as_text(row.get("id"))
            found[session_id] = {**found.get(session_id, {}), **said}
    yield from (found[session_id] for session_id in sorted(found))


def _list_messages(tables: Tables, session_id: str) -> Iterator[Message]:
    """Yield a session's messages with their parts; ids sort by time."""
    for row in tables.rows("message", "session_id = ?", (session_id,), order_by="id"):
        parts = tables.rows("part", "message_id = ?", (row.get("id"),), order_by="id")
        yield _parse_data(row), [_parse_data(part) for part in parts]


def _parse_data(row: dict[str, Any]) -> dict[str, Any]:
    return {**as_dict(parse_json(as_text(row.get("data")))), "id": row.get("id")}


class _DbSession(OpenCodeSession):
    def note_session(self, head: dict[str, Any]) -> None:
        """Note what a session says about itself; a fork was asked by a person, as its origin."""
        super().note_session(head)
        self.parent_id = self.parent_id or as_name(head.get("fork_session_id"))

    def go_on_with(self, newer: _DbSession) -> None:
        """Add what the newer table holds: in place of what it repeats, else after all."""
        older, later = self.turns.collect(), newer.turns.collect()
        if not later:
            return
        repeated = next(
            (
                turn.seq
                for turn in older
                if (turn.kind, turn.text) == (later[0].kind, later[0].text)
            ),
            len(older),
        )
        if len(older) - repeated > len(later):
            return
        self.turns.truncate(repeated)
        self.turns.extend(later)

    def read_newer_table(self, tables: Tables) -> None:
        """Add the messages of the newer table."""
        order = [
            name for name in ("seq", "time_created", "id") if name in tables.columns(_MESSAGE_TABLE)
        ]
        rows = tables.rows(
            _MESSAGE_TABLE, "session_id = ?", (self.session_id,), order_by=", ".join(order)
        )
        for number, row in enumerate(rows, 1):
            self.line, self.ts = number, parse_time(row.get("time_created"))
            self._read_newer(as_text(row.get("type")), _parse_data(row))

    def _read_newer(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "user":
            self.add_prompt(as_text(data.get("text")))
        elif kind == "assistant":
            for block in as_dicts(data.get("content")):
                self._read_block(block)
        elif kind == "shell":
            command = as_text(data.get("command"))
            self.add(self.prompt_role, "command", f"!{command}" if command else "")
        elif kind == "compaction":
            self.add_summary(as_text(data.get("summary")))
        elif kind not in _QUIET_TYPES:
            self.count_unknown("type", kind)

    def _read_block(self, block: dict[str, Any]) -> None:
        kind, call_id, state = block.get("type"), block.get("id"), as_dict(block.get("state"))
        is_made_up = block.get("synthetic") is True or block.get("ignored") is True
        if kind == "text" and not is_made_up:
            self.add_answer(as_text(block.get("text")))
        elif kind == "tool":
            tool, status = block.get("name"), state.get("status")
            self.add_call(as_name(tool), state.get("input"), call_id=call_id)
            if status in ("completed", "error"):
                error = as_text(as_dict(state.get("error")).get("message"))
                output = join_text(state.get("content")) or error
                self.add_result(output, call_id=call_id, tool=tool, ok=status == "completed")
