"""Hermes' `state.db`: tables of sessions and of their messages.

Invariants: what was rewound is gone; a message that a compaction copied behind its summary counts
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.hermes import Hermes, HermesSession
from memctl.readers.values import as_dict, as_name, as_text

# What Hermes writes before content that is not plain text.
_JSON_MARK = "\0json:"
_COLUMNS = frozenset(["session_id", "role", "content", "tool_calls", "tool_name"])


class HermesDb:
    """Reads Hermes' database."""

    name: ClassVar[str] = "hermes-db"
    agent: ClassVar[str] = Hermes.agent
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return 0: this reader sees tables, not bytes."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Certain of Hermes' columns."""
        return 0.95 if tables.columns("messages") >= _COLUMNS else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the sessions of the database, or only the one that is asked for."""
        assert source.tables is not None
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        for row in source.tables.rows("sessions", where, values, order_by="started_at"):
            session = HermesSession(source, self)
            session.note_session({**row, "session_id": row.get("id")})
            session.git_branch = as_name(row.get("git_branch"))
            model_config = as_dict(parse_json(as_text(row.get("model_config"))))
            session.is_subagent = "_delegate_from" in model_config
            _read_messages(session, source.tables, row.get("id"))
            if as_name(row.get("id")) and len(session.turns):
                yield session.to_transcript()


READER = HermesDb()


def _read_messages(session: HermesSession, tables: Tables, session_id: object) -> None:
    rows = tables.rows("messages", "session_id = ?", (session_id,), order_by="id")
    for number, row in _select_live_rows(rows):
        session.line = number
        session.read_message(_to_message(row))


def _select_live_rows(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows that count, with their numbers.

    These are all rows that a compaction put away, and the active rows that copy none of them.
    """
    put_away: set[tuple[object, ...]] = set()
    for number, row in enumerate(rows, 1):
        words = (row.get("role"), row.get("content"), row.get("timestamp"))
        if row.get("compacted") == 1:
            put_away.add(words)
        elif row.get("active") == 0 or words in put_away:
            continue
        yield number, row


def _to_message(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row back to the message that it was made from."""
    content = as_text(row.get("content")).removeprefix(_JSON_MARK)
    blocks = parse_json(content) if content.startswith("[{") else None
    calls = parse_json(as_text(row.get("tool_calls")))
    return {**row, "content": blocks if isinstance(blocks, list) else content, "tool_calls": calls}
